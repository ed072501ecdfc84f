// Where the process begins. Loading all its modules makes garbage once, and the room that the heap's young generation
// would take for it (11 MiB resident) is kept for ever: so it does not grow until the service listens (ADR 8).
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--semi-space-growth-factor=1');
await import('./process/serve.ts');
