// Configures the tests. All test files create their databases on one PostgreSQL server.
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The slowest test files, slowest first. They are started first, because a slow file that starts late would prolong the run.
 */
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
    // Test files don't modify modules that other test files import, so each worker loads the service once instead of once per
    // file.
    isolate: false,
    // Twice the number of cores on a typical machine, because many tests wait for a process, a proxy or a browser.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Only a test that hangs reaches this timeout. On two cores, tests that pass take up to 20 s.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // Failures print values in full, because the failure may not be reproducible.
    chaiConfig: { truncateThreshold: 1000 },
    // .ci/run reads the number of tests from the JSON report.
    reporters: ['default', ['json', { outputFile: 'node_modules/.vitest-report.json' }]],
    coverage: { provider: 'v8', include: ['src/**/*.ts', 'src/public/**/*.js'] },
  },
});
