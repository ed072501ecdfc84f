// Scenarios and their steps: a line for each, counted, and what is missing on this machine said loudly.
interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Does one thing and says whether it held; what it returns is said too when it is text. */
export type Step = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

export interface Report {
  counts: Counts;
  /** Runs a scenario. Its first step that fails ends it; nothing of it goes on behind the next one. */
  scenario(name: string, play: (step: Step, note: (text: string) => void) => Promise<void>): Promise<void>;
  /** A scenario that cannot be played here counts as one skipped test. */
  skip(name: string, reason: string): void;
}

export function openReport(say: (line: string) => void = console.log): Report {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  const fail = (name: string, error: unknown) => {
    counts.failed += 1;
    say(`  FAILED  ${name}\n${error instanceof Error ? error.stack : error}`);
  };
  return {
    counts,
    async scenario(name, play) {
      say(`\n${name}`);
      let inStep = false;
      const step: Step = async (what, work) => {
        const start = performance.now();
        inStep = true;
        try {
          const result = await work();
          counts.passed += 1;
          say(`  passed  ${what} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
          inStep = false;
          return result;
        } catch (error) {
          fail(what, error);
          throw error;
        }
      };
      try {
        await play(step, (text) => say(`          ${text}`));
      } catch (error) {
        if (!inStep) fail(`${name}, between its steps`, error);
      }
    },
    skip(name, reason) {
      counts.skipped += 1;
      say(`\n${name}\n  SKIPPED: ${reason}. This goes untested.`);
    },
  };
}
