// Sends the length of the longest event loop iteration over IPC. Loaded with `--import`.

const SAMPLE_INTERVAL_MS = 1;

export interface LongestIteration {
  /** CPU time of the main thread in milliseconds. */
  cpu: number;
  elapsed: number; // milliseconds
}

const readThreadCpuTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

let longestIteration: LongestIteration = { cpu: 0, elapsed: 0 };
let lastSample: LongestIteration = { cpu: readThreadCpuTime(), elapsed: performance.now() };

function takeSample(): void {
  const now = { cpu: readThreadCpuTime(), elapsed: performance.now() };
  longestIteration = {
    cpu: Math.max(longestIteration.cpu, now.cpu - lastSample.cpu),
    elapsed: Math.max(longestIteration.elapsed, now.elapsed - lastSample.elapsed - SAMPLE_INTERVAL_MS),
  };
  lastSample = now;
}

setInterval(takeSample, SAMPLE_INTERVAL_MS).unref();
process.on('message', () => {
  takeSample();
  process.send?.(longestIteration);
  longestIteration = { cpu: 0, elapsed: 0 };
});
process.channel?.unref();
