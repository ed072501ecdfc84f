// Identity providers: first and second sign-in, linking and unlinking.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listIdentities } from '../../src/store/external-identities.ts';
import { findUserByEmail } from '../../src/store/users.ts';
import { measureOverflow, openBrowser, openTab, signInInTab } from '../support/browser.ts';
import { startExampleClient } from '../support/example-client.ts';
import { useUpstream } from '../support/identity-provider.ts';
import { addUnreachableProvider, disableProvider } from '../support/linked-identities.ts';
import { useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
const upstream = useUpstream(service, { name: 'Upstream', trustedEmailDomains: ['upstream.example'] });
beforeAll(async () => {
  for (const name of ['Deux', 'Trois', 'Quatre', 'Lycée Ada-Lovelace de Villeneuve-d’Ascq'])
    await addUnreachableProvider(service, name.toLowerCase().replace(/\W.*/, ''), name);
});
afterAll(() => browser?.close());

const PHONE = { width: 360, height: 740 };
let userCount = 0;
const nextUser = () => {
  userCount += 1;
  const user = {
    sub: `nina-${userCount}`,
    email: `nina${userCount}@upstream.example`,
    email_verified: true,
    name: 'Nina Simone',
  };
  upstream.user = user;
  return user;
};

describe.skipIf(browser === undefined).each([
  ['fr', true, 'Continuer avec Upstream', 'Créer mon compte', 'Autoriser'],
  ['en', false, 'Continue with Upstream', 'Create my account', 'Allow'],
] as const)('a user (%s, JavaScript: %s)', (language, javaScript, continueText, createText, allowText) => {
  test('can sign up and then sign in through a provider', async () => {
    const user = nextUser();
    const client = await startExampleClient(service);
    const { page, errors, context } = await openTab(browser, { language, javaScript, viewport: PHONE });
    await page.goto(`${client.baseUrl}/login`);
    await page.getByRole('link', { name: continueText }).click();
    await page.getByRole('heading', { name: 'Upstream' }).waitFor();
    expect(await page.inputValue('#name')).toBe('Nina Simone');
    expect(await page.inputValue('#email')).toBe(user.email);
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: createText }).click();
    await page.getByRole('button', { name: allowText }).click();
    await page.waitForURL(`${client.baseUrl}/**`);
    expect(await page.textContent('body')).toContain(user.email);
    const account = await findUserByEmail(service.services.database, user.email);
    await context.clearCookies();
    await page.goto(`${service.baseUrl}/signin`);
    await page.getByRole('link', { name: continueText }).click();
    await page.waitForURL(`${service.baseUrl}/account`);
    expect(
      (await listIdentities(service.services.database, account?.userId ?? ''))[0]?.lastUsedAt,
    ).not.toBeNull();
    expect(errors).toEqual([]);
    await context.close();
    await client.close();
  });
});

describe.skipIf(browser === undefined)('a signed-in user', () => {
  test('can link and unlink an identity', async () => {
    const upstreamUser = nextUser();
    const user = await service.createUser({ emailVerified: true, locale: 'fr' });
    const { page, errors, context } = await openTab(browser, { language: 'fr', viewport: PHONE });
    await signInInTab(page, { service, user });
    await page.goto(`${service.baseUrl}/account/security`);
    await page.getByRole('link', { name: 'Lier un compte' }).click();
    await page.getByRole('link', { name: 'Lier votre compte Upstream' }).click();
    await page.getByRole('heading', { name: 'Lier ce compte Upstream' }).waitFor();
    expect(await page.textContent('main')).toContain(upstreamUser.email);
    await page.getByRole('button', { name: 'Lier ce compte' }).click();
    await page.getByText('Le compte est lié.').waitFor();
    expect(await page.textContent('main')).toContain(upstreamUser.email);
    await page.getByRole('link', { name: 'Dissocier' }).click();
    await page.getByRole('button', { name: 'Dissocier' }).click();
    await page.getByText('Le compte est dissocié.').waitFor();
    expect(await listIdentities(service.services.database, user.userId)).toEqual([]);
    expect(errors).toEqual([]);
    await context.close();
  });

  test('returns to the security page after canceling at the provider', async () => {
    upstream.user = undefined;
    const user = await service.createUser({ emailVerified: true, locale: 'fr' });
    const { page, context } = await openTab(browser, { language: 'fr' });
    await signInInTab(page, { service, user });
    await page.goto(`${service.baseUrl}/account/security/identities/new`);
    await page.getByRole('link', { name: 'Lier votre compte Upstream' }).click();
    await page.getByText('Vous avez annulé la connexion').waitFor();
    expect(new URL(page.url()).pathname).toBe('/account/security');
    await context.close();
  });
});

describe.skipIf(browser === undefined)('an anonymous user', () => {
  test('can link an identity to an existing account', async () => {
    const upstreamUser = nextUser();
    const user = await service.createUser({ emailVerified: true, locale: 'fr' });
    const client = await startExampleClient(service);
    const { page, errors, context } = await openTab(browser, { language: 'fr', viewport: PHONE });
    await page.goto(`${client.baseUrl}/login`);
    await page.getByRole('link', { name: 'Continuer avec Upstream' }).click();
    await page.getByRole('link', { name: 'J’ai déjà un compte' }).click();
    await page.fill('#email', user.email);
    await page.fill('#password', user.password);
    await page.click('form:has(#password) button[type=submit]');
    await page.getByRole('button', { name: 'Lier ce compte' }).click();
    await page.getByRole('button', { name: 'Autoriser' }).click();
    await page.waitForURL(`${client.baseUrl}/**`);
    const [identity] = await listIdentities(service.services.database, user.userId);
    expect(identity?.subject).toBe(upstreamUser.sub);
    expect(errors).toEqual([]);
    await context.close();
    await client.close();
  });

  test('can sign in with a password after canceling at the provider', async () => {
    upstream.user = undefined;
    const { page, context } = await openTab(browser, { language: 'fr', viewport: PHONE });
    await page.goto(`${service.baseUrl}/signin`);
    await page.getByRole('link', { name: 'Continuer avec Upstream' }).click();
    await page.getByText('Vous avez annulé la connexion').waitFor();
    expect(await page.isVisible('#email')).toBe(true);
    await context.close();
  });

  test('cannot sign in through a disabled provider', async () => {
    nextUser();
    const { page, context } = await openTab(browser, { language: 'fr', viewport: PHONE });
    await page.goto(`${service.baseUrl}/signin`);
    await disableProvider(service, 'upstream');
    await page.getByRole('link', { name: 'Continuer avec Upstream' }).click();
    await page.getByRole('heading', { name: 'Upstream n’est plus proposé ici' }).waitFor();
    await disableProvider(service, 'upstream', null);
    await page.getByRole('link', { name: 'Se connecter autrement' }).click();
    await page.getByRole('link', { name: 'Continuer avec Upstream' }).waitFor();
    await context.close();
  });

  test('sees four providers and can expand a list of the rest', async () => {
    const { page, context } = await openTab(browser, { language: 'fr', viewport: PHONE, javaScript: false });
    await page.goto(`${service.baseUrl}/signin`);
    const links = page.locator('a.provider:visible');
    expect(await links.count()).toBe(4);
    await page.getByText('Autres services').click();
    expect(await links.count()).toBe(5);
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0);
    await context.close();
  });
});
