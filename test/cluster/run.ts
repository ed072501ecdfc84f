// The cluster tests: real servers of Debian's packages, broken on purpose. Prints a line per step, and a count.
import { writeFileSync } from 'node:fs';
import { endProcesses } from '../support/process.ts';
import { backupAndRestore } from './backup.ts';
import { onCitus } from './citus.ts';
import { asynchronousFailover, synchronousFailover } from './failover.ts';
import { openReport } from './report.ts';
import { stormOnPostgres } from './storm.ts';
import { endServers, isInstalled, postgresPrograms } from './system.ts';

/** What .ci/run counts. */
const REPORT = new URL('../../node_modules/.cluster-report.json', import.meta.url);
const SCENARIOS = [
  {
    name: 'Failover to a synchronous replica, through a switch',
    play: (...tools: Tools) => synchronousFailover('switch', ...tools),
  },
  {
    name: 'Failover to a synchronous replica, through PgBouncer',
    play: (...tools: Tools) => synchronousFailover('pgbouncer', ...tools),
    needs: 'pgbouncer',
  },
  { name: 'Failover to an asynchronous replica', play: asynchronousFailover },
  { name: 'A connection storm', play: stormOnPostgres },
  { name: 'Backup and restore', play: backupAndRestore },
];
const CITUS = 'Citus: a coordinator and its workers';
const { CITUS_URL } = process.env;
type Tools = Parameters<typeof backupAndRestore>;

const [wanted = ''] = process.argv.slice(2);
const report = openReport();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    await endProcesses();
    await endServers();
    process.exit(1);
  });
for (const { name, play, needs } of SCENARIOS) {
  if (!name.toLowerCase().includes(wanted.toLowerCase())) continue;
  // What npm cannot carry (a PostgreSQL with all its programs, PgBouncer) is installed by .ci/run; elsewhere it may be missing.
  if (postgresPrograms === undefined) report.skip(name, 'there is no PostgreSQL below /usr/lib/postgresql');
  else if (needs !== undefined && !isInstalled(needs)) report.skip(name, `${needs} is not installed`);
  else await report.scenario(name, play);
  await endProcesses();
  await endServers();
}
if (CITUS.toLowerCase().includes(wanted.toLowerCase())) {
  if (CITUS_URL === undefined) report.skip(CITUS, 'CITUS_URL is not set');
  else await report.scenario(CITUS, onCitus(CITUS_URL));
  await endProcesses();
}
const { passed, failed, skipped } = report.counts;
writeFileSync(REPORT, JSON.stringify(report.counts));
console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed > 0 ? 1 : 0);
