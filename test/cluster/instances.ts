// Starts processes of the service that share a database, with a user, clients, an API and tokens.

import { strict as assert } from 'node:assert';
import type { NewApi } from '../../src/store/apis.ts';
import { migrate } from '../../src/store/migrate.ts';
import { grantServiceAccess } from '../support/apis.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import {
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  postForm,
  redeemRefreshToken,
  type Tokens,
} from '../support/oauth-flow.ts';
import { startTestService, type TestClient, type TestService, type TestUser } from '../support/service.ts';
import { isReady, type ServiceProcess, startService } from '../support/service-process.ts';
import { waitUntil } from '../support/wait-until.ts';

export interface Instance extends TestService {
  process: ServiceProcess;
}

export interface Cluster {
  instances: Instance[];
  user: TestUser;
  /** A browser that is signed in to the first instance. */
  browser: BrowserSession;
  /** A client without a refresh grace period. */
  strictClient: TestClient;
  /** An API that `strictClient` can access with the client_credentials grant. */
  api: NewApi;
  /** A client with a refresh grace period of 60 seconds. */
  graceClient: TestClient;
  /** @returns the tokens of `count` new grants */
  createGrants(count: number, application?: TestClient): Promise<Tokens[]>;
}

/**
 * Migrates the database, creates accounts, clients and an API, and starts `count` processes.
 * @param url DATABASE_URL of the processes
 * @param directUrl URL of the database, without a proxy
 */
export async function startCluster(
  count: number,
  url: string,
  { directUrl = url, settings = {} }: { directUrl?: string; settings?: Record<string, string> } = {},
): Promise<Cluster> {
  await migrate(directUrl);
  const environment = { DATABASE_URL: url, LOG_LEVEL: 'warn', ...settings };
  // The first process starts alone because it creates the development administrator.
  const firstProcess = await startService(environment);
  const BASE_URL = firstProcess.url;
  const otherProcesses = Array.from({ length: count - 1 }, () => startService({ ...environment, BASE_URL }));
  const factory = await startTestService({ BASE_URL }, { databaseUrl: directUrl });
  const strictClient = await factory.createClient();
  const api = await factory.createApi();
  await grantServiceAccess(factory.services.database, api, strictClient);
  const graceClient = await factory.createClient({ refreshGrace: 60 });
  const user = await factory.createUser({ email: `ada-${process.hrtime.bigint()}@example.com` });
  await factory.close();
  const instances = [firstProcess, ...(await Promise.all(otherProcesses))].map((service) => ({
    ...factory,
    baseUrl: service.url,
    process: service,
  }));
  const [instance] = instances;
  assert(instance);
  const browser = await openSignedInBrowser(instance, user);
  // Only the first authorization asks for consent, so the other authorizations can run in parallel.
  const createGrants: Cluster['createGrants'] = async (count, application = strictClient) => {
    const grants = [await obtainTokens(instance, application, browser)];
    while (grants.length < count)
      grants.push(
        ...(await Promise.all(
          Array.from({ length: Math.min(8, count - grants.length) }, () =>
            obtainTokens(instance, application, browser),
          ),
        )),
      );
    return grants;
  };
  return { instances, user, browser, strictClient, api, graceClient, createGrants };
}

export const waitUntilAllReady = (instances: Instance[], timeout?: number): Promise<unknown> =>
  waitUntil(
    'every process to be ready',
    async () => (await Promise.all(instances.map(({ process }) => isReady(process)))).every(Boolean),
    timeout,
  );

/** Asserts that all processes are running and have logged no fatal error. */
export function expectAllRunning(instances: Instance[]): void {
  for (const { process } of instances) {
    assert.equal(process.hasExited(), false, `a process exited:\n${process.output().slice(-2000)}`);
    const fatal = process.logs().filter(({ level }) => level === 'fatal' || level === 60);
    assert.deepEqual(fatal, []);
  }
}

/** Asserts that every process rejects the tokens. */
export async function expectRejected(
  instances: Instance[],
  application: TestClient,
  tokens: Tokens[],
): Promise<void> {
  for (const { accessToken, refreshToken } of tokens) {
    for (const instance of instances)
      assert.equal(
        (await fetchUserinfo(instance, accessToken)).status,
        401,
        'a revoked access token is accepted',
      );
    const instance = instances[0] as Instance;
    const { status, body } = await redeemRefreshToken(instance, application, refreshToken);
    assert.deepEqual(
      [status, body.error],
      [400, 'invalid_grant'],
      'a revoked refresh token was not rejected',
    );
  }
}

const post = async (
  instance: Instance,
  { clientId, clientSecret }: TestClient,
  path: string,
  fields: object,
) => (await postForm(instance, path, { client_id: clientId, client_secret: clientSecret, ...fields })).body;

/** Obtains an access token with the client_credentials grant (RFC 6749 §4.4). */
export async function obtainServiceToken({
  instances: [instance],
  strictClient,
  api,
}: Cluster): Promise<string> {
  assert(instance);
  const body = await post(instance, strictClient, '/oauth/token', {
    grant_type: 'client_credentials',
    resource: api.identifier,
  });
  assert.equal(typeof body.access_token, 'string');
  return String(body.access_token);
}

/** Introspects the token on every process and asserts that all responses agree. */
export async function isServiceTokenActive(
  { instances, strictClient }: Cluster,
  token: string,
): Promise<boolean> {
  const results = await Promise.all(
    instances.map(
      async (instance) => (await post(instance, strictClient, '/oauth/introspect', { token })).active,
    ),
  );
  assert.equal(new Set(results).size, 1, 'the processes returned different introspection results');
  return results[0] === true;
}

/** Asserts that the user's password and the client's secret still work. */
export async function expectSignInWorks(cluster: Cluster): Promise<void> {
  const { instances, user, strictClient } = cluster;
  const [instance] = instances;
  assert(instance);
  const tokens = await obtainTokens(instance, strictClient, await openSignedInBrowser(instance, user));
  for (const each of instances) assert.equal((await fetchUserinfo(each, tokens.accessToken)).status, 200);
  assert.equal((await redeemRefreshToken(instance, strictClient, tokens.refreshToken)).status, 200);
  assert.equal(await isServiceTokenActive(cluster, await obtainServiceToken(cluster)), true);
}

export const restartAll = (instances: Instance[], url: string): Promise<Instance[]> =>
  Promise.all(
    instances.map(async (instance) => {
      const PORT = new URL(instance.baseUrl).port;
      const settings = {
        DATABASE_URL: url,
        LOG_LEVEL: 'warn',
        PORT,
        BASE_URL: instance.services.config.baseUrl,
      };
      return { ...instance, process: await startService(settings) };
    }),
  );

/** Stops all processes and asserts that they exit with code 0. */
export async function stopAll(instances: Instance[]): Promise<void> {
  const exits = await Promise.all(instances.map(({ process }) => process.stop()));
  for (const { code } of exits) assert.equal(code, 0, 'a process did not exit cleanly');
}
