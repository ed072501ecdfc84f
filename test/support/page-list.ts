// Collects pages in both languages, for tests that check every page.
import type { BrowserSession, Visit } from './browser-session.ts';
import { type FormFields, postFields } from './console-forms.ts';

const LANGUAGES = ['fr', 'en'] as const;

export interface OpenedPage {
  name: string;
  language: 'fr' | 'en';
  status: number;
  visit: Visit;
  /** Whether forms on the page can redirect to the client. */
  isInAuthorization: boolean;
}

export const HOSTILE_NAME = 'Notes & "Cie" <b>';
export const HOSTILE_USER_NAME = 'Zoé "O\'Hara" <i>& Fils';
/** A value that is invalid in every field and must be escaped in HTML. */
export const HOSTILE_INPUT = '"><b>';

export function createPageList() {
  const pages: OpenedPage[] = [];
  /** Adds a page that can be opened only once, in one language. */
  const add = (name: string, visit: Visit, status = 200, isInAuthorization = false): Visit => {
    const language = visit.body.includes('<html lang="fr"') ? 'fr' : 'en';
    pages.push({ name, language, status, visit, isInAuthorization: isInAuthorization });
    return visit;
  };
  const withBrowser = (browser: BrowserSession) => {
    const addInEachLanguage = async (
      path: string | URL,
      open: () => Promise<Visit>,
      status: number,
      isInAuthorization: boolean,
    ): Promise<Visit> => {
      let englishVisit: Visit | undefined;
      for (const language of LANGUAGES) {
        browser.cookies.set('sesame-language', language);
        const visit = await browser.follow(await open());
        pages.push({ name: String(path), language, status, visit, isInAuthorization: isInAuthorization });
        englishVisit = visit;
      }
      return englishVisit as Visit;
    };
    return {
      /** Opens a page in each language. Returns the English page. */
      show: (path: string | URL, status = 200, isInAuthorization = false) =>
        addInEachLanguage(path, () => browser.get(path), status, isInAuthorization),
      /** Submits a page's form with invalid fields in each language. */
      refuse: (path: string | URL, fields: FormFields = {}, status = 400, isInAuthorization = false) =>
        addInEachLanguage(
          `POST ${path}`,
          async () => {
            const { hidden } = await browser.follow(await browser.get(path));
            return postFields(browser, String(path), { ...hidden, ...fields });
          },
          status,
          isInAuthorization,
        ),
    };
  };
  return { pages, add, withBrowser };
}
