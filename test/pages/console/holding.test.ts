// The secrets of an API in the console: made and shown once, overlapping, ended by number, as those of applications are.
import { describe, expect, test } from 'vitest';
import { isApiSecretShaped } from '../../../src/oauth/secrets.ts';
import { listEvents } from '../../../src/store/events.ts';
import { expireFormerSecrets, listSecrets } from '../../../src/store/secrets.ts';
import { atApi } from '../../support/api-console.ts';
import { introspect } from '../../support/apis.ts';
import { at, credentialsOn, fill, register } from '../../support/console.ts';
import { databaseContent } from '../../support/database-content.ts';
import { signedInBrowser } from '../../support/flow.ts';
import { PASSWORD, useTestService } from '../../support/service.ts';

const service = useTestService();

const secretOn = (body: string): string =>
  /<code class="whole" id="api-secret" data-once>([^<]*)</.exec(body)?.[1] ?? '';

async function owned() {
  const user = await service.createUser();
  const api = await service.createApi({ ownerId: user.userId });
  const browser = await signedInBrowser(service, user);
  const secrets = atApi(api.apiId, '/secrets');
  const make = async (overlap = '86400') => (await fill(browser, secrets, { overlap })).body;
  const works = async (secret: string) => (await introspect(service, { ...api, secret }, 'x')).status === 200;
  const numbers = async () =>
    (await listSecrets(service.parts.database, user.userId, api.apiId, service.clock.now())).map(
      ({ number }) => number,
    );
  return { user, api, browser, secrets, make, works, numbers };
}

describe('a new secret', () => {
  test('is shown with the api_id, works where tokens are asked about, and is kept nowhere', async () => {
    const { api, make, works } = await owned();
    const body = await make();
    const secret = secretOn(body);
    expect(isApiSecretShaped(secret)).toBe(true);
    expect(body).toContain(`id="api-id">${api.apiId}<`);
    expect(await works(secret)).toBe(true);
    expect(await databaseContent(service.databaseUrl)).not.toContain(secret);
  });

  test('is shown once', async () => {
    const { browser, api, make } = await owned();
    const secret = secretOn(await make());
    expect((await browser.get(atApi(api.apiId, '/secrets/1'))).body).not.toContain(secret);
  });

  test('of a form that is sent again is the same one', async () => {
    const { browser, make, secrets, numbers } = await owned();
    await make();
    const { hidden } = await browser.get(secrets);
    const send = () => browser.post(secrets, { ...hidden, overlap: '0' });
    const first = await send();
    service.clock.advance(60);
    expect((await send()).location?.href).toBe(first.location?.href);
    expect(await numbers()).toEqual([2]);
  });

  test('works beside the one before it for the overlap, then alone', async () => {
    const { make, works, numbers } = await owned();
    const [old, fresh] = [secretOn(await make()), secretOn(await make('3600'))];
    expect([await works(old), await works(fresh), await numbers()]).toEqual([true, true, [2, 1]]);
    service.clock.advance(3600);
    expect([await works(old), await works(fresh)]).toEqual([false, true]);
  });

  test('needs a recent sign-in, or the password', async () => {
    const { browser, make, numbers, secrets } = await owned();
    service.clock.advance(16 * 60);
    expect(secretOn(await make())).toBe('');
    expect(await numbers()).toEqual([]);
    const made = await fill(browser, secrets, { overlap: '0', current_password: PASSWORD });
    expect(secretOn(made.body)).not.toBe('');
  });
});

describe('ending one', () => {
  test('counts at once, and is in the audit log as its making is', async () => {
    const { browser, api, user, make, works } = await owned();
    const secret = secretOn(await make());
    const answer = await fill(browser, atApi(api.apiId, '/secrets/1/end'));
    expect(answer.location?.search).toBe('?done=ended');
    expect(await works(secret)).toBe(false);
    const events = await listEvents(service.parts.database, { apiId: api.apiId }, { limit: 5 });
    expect(events.map(({ kind, actorId, detail }) => [kind, actorId, detail.number])).toEqual([
      ['api_secret_ended', user.userId, 1],
      ['api_secret_rotated', user.userId, 1],
    ]);
  });
});

test('the last one that is about to end is named in its owner’s overview', async () => {
  const { browser, api, make, user } = await owned();
  await make();
  const said = async () =>
    (await browser.get('/account')).body.includes('The last secret of the API Archives');
  expect(await said()).toBe(false);
  const ends = new Date(service.clock.now().getTime() + 3600_000);
  await expireFormerSecrets(service.parts.database, api.apiId, 2, ends, service.clock.now());
  expect(await said(), user.email).toBe(true);
});

describe('whose they are', () => {
  test('neither an API’s id nor an application’s opens the pages of the other', async () => {
    const { browser, api } = await owned();
    const { clientId } = credentialsOn(await register(browser));
    expect((await browser.get(at(api.apiId, '/secrets'))).status).toBe(404);
    expect((await browser.get(atApi(clientId, '/secrets'))).status).toBe(404);
  });
});

test('the API’s page says that there is none yet, until there is a secret', async () => {
  const { browser, api, make } = await owned();
  const said = async () =>
    (await browser.get(atApi(api.apiId))).body.includes('Your API has to check every token');
  expect(await said()).toBe(true);
  await make();
  expect(await said()).toBe(false);
});
