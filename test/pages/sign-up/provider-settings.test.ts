// Sign-up through a provider if sign-up is closed, email is unavailable, or a rate limit applies.
import { expect, test } from 'vitest';
import { listIdentities } from '../../../src/store/external-identities.ts';
import { findUserByEmail } from '../../../src/store/users.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { listEmailsTo } from '../../support/emails.ts';
import {
  addProvider,
  followThroughProvider,
  signInThroughProvider,
  startUpstream,
} from '../../support/identity-provider.ts';
import { listUrls, readFormErrors, readMain } from '../../support/markup.ts';
import { startTestService } from '../../support/service.ts';

const PROVIDER_SIGN_UP_PATH = '/signup/provider';
const submitSignUp = (browser: BrowserSession, page: Visit, fields: { email: string }) =>
  browser.post(PROVIDER_SIGN_UP_PATH, { ...page.hidden, name: 'Nina Simone', ...fields });

test('signing in through a provider creates no account if sign-up is closed', async () => {
  const closed = await startTestService({ SIGN_UP: 'closed' });
  const provider = await startUpstream(closed.baseUrl);
  try {
    await addProvider(closed, { ...provider, trustedEmailDomains: ['upstream.example'] });
    const browser = openBrowserSession(closed.baseUrl);
    const page = await followThroughProvider(browser, await browser.get('/signin/provider/upstream'));
    expect(page.body).toContain('Sign-up is closed');
    expect(page.body).not.toContain('action="/signup/provider"');
    const { identity = '' } = Object.fromEntries(
      new URLSearchParams(/identity%3D([\w-]+)/.exec(page.body)?.[0].replace('%3D', '=') ?? ''),
    );
    const { hidden } = await browser.get('/signin');
    const forged = await browser.post(PROVIDER_SIGN_UP_PATH, {
      ...hidden,
      identity,
      name: 'Nina',
      email: 'ada@upstream.example',
    });
    expect(forged.status).toBe(403);
    expect(await findUserByEmail(closed.services.database, 'ada@upstream.example')).toBeUndefined();
  } finally {
    await provider.close();
    await closed.close();
  }
});

test('expired links lead to sign-in if sign-up is closed', async () => {
  await using closed = await startTestService({ SIGN_UP: 'closed' });
  const browser = openBrowserSession(closed.baseUrl);
  for (const path of [`${PROVIDER_SIGN_UP_PATH}/confirm?token=x`, `${PROVIDER_SIGN_UP_PATH}/sent?token=x`]) {
    const page = await browser.get(path);
    expect(page.status, path).toBe(400);
    const links = listUrls(readMain(page.body));
    expect([links.includes('/signin'), links.includes('/signup')], path).toEqual([true, false]);
  }
});

test('provider sign-up without a mail server reports a taken email address', async () => {
  const serviceWithoutEmail = await startTestService();
  const provider = await startUpstream(serviceWithoutEmail.baseUrl);
  try {
    serviceWithoutEmail.services.mailer.available = false; // as in production without SMTP_URL
    await addProvider(serviceWithoutEmail, provider);
    const browser = openBrowserSession(serviceWithoutEmail.baseUrl);
    const page = await signInThroughProvider(browser);
    const taken = await serviceWithoutEmail.createUser();
    const refused = await submitSignUp(browser, page, { email: taken.email });
    expect(readFormErrors(refused.body)[0]).toContain('could not create an account with this address');
    expect(await listIdentities(serviceWithoutEmail.services.database, taken.userId)).toEqual([]);
    const created = await submitSignUp(browser, refused, { email: 'free@upstream.example' });
    expect(created.location?.pathname).toBe('/account');
    expect(
      await findUserByEmail(serviceWithoutEmail.services.database, 'free@upstream.example'),
    ).toMatchObject({
      emailVerified: false,
    });
  } finally {
    await provider.close();
    await serviceWithoutEmail.close();
  }
});

test('provider sign-up counts toward the hourly sign-up limit', async () => {
  const limited = await startTestService({ HOURLY_LIMITS: 'on' });
  const provider = await startUpstream(limited.baseUrl);
  try {
    await addProvider(limited, provider);
    const browser = openBrowserSession(limited.baseUrl);
    const page = await signInThroughProvider(browser);
    const statuses: number[] = [];
    for (let i = 0; i < 21; i++)
      statuses.push((await submitSignUp(browser, page, { email: `nina${i}@upstream.example` })).status);
    expect(statuses).toEqual([...Array(20).fill(303), 429]);
  } finally {
    await provider.close();
    await limited.close();
  }
});

test('provider sign-up sends at most five emails per hour to an email address', async () => {
  const limited = await startTestService({ HOURLY_LIMITS: 'on' });
  const provider = await startUpstream(limited.baseUrl);
  try {
    await addProvider(limited, provider);
    const browser = openBrowserSession(limited.baseUrl);
    const page = await signInThroughProvider(browser);
    for (let i = 0; i < 7; i++)
      expect((await submitSignUp(browser, page, { email: 'nina@upstream.example' })).status).toBe(303);
    expect(await listEmailsTo(limited, 'nina@upstream.example')).toHaveLength(5);
  } finally {
    await provider.close();
    await limited.close();
  }
});
