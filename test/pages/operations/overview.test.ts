// The operators' overview and the settings in force: right figures, and no secret anywhere.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SETTINGS } from '../../../src/settings/table.ts';
import { authorize, signedInBrowser } from '../../support/flow.ts';
import { accountPath, applicationPath, type Operator, signedInOperator } from '../../support/operator.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const PREVIOUS = 'an earlier key for tests only: 0123456789abcdef';
const SMTP_PASSWORD = 'p4ssw0rd-of-the-mail-server';
let service: TestService;
let operator: Operator;
beforeAll(async () => {
  service = await startTestService({
    SECRET_KEY_PREVIOUS: PREVIOUS,
    SMTP_URL: `smtp://mailer:${SMTP_PASSWORD}@127.0.0.1:1`,
    MAIL_FROM: 'no-reply@exemple.fr',
    SERVICE_NAME: '<b>Sésame & "Cie"',
    SIGN_UP: 'closed',
    AUDIT_RETENTION: '3600',
  });
  operator = await signedInOperator(service);
});
afterAll(() => service.close());

const figures = async () => {
  const { body } = await operator.browser.get('/console/operations');
  return Object.fromEntries(
    [...body.matchAll(/<dd id="count-(\w+)">([^<]*)</g)].map(([, name, value]) => [name, value]),
  );
};

describe('the overview', () => {
  test('counts accounts, applications, sessions and grants', async () => {
    const before = await figures();
    expect(before).toMatchObject({ accounts: '1', operators: '1', sessions: '1', grants: 'not counted yet' });
    const person = await service.createUser({ emailVerified: true });
    const application = await service.createApplication({ ownerId: person.userId });
    const browser = await signedInBrowser(service, person);
    await authorize(service, application, browser);
    await operator.act(applicationPath(application.clientId, 'verify'));
    await operator.act(applicationPath(application.clientId, 'suspend'));
    await operator.act(accountPath((await service.createUser()).userId, 'suspend'));
    service.parts.pruning.liveGrants = 1234;
    expect(await figures()).toEqual({
      accounts: '3',
      verified: '1',
      suspended: '1',
      operators: '1',
      sessions: '2',
      applications: '1',
      verifiedApplications: '1',
      suspendedApplications: '1',
      grants: '1,234',
    });
  });

  test('shows the version', async () => {
    expect((await operator.browser.get('/console/operations')).body).toMatch(/<dd>\d+\.\d+\.\d+<\/dd>/);
  });
});

describe('the settings in force', () => {
  test('are shown by their names, lifetimes in words; of secrets only that there is one', async () => {
    const { body } = await operator.browser.get('/console/operations/settings');
    const shown = Object.fromEntries(
      [...body.matchAll(/<code>([^<]*)<\/code><\/dt><dd>([^<]*)<\/dd>/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    );
    expect(shown).toMatchObject({
      NODE_ENV: 'test',
      SERVICE_NAME: '&lt;b&gt;Sésame &amp; &quot;Cie&quot;',
      DATABASE_URL: 'set, hidden',
      SECRET_KEY: 'set, hidden',
      SECRET_KEY_PREVIOUS: 'set, hidden',
      SMTP_URL: 'set, hidden',
      MAIL_FROM: 'no-reply@exemple.fr',
      REDIS_URL: 'not set',
      AUDIT_RETENTION: '1\u{a0}hour (3600)',
      SESSION_TTL: '14\u{a0}days (1209600)',
      REFRESH_TOKEN_MAX_TTL: 'no limit (0)',
      RATE_LIMIT_PER_MINUTE: '0',
      SIGN_UP: 'closed',
    });
  });

  test('no page of operators holds a secret', async () => {
    const { databaseUrl, secretKey } = service.parts.config;
    const secrets = [PREVIOUS, SMTP_PASSWORD, `${secretKey}`, new URL(`${databaseUrl}`).pathname];
    for (const page of ['', '/accounts', '/applications', '/audit', '/audit.json', '/settings']) {
      const { body } = await operator.browser.get(`/console/operations${page}`);
      for (const secret of secrets) expect(body.includes(secret), `${page} ${secret}`).toBe(false);
    }
  });

  test('every setting there is has a line that explains it, in a group', async () => {
    const { body } = await operator.browser.get('/console/operations/settings');
    const lines = [...body.matchAll(/<dt>(.+?)<br><code>([^<]+)<\/code><\/dt>/g)];
    for (const [, explained = '', name] of lines) expect(explained.length, name).toBeGreaterThan(8);
    expect(lines.map(([, , name]) => name).toSorted()).toEqual(
      Object.values(SETTINGS)
        .map(({ name }) => name)
        .toSorted(),
    );
    expect([...body.matchAll(/<h2 id="settings-/g)]).toHaveLength(7);
  });
});
