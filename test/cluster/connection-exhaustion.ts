// Tests eight processes with full pools on a PostgreSQL server that allows only 48 connections.
import { strict as assert } from 'node:assert';
import { openBrowserSession } from '../support/browser-session.ts';
import { fetchUserinfo, type JsonResponse, redeemRefreshToken, type Tokens } from '../support/oauth-flow.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  type Cluster,
  expectAllRunning,
  type Instance,
  startCluster,
  stopAll,
  waitUntilAllReady,
} from './instances.ts';
import { createServer } from './postgres.ts';
import type { Step } from './report.ts';

const PROCESS_COUNT = 8;
const MAX_CONNECTIONS = '48';
/** Number of concurrent userinfo requests per process, and of concurrent page requests. */
const CONCURRENCY = 24;
const ROUND_COUNT = 4;
/** Number of token refresh workers per process. */
const WORKERS_PER_PROCESS = 6;
const GRANT_COUNT = (WORKERS_PER_PROCESS + 1) * PROCESS_COUNT;
const POOL_SETTINGS = { DATABASE_POOL_SIZE: '10' };
/** Maximum recovery time in milliseconds. The pool closes idle connections after 10 seconds. */
const RECOVERY_TIMEOUT = 30_000;
/** Number of sequential userinfo and refresh requests per process after the load ends. */
const SEQUENTIAL_ROUNDS = 20;

type StatusCounts = Record<number, number>;

/**
 * Sends userinfo, page and refresh requests concurrently. Each page request needs its own database
 * connection.
 */
async function sendRequests(cluster: Cluster, grants: Tokens[]): Promise<StatusCounts> {
  const counts: StatusCounts = {};
  const send = async (work: () => Promise<{ status: number }>) => {
    const { status } = await work();
    counts[status] = (counts[status] ?? 0) + 1;
  };
  const requests = cluster.instances.flatMap((instance) => {
    const browser = openBrowserSession(instance.baseUrl);
    for (const [name, value] of cluster.browser.cookies) browser.cookies.set(name, value);
    return Array.from({ length: CONCURRENCY }, (_, index) => {
      const { accessToken } = grants[index % grants.length] as Tokens;
      return [() => fetchUserinfo(instance, accessToken), () => browser.get('/account')];
    }).flat();
  });
  const refreshRepeatedly = async (instance: Instance) => {
    let tokens = grants.pop() as Tokens;
    for (let round = 0; round < ROUND_COUNT; round++)
      await send(async () => {
        const response = await redeemRefreshToken(instance, cluster.graceClient, tokens.refreshToken);
        if (response.status === 200) tokens = readTokens(response);
        return response;
      });
  };
  const refreshes = cluster.instances.flatMap((instance) =>
    Array.from({ length: WORKERS_PER_PROCESS }, () => refreshRepeatedly(instance)),
  );
  for (let round = 0; round < ROUND_COUNT; round++) await Promise.all(requests.map(send));
  await Promise.all(refreshes);
  return counts;
}

const readTokens = ({ body }: JsonResponse): Tokens => ({
  accessToken: String(body.access_token),
  refreshToken: String(body.refresh_token),
  idToken: undefined,
});

const formatCounts = (counts: StatusCounts): string =>
  Object.entries(counts)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ');

export async function testConnectionExhaustion(step: Step, note: (text: string) => void): Promise<void> {
  const server = await createServer({ max_connections: MAX_CONNECTIONS });
  const cluster = await startCluster(PROCESS_COUNT, server.url, { settings: POOL_SETTINGS });
  // Create grants sequentially because the processes leave few database connections for the test itself.
  const grants: Tokens[] = [];
  while (grants.length < GRANT_COUNT) grants.push(...(await cluster.createGrants(1, cluster.graceClient)));
  await step('every response is 200 or 503, and no process exits', async () => {
    const counts = await sendRequests(cluster, grants);
    note(formatCounts(counts));
    assert.deepEqual(
      Object.keys(counts).filter((status) => !['200', '503'].includes(status)),
      [],
    );
    assert((counts[200] ?? 0) > 0);
    assert((counts[503] ?? 0) > 0, 'connections were not exhausted; increase the load');
    assert.match(server.log(), /too many (clients|connections)|remaining connection slots/);
    expectAllRunning(cluster.instances);
  });
  await step('after the load, every process recovers without intervention', async () => {
    await waitUntilAllReady(cluster.instances, RECOVERY_TIMEOUT);
    for (const instance of cluster.instances)
      await waitUntil('refreshes', () => refreshOnce(instance), RECOVERY_TIMEOUT);
    const failures: Record<string, number> = {};
    for (let round = 0; round < SEQUENTIAL_ROUNDS; round++)
      for (const instance of cluster.instances)
        for (const [name, succeeded] of [
          ['userinfo', (await fetchUserinfo(instance, (grants[1] as Tokens).accessToken)).status === 200],
          ['refresh', await refreshOnce(instance)],
        ] as const)
          if (!succeeded) failures[name] = (failures[name] ?? 0) + 1;
    assert.deepEqual(failures, {}, 'sequential requests failed');
    expectAllRunning(cluster.instances);
  });

  async function refreshOnce(instance: Instance): Promise<boolean> {
    const response = await redeemRefreshToken(
      instance,
      cluster.graceClient,
      (grants[0] as Tokens).refreshToken,
    );
    if (response.status === 200) grants[0] = readTokens(response);
    return response.status === 200;
  }
  await stopAll(cluster.instances);
}
