// Where the process begins. Its V8 flags are on the command line of whatever starts it (ADR 17).
import './process/serve.ts';
