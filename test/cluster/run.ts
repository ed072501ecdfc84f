// Runs the cluster tests: failover, connection exhaustion, backup and Citus.
import { writeFileSync } from 'node:fs';
import { killProcesses } from '../support/service-process.ts';
import { testBackupAndRestore } from './backup.ts';
import { testCitus } from './citus.ts';
import { testConnectionExhaustion } from './connection-exhaustion.ts';
import { testAsynchronousFailover, testSynchronousFailover } from './failover.ts';
import { createReporter } from './report.ts';
import { isInstalled, killServers, postgresBinDirectory } from './system-programs.ts';

/** The script .ci/run reads this file. */
const REPORT_FILE = new URL('../../node_modules/.cluster-report.json', import.meta.url);
const SCENARIOS = [
  {
    name: 'Failover to a synchronous replica, through a TCP proxy',
    run: (...tools: ScenarioArguments) => testSynchronousFailover('tcp', ...tools),
  },
  {
    name: 'Failover to a synchronous replica, through PgBouncer',
    run: (...tools: ScenarioArguments) => testSynchronousFailover('pgbouncer', ...tools),
    needs: 'pgbouncer',
  },
  { name: 'Failover to an asynchronous replica', run: testAsynchronousFailover },
  { name: 'Connection exhaustion', run: testConnectionExhaustion },
  { name: 'Backup and restore', run: testBackupAndRestore },
];
const CITUS_SCENARIO = 'Citus with several nodes';
const { CITUS_URL } = process.env;
type ScenarioArguments = Parameters<typeof testBackupAndRestore>;

const [filter = ''] = process.argv.slice(2);
const report = createReporter();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    await killProcesses();
    await killServers();
    process.exit(1);
  });
for (const { name, run, needs } of SCENARIOS) {
  if (!name.toLowerCase().includes(filter.toLowerCase())) continue;
  // The script .ci/run installs PostgreSQL and PgBouncer, so no scenario is skipped in CI.
  if (postgresBinDirectory === undefined)
    report.skip(name, 'PostgreSQL is not installed in /usr/lib/postgresql');
  else if (needs !== undefined && !isInstalled(needs)) report.skip(name, `${needs} is not installed`);
  else await report.runScenario(name, run);
  await killProcesses();
  await killServers();
}
if (CITUS_SCENARIO.toLowerCase().includes(filter.toLowerCase())) {
  if (CITUS_URL === undefined) report.skip(CITUS_SCENARIO, 'CITUS_URL is not set');
  else await report.runScenario(CITUS_SCENARIO, testCitus(CITUS_URL));
  await killProcesses();
}
const { passed, failed, skipped } = report.counts;
writeFileSync(REPORT_FILE, JSON.stringify(report.counts));
console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed > 0 ? 1 : 0);
