// The log: pino, JSON lines on standard output. No secret gets in at any level, because nothing that holds one is logged.
import { type Logger, pino } from 'pino';

/** Milliseconds that a line may be gathered for. */
const LATEST = 250;
const PIECE = 32_000;

/**
 * Lines are gathered and written together, a system call for each would cost as much as the rest of logging: a line may
 * be up to a quarter of a second late, and a kill -9 may cost the last ones. They are flushed when the process exits.
 * @param level one of pino's levels, or `silent`
 */
export function createLogger(level: string): Logger {
  if (level === 'silent') return pino({ level });
  // Where nobody takes them away, lines are dropped rather than gathered for ever.
  const output = pino.destination({ dest: 1, sync: false, maxLength: 8_000_000 });
  let gathered = '';
  const handOver = () => {
    if (gathered !== '') output.write(gathered);
    gathered = '';
  };
  setInterval(handOver, LATEST).unref();
  process.on('exit', () => {
    handOver();
    output.flushSync();
  });
  // A full disk must not stop the service: without a listener the error would end the process, whose last flush would
  // then try again for ever.
  output.on('error', () => {
    output.flushSync = () => {};
  });
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorForLog, req: () => undefined, res: () => undefined },
    },
    {
      write(line: string) {
        if (gathered.length + line.length > PIECE) handOver();
        gathered += line;
      },
    },
  );
}

/** An error without the fields in which drivers repeat values (PostgreSQL's `detail`, a URL with its password). */
function errorForLog(error: unknown): unknown {
  if (!(error instanceof Error)) return error === undefined ? undefined : String(error);
  const { name, message, stack } = error;
  const { code } = error as { code?: unknown };
  return { type: name, message, ...(code !== undefined && { code }), stack };
}
