// Collects the pages that tests check.
import type { BrowserSession, Visit } from './browser-session.ts';
import { type FormFields, postFields } from './console-forms.ts';

export type Language = 'fr' | 'en';

export interface OpenedPage {
  name: string;
  language: Language;
  status: number;
  visit: Visit;
  /** Whether forms on the page can redirect to the client. */
  isInAuthorization: boolean;
}

export const HOSTILE_NAME = 'Notes & "Cie" <b>';
export const HOSTILE_USER_NAME = 'Zoé "O\'Hara" <i>& Fils';
/** Invalid in every field, and must be escaped in HTML. */
export const HOSTILE_INPUT = '"><b>';

export function createPageList(language: Language) {
  const pages: OpenedPage[] = [];
  /** Adds an opened page. Throws if its language isn't the list's. */
  const add = (name: string, visit: Visit, status = 200, isInAuthorization = false): Visit => {
    if (!visit.body.includes(`<html lang="${language}"`))
      throw new Error(`${name} is not in the language “${language}”`);
    pages.push({ name, language, status, visit, isInAuthorization });
    return visit;
  };
  /** Returns functions that open pages in this browser. */
  const withBrowser = (browser: BrowserSession) => {
    browser.cookies.set('sesame-language', language);
    return {
      openPage: async (path: string | URL, status = 200, isInAuthorization = false) =>
        add(String(path), await browser.follow(await browser.get(path)), status, isInAuthorization),
      submitInvalid: async (
        path: string | URL,
        fields: FormFields = {},
        status = 400,
        isInAuthorization = false,
      ) => {
        const { hidden } = await browser.follow(await browser.get(path));
        const response = await postFields(browser, String(path), { ...hidden, ...fields });
        return add(`POST ${path}`, await browser.follow(response), status, isInAuthorization);
      },
    };
  };
  return { pages, add, withBrowser };
}
