// Entry point of the server. V8 flags are on the command line (ADR 17).
import './process/serve.ts';
