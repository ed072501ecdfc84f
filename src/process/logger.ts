// Creates the logger, which writes JSON lines without secrets to standard output.
import { type DestinationStream, type Logger, pino } from 'pino';

/**
 * Buffers lines for up to 250 ms. A system call per line would double the cost of logging. SIGKILL loses the buffered
 * lines.
 * @param level a pino level or `silent`
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  if (level === 'silent') return pino({ level });
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: sanitizeError, req: () => undefined, res: () => undefined },
    },
    destination ?? openStandardOutput(),
  );
}

function openStandardOutput(): DestinationStream {
  // If nothing reads standard output, lines are dropped once `maxLength` bytes are buffered.
  const output = pino.destination({
    dest: 1,
    sync: false,
    minLength: 4_096,
    periodicFlush: 250,
    maxLength: 8_000_000,
  });
  // Without an error listener, a full disk would crash the process, and the flush at exit would retry forever.
  output.on('error', () => {
    output.flushSync = () => {};
  });
  return output;
}

/** Omits properties that may contain secrets, such as PostgreSQL's `detail`. */
function sanitizeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error === undefined ? undefined : String(error);
  const { name, message, stack } = error;
  const { code } = error as { code?: unknown };
  return { type: name, message, ...(code !== undefined && { code }), stack };
}
