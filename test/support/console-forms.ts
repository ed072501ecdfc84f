// Submits the developer console's forms and parses the results.
import type { BrowserSession, Visit } from './browser-session.ts';

/** A list of values is sent as a repeated field. */
export type FormFields = Record<string, string | readonly string[]>;

export const REDIRECT_URI = 'https://client.example/callback';
export const CLIENT_REGISTRATION: FormFields = {
  name: 'Carnet',
  redirect_uris: REDIRECT_URI,
  type: 'web',
};

/** Also follows a redirect to a page with a new secret. */
export async function postFields(
  browser: BrowserSession,
  path: string,
  fields: FormFields,
  headers: Record<string, string> = {},
): Promise<Visit> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    for (const item of [value].flat()) body.append(name, item);
  const response = await browser.send(path, {
    method: 'POST',
    body,
    headers: { 'sec-fetch-site': 'same-origin', ...headers },
  });
  const showsSecret = /\/secrets\/\d+$|\?done=registered$/.test(response.location?.href ?? '');
  return showsSecret && response.location ? browser.get(response.location) : response;
}

export async function submitForm(
  browser: BrowserSession,
  path: string,
  fields: FormFields = {},
): Promise<Visit> {
  const { hidden } = await browser.get(path);
  return postFields(browser, path, { ...hidden, ...fields });
}

export const acceptTransfer = (
  browser: BrowserSession,
  clientId: string,
  fields: FormFields = {},
): Promise<Visit> => submitForm(browser, clientPath(clientId, '/transfer/accept'), fields);

export const NEW_CLIENT_PATH = '/console/applications/new';
export const clientPath = (clientId: string, below = ''): string =>
  `/console/applications/${clientId}${below}`;

export const registerClient = (browser: BrowserSession, fields: FormFields = {}): Promise<Visit> =>
  submitForm(browser, NEW_CLIENT_PATH, { ...CLIENT_REGISTRATION, ...fields });

/** Reads the client ID and the secret from the page that follows registration or secret rotation. */
export function readCredentials({ body }: Visit): { clientId: string; clientSecret: string | undefined } {
  const readElementText = (id: string) =>
    new RegExp(`<code class="whole" id="${id}"(?: data-once)?>([^<]*)</code>`).exec(body)?.[1];
  const clientId = /\/console\/applications\/(app_[\w-]+)\//.exec(body)?.[1] ?? '';
  return { clientId, clientSecret: readElementText('client-secret') };
}

export const CLIENT_SETTINGS: FormFields = {
  name: 'Carnet',
  redirect_uris: REDIRECT_URI,
  scopes: ['openid', 'profile', 'email', 'phone'],
  standard: 'off',
  refresh_grace: '0',
  home_page: '',
  privacy_policy: '',
  terms_of_service: '',
};

export const APIS_PATH = '/console/apis';
export const NEW_API_PATH = `${APIS_PATH}/new`;
export const apiPath = (apiId: string, below = ''): string => `${APIS_PATH}/${apiId}${below}`;

export const API_REGISTRATION: FormFields = {
  name: 'Archives',
  description_fr: 'Vos documents.',
  description_en: 'Your documents.',
  allowed_clients: 'applications',
  token_lifetime: '3600',
};

export const registerApi = (browser: BrowserSession, fields: FormFields): Promise<Visit> =>
  submitForm(browser, NEW_API_PATH, { ...API_REGISTRATION, ...fields });

export const readApiId = ({ location }: Visit): string =>
  /^\/console\/apis\/(api_[\w-]{20})$/.exec(location?.pathname ?? '')?.[1] ?? '';
