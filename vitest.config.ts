// How the tests run: one PostgreSQL for the whole run (global-setup), a database of its own for each file that wants one.
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest, the longest first: begun late, it would run alone at the end. */
const LONGEST = [
  'test/browser/every-page',
  'test/processes/kill',
  'test/browser/passkeys',
  'test/cli/keys',
  'test/interoperability/spring',
  'test/interoperability/python',
  'test/credentials/report-unauthorized-activity',
  'test/interoperability/mod-auth-openidc',
  'test/credentials/attempts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const index = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return index < 0 ? LONGEST.length : index;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // No file changes what another imports: a worker reads the service once, not once per file.
    isolate: false,
    // Twice the cores that this is meant for: many tests wait for a process, a proxy, a browser.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Only a test that hangs gets there: those that pass take up to 20 s on two cores, and longer on a slower machine.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // A failure shows the whole values: it may not come again.
    chaiConfig: { truncateThreshold: 1000 },
    // The JSON report is what .ci/run counts.
    reporters: ['default', ['json', { outputFile: 'node_modules/.vitest-report.json' }]],
    coverage: { provider: 'v8', include: ['src/**/*.ts', 'src/public/**/*.js'] },
  },
});
