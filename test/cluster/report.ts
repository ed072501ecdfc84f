// Runs scenarios and reports each step's result.
interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Runs one step of a scenario and reports whether it passed. */
export type Step = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

export interface Report {
  counts: Counts;
  /** Runs a scenario until a step fails. */
  runScenario(name: string, run: (step: Step, note: (text: string) => void) => Promise<void>): Promise<void>;
  skip(name: string, reason: string): void;
}

export function createReporter(print: (line: string) => void = console.log): Report {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  const reportFailure = (name: string, error: unknown) => {
    counts.failed += 1;
    print(`  FAILED  ${name}\n${error instanceof Error ? error.stack : error}`);
  };
  return {
    counts,
    async runScenario(name, run) {
      print(`\n${name}`);
      let inStep = false;
      const step: Step = async (title, work) => {
        const start = performance.now();
        inStep = true;
        try {
          const result = await work();
          counts.passed += 1;
          print(`  passed  ${title} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
          inStep = false;
          return result;
        } catch (error) {
          reportFailure(title, error);
          throw error;
        }
      };
      try {
        await run(step, (text) => print(`          ${text}`));
      } catch (error) {
        if (!inStep) reportFailure(`${name}, between steps`, error);
      }
    },
    skip(name, reason) {
      counts.skipped += 1;
      print(`\n${name}\n  SKIPPED: ${reason}.`);
    },
  };
}
