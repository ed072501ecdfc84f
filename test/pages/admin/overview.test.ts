// The administration overview and settings pages.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SETTINGS } from '../../../src/settings/table.ts';
import { storeDocument } from '../../../src/store/agents.ts';
import { recordEvent } from '../../../src/store/audit-log.ts';
import {
  adminAccountPath,
  adminClientPath,
  createSignedInAdmin,
  type TestAdmin,
} from '../../support/admin.ts';
import { readText } from '../../support/markup.ts';
import { authorize, openSignedInBrowser } from '../../support/oauth-flow.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const PREVIOUS_SECRET_KEY = 'an earlier key for tests only: 0123456789abcdef';
const SMTP_PASSWORD = 'p4ssw0rd-of-the-mail-server';
let service: TestService;
let admin: TestAdmin;
beforeAll(async () => {
  service = await startTestService({
    SECRET_KEY_PREVIOUS: PREVIOUS_SECRET_KEY,
    SMTP_URL: `smtp://mailer:${SMTP_PASSWORD}@127.0.0.1:1`,
    MAIL_FROM: 'no-reply@exemple.fr',
    SERVICE_NAME: '<b>Sésame & "Cie"',
    SIGN_UP: 'closed',
    AUDIT_RETENTION: '3600',
  });
  admin = await createSignedInAdmin(service);
});
afterAll(() => service.close());

const DAY = 24 * 3600 * 1000;
const AGENT_URL = 'https://scribe.example/agent.json';
const minutesFromNow = (minutes: number) => new Date(service.clock.now().getTime() + minutes * 60_000);

async function createAgent(): Promise<void> {
  const now = service.clock.now();
  const agent = { clientId: AGENT_URL, name: 'Scribe', redirectUris: ['http://localhost/cb'], jwks: null };
  const document = { ...agent, origin: 'https://scribe.example', etag: null, freshUntil: now };
  await storeDocument(service.services.database, document, 10, now);
}

const readFigures = async () => {
  const { body } = await admin.browser.get('/console/operations');
  return Object.fromEntries(
    [...body.matchAll(/<dd id="count-(\w+)">([^<]*)</g)].map(([, name, value]) => [name, value]),
  );
};

describe('the overview page', () => {
  test('counts accounts, applications, APIs, agents, sessions and grants', async () => {
    const before = await readFigures();
    expect(before).toMatchObject({ accounts: '1', admins: '1', sessions: '1', grants: 'not counted yet' });
    const owner = await service.createUser();
    const application = await service.createClient({ ownerId: owner.userId });
    await service.createApi({ ownerId: owner.userId });
    await createAgent();
    const browser = await openSignedInBrowser(service, owner);
    await authorize(service, application, browser);
    service.services.pruningStats.liveGrants = 1234;
    expect(await readFigures()).toEqual({
      accounts: '2',
      admins: '1',
      sessions: '2',
      applications: '1',
      apis: '1',
      agents: '1',
      grants: '1,234',
    });
  });

  test('shows the version of the service', async () => {
    expect((await admin.browser.get('/console/operations')).body).toMatch(
      /id="version">Version \d+\.\d+\.\d+</,
    );
  });

  test('shows totals and sparklines for the last 14 days', async () => {
    const { activity, database } = service.services;
    const today = service.clock.now();
    activity.countServiceEvent('signed_up', new Date(today.getTime() - 13 * DAY), 30);
    activity.countServiceEvent('signed_up', new Date(today.getTime() - 14 * DAY), 7); // before the period
    activity.countServiceEvent('signed_up', today, 12);
    const { body } = await admin.browser.get('/console/operations');
    const [, tile = ''] = /<li class="tile" id="activity-signed_up">(.*?)<\/li>/s.exec(body) ?? [];
    expect(readText(tile).trim()).toBe('New accounts 42');
    expect(tile).toMatch(/role="img" aria-label="New accounts\. .*: 42 in total, peak of 30 \(/);
    expect(tile.match(/<path/g)).toHaveLength(14);
    expect(body.match(/<li class="tile[ "]/g)).toHaveLength(4);
    await database.query({ name: '', text: 'delete from activity' }, []);
  });

  test('shows each of the latest events on one line', async () => {
    const { database } = service.services;
    const at = service.clock.now();
    const event = { kind: 'account_suspended', actorId: admin.user.userId } as const;
    const { userId, email } = await service.createUser();
    await recordEvent(database, { ...event, userId }, at);
    const { body } = await admin.browser.get('/console/operations');
    const lines = [...body.matchAll(/<li><time.*?<\/time> (.*?)<\/li>/gs)].map(([, line = '']) =>
      readText(line).trim(),
    );
    expect(lines[0]).toBe(`Account suspended ${admin.user.email} ${email}`);
    expect(lines.length).toBeLessThanOrEqual(7);
  });
});

describe('the list of problems', () => {
  const readProblems = async (path = '/console/operations', visitor = admin.browser) => {
    const { body } = await visitor.get(path);
    const rows = body.matchAll(
      /<li[^>]*><svg.*?<\/svg><a href="([^"]*)">(.*?)<\/a>(?: <strong>(.*?)<\/strong>)?<\/li>/gs,
    );
    return [...rows].map(([, href, text = '', count]) => [
      readText(text),
      count,
      href?.replaceAll('&amp;', '&'),
    ]);
  };
  const runSql = (text: string) => service.services.database.query({ name: '', text }, []);

  test('shows “all good” if it is empty', async () => {
    expect(await readProblems()).toEqual([]);
    const { body } = await admin.browser.get('/console/operations');
    expect(readText(/<p class="attention.*?<\/p>/s.exec(body)?.[0] ?? '')).toBe('All good');
  });

  test('includes a missing mail server', async () => {
    const other = await startTestService();
    const { browser } = await createSignedInAdmin(other);
    expect(await readProblems('/console/operations', browser)).toEqual([
      ['No email server is configured', undefined, '/console/operations/settings#SMTP_URL'],
    ]);
    await other.close();
  });

  test('includes suspended accounts, applications and APIs but not agents', async () => {
    const { userId } = await service.createUser();
    const { clientId } = await service.createClient();
    const { apiId } = await service.createApi();
    await createAgent();
    const agentPath = `/console/operations/agents/${encodeURIComponent(AGENT_URL)}`;
    const paths = [adminAccountPath(userId), adminClientPath(clientId), `/console/operations/apis/${apiId}`];
    for (const path of paths) await admin.submit(`${path}/suspend`);
    await admin.submit(`${agentPath}/block`);
    expect(await readProblems()).toEqual([
      ['Suspended accounts', '1', '/console/operations/accounts?state=suspended'],
      ['Suspended applications', '1', '/console/operations/applications?state=suspended'],
      ['Suspended APIs', '1', '/console/operations/apis?state=suspended'],
    ]);
    for (const path of paths) await admin.submit(`${path}/unsuspend`);
    await admin.submit(`${agentPath}/unblock`);
    expect(await readProblems()).toEqual([]);
  });

  test('includes reports of unauthorized activity for 14 days', async () => {
    const { database } = service.services;
    const { userId } = await service.createUser();
    const report = { kind: 'unauthorized_activity_reported', actorId: userId, userId } as const;
    const now = service.clock.now().getTime();
    await recordEvent(database, report, new Date(now - 14 * DAY - 1000));
    expect(await readProblems()).toEqual([]);
    await recordEvent(database, report, new Date(now - 14 * DAY + 60_000));
    const [row] = await readProblems();
    expect(row).toEqual([
      'Reports of unauthorized activity in 14 days',
      '1',
      '/console/operations/audit?kind=unauthorized_activity_reported',
    ]);
    expect((await admin.browser.get(`${row?.[2]}`)).body).toContain(userId);
    await runSql(`delete from events where kind = 'unauthorized_activity_reported'`);
  });

  test('includes emails queued for over ten minutes', async () => {
    const queueEmail = (minutesAgo: number, minutesLeft: number) =>
      service.services.database.query(
        {
          name: '',
          text: `insert into outbox (user_id, id, sealed, created_at, expires_at, next_attempt_at)
            values (gen_random_uuid(), gen_random_uuid(), 'sealed', $1::timestamptz, $2::timestamptz, $2::timestamptz)`,
        },
        [minutesFromNow(-minutesAgo), minutesFromNow(minutesLeft)],
      );
    await queueEmail(9, 60);
    await queueEmail(60, -1);
    expect(await readProblems()).toEqual([]);
    await queueEmail(11, 60);
    expect(await readProblems()).toEqual([
      ['Emails not sent after 10 minutes', '1', '/console/operations/settings#SMTP_URL'],
    ]);
    await runSql('delete from outbox');
  });

  test('includes applications with failed logout notifications', async () => {
    const { clientId } = await service.createClient({ name: 'Notes & <b>' });
    const insertDelivery = (result: string, createdAt = minutesFromNow(-5)) =>
      service.services.database.query(
        {
          name: '',
          text: `insert into logout_deliveries (client_id, user_id, sid, created_at, ${result.split(' = ')[0]})
            values ($1::text, gen_random_uuid(), gen_random_uuid(), $2::timestamptz, ${result.split(' = ')[1]})`,
        },
        [clientId, createdAt],
      );
    await insertDelivery('attempts = 0');
    await insertDelivery(`last_error = 'no_uri'`);
    await insertDelivery(`delivered_at = now()`);
    await insertDelivery(`last_error = 'timeout'`, minutesFromNow(-49 * 60));
    expect(await readProblems()).toEqual([]);
    await insertDelivery(`last_error = 'timeout'`);
    await insertDelivery(`last_error = 'refused'`);
    expect(await readProblems()).toEqual([
      ['Sign-outs not delivered to Notes & <b>', '2', adminClientPath(clientId)],
    ]);
    await runSql('delete from logout_deliveries');
  });

  test('includes signing keys that can’t be decrypted', async () => {
    const [key] = await runSql('select kid, private_key_sealed as sealed from signing_keys limit 1');
    const setSealedKey = (sealed: unknown) =>
      service.services.database.query(
        { name: '', text: 'update signing_keys set private_key_sealed = $2 where kid = $1' },
        [key?.kid, sealed],
      );
    await setSealedKey('sealed with another key');
    expect(await readProblems()).toEqual([
      ['SECRET_KEY does not decrypt the signing keys', undefined, '/console/operations/settings#SECRET_KEY'],
    ]);
    await setSealedKey(key?.sealed);
  });

  test.each([
    ['a full rotation period ago', '7776000', 90],
    ['a year ago if scheduled rotation is off', '0', 365],
  ])('includes signing keys that were activated %s', async (_, SIGNING_KEY_ROTATION, days) => {
    const other = await startTestService({
      SIGNING_KEY_ROTATION,
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'no-reply@exemple.fr',
    });
    const user = await other.createUser({ isAdmin: true });
    const read = async () => readProblems('/console/operations', await openSignedInBrowser(other, user));
    await other.services.database.query(
      { name: '', text: 'update signing_keys set signs_from = $1::timestamptz' },
      [other.clock.now()],
    );
    other.clock.advance(days * 24 * 3600 - 60);
    expect(await read()).toEqual([]);
    other.clock.advance(61);
    expect(await read()).toEqual([
      ['Signing keys are due for rotation', undefined, '/console/operations/settings#SIGNING_KEY_ROTATION'],
    ]);
    await other.close();
  });
});

describe('the settings page', () => {
  const readSettings = async () => {
    const { body } = await admin.browser.get('/console/operations/settings');
    const [changed = '', defaults = ''] = body.split('<h2 id="defaults">');
    const read = (part: string) =>
      [...part.matchAll(/<dt><code>([^<]*)<\/code><\/dt><dd>(.*?)<\/dd><dd[^>]*>(.*?)<\/dd>/g)].map(
        ([, name = '', value = '', description = '']) => ({ name, value: readText(value), description }),
      );
    return { changed: read(changed), defaults: read(defaults), body };
  };
  const mapValuesByName = (rows: { name: string; value: string }[]) =>
    Object.fromEntries(rows.map(({ name, value }) => [name, value]));

  test('hides the values of secrets', async () => {
    const { changed, defaults, body } = await readSettings();
    expect(body).toContain('1\u{a0}hour (3600)');
    expect(mapValuesByName([...changed, ...defaults])).toMatchObject({
      NODE_ENV: 'test default: development',
      SERVICE_NAME: '<b>Sésame & "Cie" default: Sésame',
      DATABASE_URL: 'set, hidden',
      SECRET_KEY: 'set, hidden',
      SECRET_KEY_PREVIOUS: 'set, hidden',
      SMTP_URL: 'set, hidden',
      MAIL_FROM: 'no-reply@exemple.fr',
      REDIS_URL: 'not set',
      AUDIT_RETENTION: '1 hour (3600) default: 90 days (7776000)',
      SESSION_TTL: '14 days (1209600)',
      REFRESH_TOKEN_MAX_TTL: 'no limit (0)',
      RATE_LIMIT_PER_MINUTE: '0 no limit default: 60',
      HOURLY_LIMITS: 'off no limit default: on',
      SIGN_UP: 'closed default: open',
    });
  });

  test('lists settings with warnings first, then changed settings', async () => {
    const { changed, defaults, body } = await readSettings();
    const [warned = ''] = body.split('<h2 id="changed">');
    expect([...warned.matchAll(/<dt><code>(.*?)</g)].map(([, name]) => name)).toEqual([
      'RATE_LIMIT_PER_MINUTE',
      'HOURLY_LIMITS',
    ]);
    expect(Object.keys(mapValuesByName(changed))).toEqual(
      expect.arrayContaining([
        'SERVICE_NAME',
        'SIGN_UP',
        'SMTP_URL',
        'MAIL_FROM',
        'AUDIT_RETENTION',
        'NODE_ENV',
      ]),
    );
    // These settings' defaults depend on other settings.
    for (const name of ['BASE_URL', 'MFA_POLICY', 'PASSKEY_RP_ID', 'SESSION_TTL', 'AGENTS', 'LOGO_FILE'])
      expect(mapValuesByName(defaults)).toHaveProperty(name);
  });

  test('does not contain any secrets', async () => {
    const { databaseUrl, secretKey } = service.services.config;
    const secrets = [PREVIOUS_SECRET_KEY, SMTP_PASSWORD, `${secretKey}`, new URL(`${databaseUrl}`).pathname];
    for (const page of [
      '',
      '/accounts',
      '/applications',
      '/audit',
      '/audit.json',
      '/audit.csv',
      '/settings',
    ]) {
      const { body } = await admin.browser.get(`/console/operations${page}`);
      for (const secret of secrets) expect(body.includes(secret), `${page} ${secret}`).toBe(false);
    }
  });

  test('describes each setting once', async () => {
    const { changed, defaults, body } = await readSettings();
    const rows = [...changed, ...defaults];
    for (const { name, description } of rows) expect(description.length, name).toBeGreaterThan(8);
    expect(rows.map(({ name }) => name).toSorted()).toEqual(
      Object.values(SETTINGS)
        .map(({ name }) => name)
        .toSorted(),
    );
    const groups = [...body.matchAll(/<details class="folded">\s*<summary>(.*?)<\/summary>/g)];
    // The email settings differ from their defaults, so their group is absent.
    expect(groups.map(([, summary = '']) => readText(summary))).toEqual([
      expect.stringMatching(/^Identity and appearance \d+$/),
      expect.stringMatching(/^Accounts and sessions \d+$/),
      expect.stringMatching(/^Tokens and applications \d+$/),
      expect.stringMatching(/^Network and limits \d+$/),
      'Retention 1',
      expect.stringMatching(/^Process, database and secrets \d+$/),
    ]);
  });
});
