// Processes of the service on a database, and people, applications and tokens to try them with.

import { strict as assert } from 'node:assert';
import type { NewApi } from '../../src/store/apis.ts';
import { migrate } from '../../src/store/migrate.ts';
import { grantServiceAccess } from '../support/apis.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { obtainTokens, postForm, renew, signedInBrowser, type Tokens, userinfo } from '../support/flow.ts';
import { isReady, type ServiceProcess, startService } from '../support/process.ts';
import {
  startTestService,
  type TestApplication,
  type TestService,
  type TestUser,
} from '../support/service.ts';
import { until } from '../support/until.ts';

export interface Instance extends TestService {
  process: ServiceProcess;
}

export interface World {
  instances: Instance[];
  person: TestUser;
  /** Signed in, at the first instance. */
  browser: BrowserSession;
  /** Without grace: a superseded refresh token that is used again ends its grant (D15). */
  strict: TestApplication;
  /** Has granted a scope to it on its own account, too. */
  api: NewApi;
  /** With 60 seconds of grace for lost responses (D16). */
  patient: TestApplication;
  /** Tokens of so many new grants. */
  tokens(count: number, application?: TestApplication): Promise<Tokens[]>;
}

/**
 * Migrates the database, makes an account and two applications and starts `count` processes.
 * @param url what the processes get as DATABASE_URL
 * @param directUrl the database without anything in front of it
 */
export async function openWorld(
  count: number,
  url: string,
  { directUrl = url, settings = {} }: { directUrl?: string; settings?: Record<string, string> } = {},
): Promise<World> {
  await migrate(directUrl);
  const environment = { DATABASE_URL: url, LOG_LEVEL: 'warn', ...settings };
  // The first makes the operator of development; the others find it.
  const first = await startService(environment);
  const BASE_URL = first.address;
  const others = Array.from({ length: count - 1 }, () => startService({ ...environment, BASE_URL }));
  const factory = await startTestService({ BASE_URL }, { databaseUrl: directUrl });
  const strict = await factory.createApplication();
  const api = await factory.createApi();
  await grantServiceAccess(factory.parts.database, api, strict);
  const patient = await factory.createApplication({ refreshGrace: 60 });
  const person = await factory.createUser({ email: `ada-${process.hrtime.bigint()}@example.com` });
  await factory.close();
  const instances = [first, ...(await Promise.all(others))].map((service) => ({
    ...factory,
    baseUrl: service.address,
    process: service,
  }));
  const [instance] = instances;
  assert(instance);
  const browser = await signedInBrowser(instance, person);
  // The first of an application asks for consent, which the others find remembered.
  const tokens: World['tokens'] = async (wanted, application = strict) => {
    const made = [await obtainTokens(instance, application, browser)];
    while (made.length < wanted)
      made.push(
        ...(await Promise.all(
          Array.from({ length: Math.min(8, wanted - made.length) }, () =>
            obtainTokens(instance, application, browser),
          ),
        )),
      );
    return made;
  };
  return { instances, person, browser, strict, api, patient, tokens };
}

/** Every process answers /readyz with 200. */
export const allReady = (instances: Instance[], patience?: number): Promise<unknown> =>
  until(
    'every process to be ready',
    async () => (await Promise.all(instances.map(({ process }) => isReady(process)))).every(Boolean),
    patience,
  );

/** No process has ended, or let an error go unhandled. */
export function expectAllAlive(instances: Instance[]): void {
  for (const { process } of instances) {
    assert.equal(process.hasEnded(), false, `a process ended:\n${process.output().slice(-2000)}`);
    const fatal = process.logs().filter(({ level }) => level === 'fatal' || level === 60);
    assert.deepEqual(fatal, []);
  }
}

/** No process accepts any of the tokens, in any way. */
export async function expectDead(
  instances: Instance[],
  application: TestApplication,
  tokens: Tokens[],
): Promise<void> {
  for (const { accessToken, refreshToken } of tokens) {
    for (const instance of instances)
      assert.equal((await userinfo(instance, accessToken)).status, 401, 'a dead access token is accepted');
    const instance = instances[0] as Instance;
    const { status, body } = await renew(instance, application, refreshToken);
    assert.deepEqual([status, body.error], [400, 'invalid_grant'], 'a dead refresh token is renewed');
  }
}

const post = async (
  instance: Instance,
  { clientId, clientSecret }: TestApplication,
  path: string,
  fields: object,
) => (await postForm(instance, path, { client_id: clientId, client_secret: clientSecret, ...fields })).body;

/** An access token that the application gets on its own account (RFC 6749 §4.4). */
export async function ownToken({ instances: [instance], strict, api }: World): Promise<string> {
  assert(instance);
  const body = await post(instance, strict, '/oauth/token', {
    grant_type: 'client_credentials',
    resource: api.identifier,
  });
  assert.equal(typeof body.access_token, 'string');
  return String(body.access_token);
}

/** Whether the processes, all of one mind, say of such a token that it is live. */
export async function isOwnTokenLive({ instances, strict }: World, token: string): Promise<boolean> {
  const answers = await Promise.all(
    instances.map(async (each) => (await post(each, strict, '/oauth/introspect', { token })).active),
  );
  assert.equal(new Set(answers).size, 1, 'processes differ');
  return answers[0] === true;
}

/** A person signs in with the password of old, and an application gets and renews tokens with the secret of old. */
export async function signInAgain(world: World): Promise<void> {
  const { instances, person, strict } = world;
  const [instance] = instances;
  assert(instance);
  const tokens = await obtainTokens(instance, strict, await signedInBrowser(instance, person));
  for (const each of instances) assert.equal((await userinfo(each, tokens.accessToken)).status, 200);
  assert.equal((await renew(instance, strict, tokens.refreshToken)).status, 200);
  assert.equal(await isOwnTokenLive(world, await ownToken(world)), true);
}

/** Processes in the place of those that have ended, at the same addresses. */
export const restart = (instances: Instance[], url: string): Promise<Instance[]> =>
  Promise.all(
    instances.map(async (instance) => {
      const PORT = new URL(instance.baseUrl).port;
      const settings = {
        DATABASE_URL: url,
        LOG_LEVEL: 'warn',
        PORT,
        BASE_URL: instance.parts.config.baseUrl,
      };
      return { ...instance, process: await startService(settings) };
    }),
  );

/** Ends all processes, at once. */
export async function stopAll(instances: Instance[]): Promise<void> {
  const endings = await Promise.all(instances.map(({ process }) => process.stop()));
  for (const { code } of endings) assert.equal(code, 0, 'a process did not end cleanly');
}
