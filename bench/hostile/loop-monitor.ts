// Preloaded into the service: reports the longest turn of its event loop over IPC.

/** Milliseconds between two looks at the clocks. */
const TICK = 1;

export interface LongestTurn {
  /** CPU time of the main thread, in milliseconds: other processes on the machine don't add to it. */
  cpu: number;
  /** Elapsed time, in milliseconds. */
  elapsed: number;
}

const cpuTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

let longest: LongestTurn = { cpu: 0, elapsed: 0 };
let last: LongestTurn = { cpu: cpuTime(), elapsed: performance.now() };

function look(): void {
  const now = { cpu: cpuTime(), elapsed: performance.now() };
  longest = {
    cpu: Math.max(longest.cpu, now.cpu - last.cpu),
    elapsed: Math.max(longest.elapsed, now.elapsed - last.elapsed - TICK),
  };
  last = now;
}

setInterval(look, TICK).unref();
process.on('message', () => {
  look();
  process.send?.(longest);
  longest = { cpu: 0, elapsed: 0 };
});
process.channel?.unref();
