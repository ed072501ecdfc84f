// The overview of an account says how it stands and what is worth doing.
import { describe, expect, test } from 'vitest';
import { insertSecret } from '../../../src/store/secrets.ts';
import { signedInBrowser } from '../../support/flow.ts';
import { lastMailTo, linkIn } from '../../support/mail.ts';
import { sql } from '../../support/populate.ts';
import { PASSWORD, type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();

const overviewOf = async (user: TestUser) =>
  (await (await signedInBrowser(service, user)).get('/account')).body.replaceAll('\u00a0', ' ');
const NOTHING = 'All is well: there is nothing to do.';

describe('what is worth doing', () => {
  test('nothing, where all is well', async () => {
    expect(await overviewOf(await service.createUser({ emailVerified: true }))).toContain(NOTHING);
  });

  test('verifying an address; and confirming a change of it', async () => {
    const user = await service.createUser();
    const body = await overviewOf(user);
    expect(body).toContain('Your email address is not verified.');
    expect(body).toContain('href="/account/verify"');
    expect(body).not.toContain(NOTHING);
    const browser = await signedInBrowser(service, user);
    const { csrf = '' } = (await browser.get('/account/email')).hidden;
    await browser.post('/account/email', { csrf, new_email: 'later@exemple.fr', current_password: PASSWORD });
    expect((await browser.get('/account')).body).toContain('Your change to later@exemple.fr is waiting');
    const link = linkIn(await lastMailTo(service, 'later@exemple.fr'));
    const confirm = await browser.get(link);
    await browser.post('/security/confirm', { ...confirm.hidden });
    expect((await browser.get('/account')).body).toContain(NOTHING);
  });

  test('a secret about to end where no other is left, not one that another stands in for', async () => {
    const user = await service.createUser({ emailVerified: true });
    const { clientId } = await service.createApplication({ name: 'Carnet', ownerId: user.userId });
    const end = (seconds: number) =>
      sql(
        service.parts.database,
        `update secrets set expires_at = '${new Date(service.clock.now().getTime() + seconds * 1000).toISOString()}'
        where client_id = '${clientId}'`,
      );
    await end(30 * 86_400);
    expect(await overviewOf(user)).toContain(NOTHING);
    await end(3 * 86_400);
    const body = await overviewOf(user);
    expect(body).toContain('The last secret of Carnet expires on <time');
    expect(body).toContain(`href="/console/applications/${clientId}/secrets"`);
    await insertSecret(service.parts.database, 'application', clientId, 'x'.repeat(43), service.clock.now());
    expect(await overviewOf(user)).toContain(NOTHING);
  });

  test('an application that somebody offers', async () => {
    const owner = await service.createUser({ name: 'Olga', emailVerified: true });
    const user = await service.createUser({ emailVerified: true });
    const { clientId } = await service.createApplication({ name: 'Agenda', ownerId: owner.userId });
    const browser = await signedInBrowser(service, owner);
    const page = await browser.get(`/console/applications/${clientId}/transfer`);
    await browser.post(`/console/applications/${clientId}/transfer`, { ...page.hidden, email: user.email });
    expect(await overviewOf(user)).toContain('Olga is offering you the application Agenda.');
  });
});

describe('how it stands', () => {
  test('when the password was chosen, and again after it was changed', async () => {
    const user = await service.createUser();
    const [row] = await sql(
      service.parts.database,
      `select password_chosen_at as at from users where id = '${user.userId}'`,
    );
    const created = row?.at as Date;
    const chosen = (body: string) => /Chosen <time datetime="([^"]*)"/.exec(body)?.[1];
    expect(chosen(await overviewOf(user))).toBe(created.toISOString());
    service.clock.advance(3600);
    const browser = await signedInBrowser(service, user);
    const { csrf = '' } = (await browser.get('/account/password')).hidden;
    const passwords = { current_password: PASSWORD, new_password: 'four-wandering-otters-77' };
    await browser.post('/account/password', { csrf, ...passwords });
    const later = Date.parse(chosen((await browser.get('/account')).body) ?? '');
    expect(later - created.getTime()).toBeGreaterThanOrEqual(3_600_000);
  });

  test('where else the account is open', async () => {
    const user = await service.createUser();
    const body = await overviewOf(user);
    expect(body).toContain('This browser only');
    expect(await overviewOf(user)).toContain('This browser and another: ');
    expect(await overviewOf(user)).toContain('This browser and 2 others. Most recently: ');
  });
});
