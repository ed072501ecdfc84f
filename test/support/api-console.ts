// The steps of the console's section of APIs, one function each.
import type { BrowserSession, Visit } from './browser-session.ts';
import { type Fields, fill } from './console.ts';

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
