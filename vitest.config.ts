// How the tests run: one PostgreSQL for the whole run (global-setup), a database of its own for each file that wants one.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // The JSON report is what .ci/run counts.
    reporters: ['default', ['json', { outputFile: 'node_modules/.vitest-report.json' }]],
    coverage: { provider: 'v8', include: ['src/**/*.ts', 'src/public/**/*.js'] },
  },
});
