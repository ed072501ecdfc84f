// Sends token refreshes and revocations to all processes and records the responses.
import { strict as assert } from 'node:assert';
import { fetchUserinfo, redeemRefreshToken, revokeToken, type Tokens } from '../support/oauth-flow.ts';
import type { TestClient } from '../support/service.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type Cluster, expectRejected, type Instance } from './instances.ts';

/** A worker that refreshes the tokens of one grant repeatedly. */
interface RefreshWorker {
  application: TestClient;
  /** The tokens from the last successful refresh. */
  tokens: Tokens;
  refreshes: number;
  /** Whether the last refresh got no response or a 503. Such a refresh may have taken effect. */
  isUncertain: boolean;
  /** Whether a retry reused a superseded token, which revoked the grant. */
  isRevoked: boolean;
}

export interface Load {
  workers: RefreshWorker[];
  /** Tokens whose revocation succeeded. */
  revoked: Tokens[];
  /** Number of requests that got no response or a 503. */
  failures: number;
  /** Waits for further successful refreshes and revocations. */
  waitForProgress(refreshes: number, revocations: number): Promise<void>;
  stop(): Promise<void>;
}

const WORKER_COUNT = 12;

/** @param revocableGrants number of grants to revoke; `waitForProgress` creates more grants if necessary */
export async function startLoad(cluster: Cluster, revocableGrants: number): Promise<Load> {
  const { instances, strictClient, graceClient } = cluster;
  const workers: RefreshWorker[] = [];
  for (const application of [strictClient, graceClient])
    for (const tokens of await cluster.createGrants(WORKER_COUNT, application))
      workers.push({ application, tokens, refreshes: 0, isUncertain: false, isRevoked: false });
  const revocableTokens = await cluster.createGrants(revocableGrants);
  const load: Load = { workers, revoked: [], failures: 0, waitForProgress, stop };
  let isRunning = true;
  let requiredRevocations = 0;
  let requestCount = 0;
  const nextInstance = (): Instance => instances[requestCount++ % instances.length] as Instance;
  const countRefreshes = () => workers.reduce((sum, worker) => sum + worker.refreshes, 0);

  async function refreshOnce(worker: RefreshWorker): Promise<void> {
    const response = await attempt(() =>
      redeemRefreshToken(nextInstance(), worker.application, worker.tokens.refreshToken),
    );
    if (response?.status === 200) {
      const { access_token, refresh_token } = response.body;
      worker.tokens = {
        accessToken: String(access_token),
        refreshToken: String(refresh_token),
        idToken: undefined,
      };
      worker.refreshes += 1;
      worker.isUncertain = false;
    } else if (response === undefined || response.status === 503) {
      load.failures += 1;
      worker.isUncertain = true;
    } else {
      assert.equal(response.body.error, 'invalid_grant', `unexpected: ${response.status} ${response.text}`);
      assert(worker.isUncertain, 'a refresh token from a successful response was rejected');
      assert.notEqual(
        worker.application,
        graceClient,
        'a token refresh within the grace period was rejected',
      );
      worker.isRevoked = true;
    }
  }
  async function runWorker(worker: RefreshWorker, index: number): Promise<void> {
    for (let round = index; isRunning && !worker.isRevoked; round++) {
      await refreshOnce(worker);
      if (round % 4 === 0) await revokeOne();
    }
  }
  async function revokeOne(): Promise<void> {
    const tokens = revocableTokens.pop() ?? (await createGrantIfNeeded());
    if (tokens === undefined) return;
    const token = requestCount % 2 === 0 ? tokens.accessToken : tokens.refreshToken;
    const response = await attempt(() => revokeToken(nextInstance(), strictClient, token));
    if (response?.status === 200) load.revoked.push(tokens);
    else {
      assert(
        [undefined, 503].includes(response?.status),
        `unexpected: ${response?.status} ${response?.text}`,
      );
      load.failures += 1;
      revocableTokens.unshift(tokens);
    }
  }

  // Creates a grant if `waitForProgress` is still waiting for revocations.
  async function createGrantIfNeeded(): Promise<Tokens | undefined> {
    if (load.revoked.length >= requiredRevocations) return undefined;
    return (await attempt(() => cluster.createGrants(1)))?.[0];
  }

  const workersDone = Promise.all(workers.map(runWorker));
  let failure: unknown;
  workersDone.catch((error) => {
    failure = error;
    isRunning = false;
  });
  async function waitForProgress(moreRefreshes: number, moreRevocations: number): Promise<void> {
    const [targetRefreshes, targetRevocations] = [
      countRefreshes() + moreRefreshes,
      load.revoked.length + moreRevocations,
    ];
    requiredRevocations = Math.max(requiredRevocations, targetRevocations);
    await waitUntil(
      () =>
        `${targetRefreshes} refreshes (${countRefreshes()}) and ${targetRevocations} revocations (${load.revoked.length})`,
      () => {
        if (failure !== undefined) throw failure;
        return countRefreshes() >= targetRefreshes && load.revoked.length >= targetRevocations;
      },
    );
  }
  async function stop(): Promise<void> {
    isRunning = false;
    await workersDone;
  }
  return load;
}

const attempt = <Result>(send: () => Promise<Result>): Promise<Result | undefined> =>
  send().catch(() => undefined);

/** Asserts that revoked tokens are still invalid and that refreshed tokens are still valid. */
export async function expectTokenStates({ instances, strictClient }: Cluster, load: Load): Promise<void> {
  await expectRejected(instances, strictClient, load.revoked);
  for (const worker of load.workers) {
    const [instance] = instances;
    assert(instance);
    if (worker.isRevoked) {
      await expectRejected(instances, worker.application, [worker.tokens]);
      continue;
    }
    // If the last refresh took effect, the next one would reuse a superseded token.
    if (worker.isUncertain && worker.application === strictClient) continue;
    for (const instance of instances)
      assert.equal((await fetchUserinfo(instance, worker.tokens.accessToken)).status, 200);
    const { status, text } = await redeemRefreshToken(
      instance,
      worker.application,
      worker.tokens.refreshToken,
    );
    assert.equal(status, 200, `a refreshed token was rejected: ${text}`);
  }
}
