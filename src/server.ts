// Entry point of the server. V8 flags are set on the command line (ADR 17).
import './process/serve.ts';
