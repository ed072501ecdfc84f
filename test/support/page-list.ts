// Pages that tests open in both languages, with names and addresses that have to be escaped.
import type { BrowserSession, Visit } from './browser-session.ts';
import { type Fields, sendFields } from './console.ts';

const LANGUAGES = ['fr', 'en'] as const;

export interface OpenedPage {
  name: string;
  language: 'fr' | 'en';
  status: number;
  visit: Visit;
  /** Whether the page belongs to an authorization request, so that its form leads to an application in the end. */
  pending: boolean;
}

export const HOSTILE = 'Notes & "Cie" <b>';
export const PERSON = 'Zoé "O\'Hara" <i>& Fils';
/** What no field takes. */
export const WRONG = '"><b>';

/** A list of pages, and what opens them in a browser. */
export function pageList() {
  const pages: OpenedPage[] = [];
  /** Adds a page that can be opened once only. */
  const add = (name: string, visit: Visit, status = 200, pending = false): Visit => {
    const language = visit.body.includes('<html lang="fr"') ? 'fr' : 'en';
    pages.push({ name, language, status, visit, pending });
    return visit;
  };
  const opensIn = (browser: BrowserSession) => {
    const inEach = async (
      path: string | URL,
      open: () => Promise<Visit>,
      status: number,
      pending: boolean,
    ): Promise<Visit> => {
      let last: Visit | undefined;
      for (const language of LANGUAGES) {
        browser.cookies.set('sesame-language', language);
        const visit = await browser.follow(await open());
        pages.push({ name: String(path), language, status, visit, pending });
        last = visit;
      }
      return last as Visit;
    };
    return {
      /** Opens a page in each language, and gives it in English. */
      show: (path: string | URL, status = 200, pending = false) =>
        inEach(path, () => browser.get(path), status, pending),
      /** Sends the form of a page with these fields in each language. */
      refuse: (path: string | URL, fields: Fields = {}, status = 400, pending = false) =>
        inEach(
          `POST ${path}`,
          async () => {
            const { hidden } = await browser.follow(await browser.get(path));
            return sendFields(browser, String(path), { ...hidden, ...fields });
          },
          status,
          pending,
        ),
    };
  };
  return { pages, add, opensIn };
}
