// Shows the progress of an import on a terminal.
import type { ImportProgress } from '../import/import-users.ts';
import type { Context } from './context.ts';

const UPDATE_INTERVAL_MS = 250;

/** Shows nothing if standard error isn't a terminal. */
export function createProgress(errors: Context['errors']): {
  show(progress: ImportProgress): void;
  end(): void;
} {
  let [shownAt, startedAt, width] = [0, 0, 0];
  let phase: ImportProgress['phase'] | undefined;
  const write = (line: string) => {
    errors.write(`\r${line.padEnd(width)}`);
    width = line.length;
  };
  return {
    show: (progress) => {
      if (errors.columns === undefined) return;
      const now = performance.now();
      if (progress.phase !== phase) [phase, startedAt] = [progress.phase, now];
      if (now - shownAt < UPDATE_INTERVAL_MS) return;
      shownAt = now;
      write(formatProgress(progress, (now - startedAt) / 1000).slice(0, errors.columns - 1));
    },
    end: () => {
      if (width > 0) errors.write(`\r${' '.repeat(width)}\r`);
      width = 0;
    },
  };
}

export function formatProgress({ phase, rows, total }: ImportProgress, phaseSeconds: number): string {
  const format = (value: number) => Math.round(value).toLocaleString('en');
  const rate = phaseSeconds > 0 ? rows / phaseSeconds : 0;
  if (phase === 'check' || total === undefined) return `Checking the file: ${format(rows)} rows`;
  const done = `Importing: ${format(rows)} of ${format(total)} rows (${Math.floor((rows / total) * 100)} %)`;
  return rate > 0 ? `${done}, ${format(rate)} rows/s, ${formatDuration((total - rows) / rate)} left` : done;
}

const formatDuration = (seconds: number): string =>
  seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
