// Passkeys as people come by them and use them, page by page, with an authenticator in software.
import { type BrowserSession, openBrowserSession, type Visit } from './browser-session.ts';
import { newPasskey, type Oddity, optionsIn, type SoftwarePasskey } from './passkey.ts';
import type { TestService } from './service.ts';

export const NEW = '/account/security/passkeys/new';

/** Makes a passkey in a browser that is freshly signed in. */
export async function enrol(
  browser: BrowserSession,
  service: Pick<TestService, 'baseUrl'>,
  { passkey = newPasskey(service.baseUrl), odd = {} }: { passkey?: SoftwarePasskey; odd?: Oddity } = {},
): Promise<{ passkey: SoftwarePasskey; answer: Visit }> {
  const page = await browser.get(NEW);
  const made = passkey.creation(optionsIn(page.body, 'create'), odd);
  return { passkey, answer: await browser.post(NEW, { ...page.hidden, passkey: made }) };
}

/** Shows a passkey on the sign-in page. @param another in a browser in which somebody is signed in */
export async function showPasskey(
  service: Pick<TestService, 'baseUrl'>,
  passkey: SoftwarePasskey,
  {
    browser = openBrowserSession(service.baseUrl),
    another = false,
    odd = {},
  }: { browser?: BrowserSession; another?: boolean; odd?: Oddity } = {},
): Promise<{ browser: BrowserSession; page: Visit; shown: string; answer: Visit }> {
  const page = await browser.get(another ? '/signin?another=1' : '/signin');
  const shown = passkey.assertion(optionsIn(page.body, 'sign-in'), odd);
  return {
    browser,
    page,
    shown,
    answer: await browser.post('/signin', { ...page.hidden, passkey: shown }),
  };
}
