// The overview page and the settings page for administrators.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SETTINGS } from '../../../src/settings/table.ts';
import {
  adminAccountPath,
  adminClientPath,
  createSignedInAdmin,
  type TestAdmin,
} from '../../support/admin.ts';
import { authorize, openSignedInBrowser } from '../../support/oauth-flow.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const PREVIOUS = 'an earlier key for tests only: 0123456789abcdef';
const SMTP_PASSWORD = 'p4ssw0rd-of-the-mail-server';
let service: TestService;
let admin: TestAdmin;
beforeAll(async () => {
  service = await startTestService({
    SECRET_KEY_PREVIOUS: PREVIOUS,
    SMTP_URL: `smtp://mailer:${SMTP_PASSWORD}@127.0.0.1:1`,
    MAIL_FROM: 'no-reply@exemple.fr',
    SERVICE_NAME: '<b>Sésame & "Cie"',
    SIGN_UP: 'closed',
    AUDIT_RETENTION: '3600',
  });
  admin = await createSignedInAdmin(service);
});
afterAll(() => service.close());

const readFigures = async () => {
  const { body } = await admin.browser.get('/console/operations');
  return Object.fromEntries(
    [...body.matchAll(/<dd id="count-(\w+)">([^<]*)</g)].map(([, name, value]) => [name, value]),
  );
};

describe('the overview page', () => {
  test('counts accounts, applications, sessions and grants', async () => {
    const before = await readFigures();
    expect(before).toMatchObject({ accounts: '1', admins: '1', sessions: '1', grants: 'not counted yet' });
    const verifiedUser = await service.createUser({ emailVerified: true });
    const application = await service.createClient({ ownerId: verifiedUser.userId });
    const browser = await openSignedInBrowser(service, verifiedUser);
    await authorize(service, application, browser);
    await admin.submit(adminClientPath(application.clientId, 'verify'));
    await admin.submit(adminClientPath(application.clientId, 'suspend'));
    await admin.submit(adminAccountPath((await service.createUser()).userId, 'suspend'));
    service.services.pruningStats.liveGrants = 1234;
    expect(await readFigures()).toEqual({
      accounts: '3',
      verified: '1',
      suspended: '1',
      admins: '1',
      sessions: '2',
      applications: '1',
      verifiedApplications: '1',
      suspendedApplications: '1',
      grants: '1,234',
    });
  });

  test('shows the version of the service', async () => {
    expect((await admin.browser.get('/console/operations')).body).toMatch(/<dd>\d+\.\d+\.\d+<\/dd>/);
  });
});

describe('the settings page', () => {
  test('shows names and readable durations, but hides the values of secrets', async () => {
    const { body } = await admin.browser.get('/console/operations/settings');
    const settings = Object.fromEntries(
      [...body.matchAll(/<code>([^<]*)<\/code><\/dt><dd>([^<]*)<\/dd>/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    );
    expect(settings).toMatchObject({
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

  test('contains no secrets, like all other administration pages', async () => {
    const { databaseUrl, secretKey } = service.services.config;
    const secrets = [PREVIOUS, SMTP_PASSWORD, `${secretKey}`, new URL(`${databaseUrl}`).pathname];
    for (const page of ['', '/accounts', '/applications', '/audit', '/audit.json', '/settings']) {
      const { body } = await admin.browser.get(`/console/operations${page}`);
      for (const secret of secrets) expect(body.includes(secret), `${page} ${secret}`).toBe(false);
    }
  });

  test('groups and describes all settings', async () => {
    const { body } = await admin.browser.get('/console/operations/settings');
    const rows = [...body.matchAll(/<dt>(.+?)<br><code>([^<]+)<\/code><\/dt>/g)];
    for (const [, description = '', name] of rows) expect(description.length, name).toBeGreaterThan(8);
    expect(rows.map(([, , name]) => name).toSorted()).toEqual(
      Object.values(SETTINGS)
        .map(({ name }) => name)
        .toSorted(),
    );
    expect([...body.matchAll(/<h2 id="settings-/g)]).toHaveLength(7);
  });
});
