// The log: pino, JSON lines on standard output. No secret gets in at any level, because nothing that holds one is logged.
import { type DestinationStream, type Logger, pino } from 'pino';

/**
 * Creates the logger. Lines are written together, because a system call for each would cost as much as the rest of
 * logging: a line may be a quarter of a second late, and a kill -9 may cost the last ones.
 * @param level one of pino's levels, or `silent`
 * @param destination where lines go instead of standard output
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  if (level === 'silent') return pino({ level });
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorForLog, req: () => undefined, res: () => undefined },
    },
    destination ?? standardOutput(),
  );
}

function standardOutput(): DestinationStream {
  // If standard output isn't read, lines are dropped rather than kept in memory for ever.
  const output = pino.destination({
    dest: 1,
    sync: false,
    minLength: 4_096,
    periodicFlush: 250,
    maxLength: 8_000_000,
  });
  // A full disk must not stop the service: without a listener the error would end the process, whose last flush would
  // then try again for ever.
  output.on('error', () => {
    output.flushSync = () => {};
  });
  return output;
}

/** An error without the fields in which drivers repeat values (PostgreSQL's `detail`, a URL with its password). */
function errorForLog(error: unknown): unknown {
  if (!(error instanceof Error)) return error === undefined ? undefined : String(error);
  const { name, message, stack } = error;
  const { code } = error as { code?: unknown };
  return { type: name, message, ...(code !== undefined && { code }), stack };
}
