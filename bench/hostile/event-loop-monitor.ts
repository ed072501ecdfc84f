// Reports the longest iteration of the service's event loop over IPC. Loaded with `--import`.

/** Milliseconds between samples. */
const TICK = 1;

export interface LongestTurn {
  /** CPU time of the main thread, in milliseconds. Other processes on the machine don't affect this time. */
  cpu: number;
  /** Elapsed time, in milliseconds. */
  elapsed: number;
}

const cpuTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

let longest: LongestTurn = { cpu: 0, elapsed: 0 };
let previous: LongestTurn = { cpu: cpuTime(), elapsed: performance.now() };

function sample(): void {
  const now = { cpu: cpuTime(), elapsed: performance.now() };
  longest = {
    cpu: Math.max(longest.cpu, now.cpu - previous.cpu),
    elapsed: Math.max(longest.elapsed, now.elapsed - previous.elapsed - TICK),
  };
  previous = now;
}

setInterval(sample, TICK).unref();
process.on('message', () => {
  sample();
  process.send?.(longest);
  longest = { cpu: 0, elapsed: 0 };
});
process.channel?.unref();
