// The log: pino, JSON lines on standard output. No secret gets in at any level, because nothing that holds one is logged.
import { type Logger, pino } from 'pino';

/** @param level one of pino's levels, or `silent` */
export function createLogger(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: errorForLog, req: () => undefined, res: () => undefined },
  });
}

/** An error without the fields in which drivers repeat values (PostgreSQL's `detail`, a URL with its password). */
function errorForLog(error: unknown): unknown {
  if (!(error instanceof Error)) return error === undefined ? undefined : String(error);
  const { name, message, stack } = error;
  const { code } = error as { code?: unknown };
  return { type: name, message, ...(code !== undefined && { code }), stack };
}
