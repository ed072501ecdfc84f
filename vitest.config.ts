// How the tests run: one PostgreSQL for the whole run (global-setup), a database of its own for each file that wants one.
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The file that takes a third of the whole begins first, or it would run alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLongest = ({ moduleId }: TestSpecification) => moduleId.endsWith('/every-page.test.ts');
    const sorted = await super.sort(files);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // The JSON report is what .ci/run counts.
    reporters: ['default', ['json', { outputFile: 'node_modules/.vitest-report.json' }]],
    coverage: { provider: 'v8', include: ['src/**/*.ts', 'src/public/**/*.js'] },
  },
});
