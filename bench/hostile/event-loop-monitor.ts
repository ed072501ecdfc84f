// Sends the length of the longest event loop iteration over IPC. Loaded with `--import`.

const SAMPLE_INTERVAL_MS = 1;

export interface LongestIteration {
  /** CPU time of the main thread in milliseconds. */
  cpu: number;
  elapsed: number; // milliseconds
}

const cpuTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

let longest: LongestIteration = { cpu: 0, elapsed: 0 };
let previous: LongestIteration = { cpu: cpuTime(), elapsed: performance.now() };

function sample(): void {
  const now = { cpu: cpuTime(), elapsed: performance.now() };
  longest = {
    cpu: Math.max(longest.cpu, now.cpu - previous.cpu),
    elapsed: Math.max(longest.elapsed, now.elapsed - previous.elapsed - SAMPLE_INTERVAL_MS),
  };
  previous = now;
}

setInterval(sample, SAMPLE_INTERVAL_MS).unref();
process.on('message', () => {
  sample();
  process.send?.(longest);
  longest = { cpu: 0, elapsed: 0 };
});
process.channel?.unref();
