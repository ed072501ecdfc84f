// The steps of the console, one function each: opening a form, sending it with what a browser would send.
import type { BrowserSession, Visit } from './browser-session.ts';

/** The fields of a form; a list is sent as repeated fields. */
export type Fields = Record<string, string | readonly string[]>;

export const CALLBACK = 'https://client.example/callback';
export const REGISTRATION: Fields = {
  name: 'Carnet',
  redirect_uris: CALLBACK,
  scopes: ['openid', 'profile', 'email'],
  type: 'confidential',
  standard: 'off',
};

/** Sends fields as a form of our own page. The page that shows what it made is opened, too. */
export async function sendFields(
  browser: BrowserSession,
  address: string,
  fields: Fields,
  headers: Record<string, string> = {},
): Promise<Visit> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat()) body.append(name, one);
  const answer = await browser.send(address, {
    method: 'POST',
    body,
    headers: { 'sec-fetch-site': 'same-origin', ...headers },
  });
  const shows = /\/secrets\/\d+$|\?done=registered$/.test(answer.location?.href ?? '');
  return shows && answer.location ? browser.get(answer.location) : answer;
}

/** Opens the page of a form and sends it back with these fields beside its hidden ones. */
export async function fill(browser: BrowserSession, address: string, fields: Fields = {}): Promise<Visit> {
  const { hidden } = await browser.get(address);
  return sendFields(browser, address, { ...hidden, ...fields });
}

/** Accepts an application on offer. */
export const accept = (browser: BrowserSession, clientId: string, fields: Fields = {}): Promise<Visit> =>
  fill(browser, at(clientId, '/transfer/accept'), fields);

export const NEW = '/console/applications/new';
export const at = (clientId: string, below = ''): string => `/console/applications/${clientId}${below}`;

/** Registers an application through its form. */
export const register = (browser: BrowserSession, fields: Fields = {}): Promise<Visit> =>
  fill(browser, NEW, { ...REGISTRATION, ...fields });

/** What a result page shows: exactly the text of these elements. */
export function credentialsOn({ body }: Visit): { clientId: string; clientSecret: string | undefined } {
  const textOf = (id: string) =>
    new RegExp(`<code class="whole" id="${id}"(?: data-once)?>([^<]*)</code>`).exec(body)?.[1];
  return { clientId: textOf('client-id') ?? '', clientSecret: textOf('client-secret') };
}

/** The settings of an application as its edit form would send them. */
export const SETTINGS: Fields = {
  name: 'Carnet',
  redirect_uris: CALLBACK,
  scopes: ['openid', 'profile', 'email', 'phone'],
  standard: 'off',
  refresh_grace: '0',
  home_page: '',
  privacy_policy: '',
  terms_of_service: '',
};

export const APIS = '/console/apis';
export const NEW_API = `${APIS}/new`;
export const atApi = (apiId: string, below = ''): string => `${APIS}/${apiId}${below}`;

/** What registering an API sends, but for its identifier. */
export const API_REGISTRATION: Fields = {
  name: 'Archives',
  words_fr: 'Vos documents.',
  words_en: 'Your documents.',
  admits: 'applications',
  token_lifetime: '3600',
};

/** Registers an API through its form. */
export const registerApi = (browser: BrowserSession, fields: Fields): Promise<Visit> =>
  fill(browser, NEW_API, { ...API_REGISTRATION, ...fields });

/** The id of an API whose form led to its page. */
export const apiIdOn = ({ location }: Visit): string =>
  /^\/console\/apis\/(api_[\w-]{20})$/.exec(location?.pathname ?? '')?.[1] ?? '';
