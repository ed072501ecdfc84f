// /account: the state of the account and pending tasks.
import { describe, expect, test } from 'vitest';
import { insertSecret } from '../../../src/store/secrets.ts';
import { findLastEmailTo, readLink } from '../../support/emails.ts';
import { openSignedInBrowser } from '../../support/oauth-flow.ts';
import { PASSWORD, type TestUser, useTestService } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

const service = useTestService();

const loadOverview = async (user: TestUser) =>
  (await (await openSignedInBrowser(service, user)).get('/account')).body.replaceAll('\u00a0', ' ');
const NOTHING_TO_DO = 'Nothing to do.';

describe('the task list', () => {
  test('shows a message if there are no tasks', async () => {
    expect(await loadOverview(await service.createUser({ emailVerified: true }))).toContain(NOTHING_TO_DO);
  });

  test('asks the user to verify the email address', async () => {
    const user = await service.createUser();
    const body = await loadOverview(user);
    expect(body).toContain('Your email address is not verified.');
    expect(body).toContain('href="/account/verify"');
    expect(body).not.toContain(NOTHING_TO_DO);
    const browser = await openSignedInBrowser(service, user);
    const { csrf = '' } = (await browser.get('/account/email')).hidden;
    await browser.post('/account/email', { csrf, new_email: 'later@exemple.fr', current_password: PASSWORD });
    expect((await browser.get('/account')).body).toContain('Confirm your new address later@exemple.fr');
    const link = readLink(await findLastEmailTo(service, 'later@exemple.fr'));
    const confirmationPage = await browser.get(link);
    await browser.post('/security/confirm', { ...confirmationPage.hidden });
    expect((await browser.get('/account')).body).toContain(NOTHING_TO_DO);
  });

  test('asks the owner to replace a client secret that expires soon', async () => {
    const user = await service.createUser({ emailVerified: true });
    const { clientId } = await service.createClient({ name: 'Carnet', ownerId: user.userId });
    const expireSecretIn = (seconds: number) =>
      sql(
        service.services.database,
        `update secrets set expires_at = '${new Date(service.clock.now().getTime() + seconds * 1000).toISOString()}'
        where client_id = '${clientId}'`,
      );
    await expireSecretIn(30 * 86_400);
    expect(await loadOverview(user)).toContain(NOTHING_TO_DO);
    await expireSecretIn(3 * 86_400);
    const body = await loadOverview(user);
    expect(body).toContain('The last secret of Carnet expires on <time');
    expect(body).toContain(`href="/console/applications/${clientId}/secrets"`);
    await insertSecret(
      service.services.database,
      'application',
      clientId,
      'x'.repeat(43),
      service.clock.now(),
    );
    expect(await loadOverview(user)).toContain(NOTHING_TO_DO);
  });

  test('asks the user to respond to a transfer offer', async () => {
    const owner = await service.createUser({ name: 'Olga', emailVerified: true });
    const user = await service.createUser({ emailVerified: true });
    const { clientId } = await service.createClient({ name: 'Agenda', ownerId: owner.userId });
    const browser = await openSignedInBrowser(service, owner);
    const page = await browser.get(`/console/applications/${clientId}/transfer`);
    await browser.post(`/console/applications/${clientId}/transfer`, { ...page.hidden, email: user.email });
    expect(await loadOverview(user)).toContain('Olga is offering you the application Agenda.');
  });
});

describe('the account overview', () => {
  test('shows when the password was set or changed', async () => {
    const user = await service.createUser();
    const [row] = await sql(
      service.services.database,
      `select password_set_at as at from users where id = '${user.userId}'`,
    );
    const createdAt = row?.at as Date;
    const readPasswordTime = (body: string) => /Chosen on <time datetime="([^"]*)"/.exec(body)?.[1];
    expect(readPasswordTime(await loadOverview(user))).toBe(createdAt.toISOString());
    service.clock.advance(3600);
    const browser = await openSignedInBrowser(service, user);
    const { csrf = '' } = (await browser.get('/account/password')).hidden;
    const passwords = { current_password: PASSWORD, new_password: 'four-wandering-otters-77' };
    await browser.post('/account/password', { csrf, ...passwords });
    const changedAt = Date.parse(readPasswordTime((await browser.get('/account')).body) ?? '');
    expect(changedAt - createdAt.getTime()).toBeGreaterThanOrEqual(3_600_000);
  });

  test('shows the number of the user’s other sessions', async () => {
    const user = await service.createUser();
    const body = await loadOverview(user);
    expect(body).toContain('This browser only');
    expect(await loadOverview(user)).toContain('This browser and another: ');
    expect(await loadOverview(user)).toContain('This browser and 2 others. Most recently: ');
  });
});
