// The log: pino, JSON lines on standard output. No secret gets in at any level, because nothing that holds one is logged.
import { type Logger, pino } from 'pino';

/**
 * Lines are gathered and written together, a system call for each would cost as much as the rest of logging: a line may
 * be up to a quarter of a second late, and a kill -9 may cost the last ones. They are flushed when the process exits.
 * @param level one of pino's levels, or `silent`
 * @param base members of every line: what tells processes apart that write to one log
 */
export function createLogger(level: string, base: Record<string, unknown> | null = null): Logger {
  // Whole lines, and no more at a time than a pipe takes in one piece (PIPE_BUF): other processes write to it, too.
  // Where nobody takes them away, lines are dropped rather than gathered for ever.
  const output = pino.destination({
    dest: 1,
    sync: false,
    minLength: 4000,
    maxWrite: 4096,
    maxLength: 8_000_000,
    periodicFlush: 250,
  });
  // A full disk must not stop the service: without a listener the error would end the process, whose last flush would
  // then try again for ever.
  output.on('error', () => {
    output.flushSync = () => {};
  });
  return pino(
    {
      level,
      base,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorForLog, req: () => undefined, res: () => undefined },
    },
    output,
  );
}

/** An error without the fields in which drivers repeat values (PostgreSQL's `detail`, a URL with its password). */
function errorForLog(error: unknown): unknown {
  if (!(error instanceof Error)) return error === undefined ? undefined : String(error);
  const { name, message, stack } = error;
  const { code } = error as { code?: unknown };
  return { type: name, message, ...(code !== undefined && { code }), stack };
}
