// Shows in a real browser what the service answered before, under its own headers, whatever request it answered.
import type { CDPSession, Page } from 'playwright-core';
import type { Tab } from './browser.ts';
import { HOSTILE, type OpenedPage, PERSON } from './page-list.ts';
import type { TestService } from './service.ts';

/** Shows a page that was opened before. */
export type ShowPage = (page: OpenedPage) => Promise<void>;

/**
 * Makes a tab show pages that were opened before. Only they are put in place of what the service would answer: all else a
 * page fetches comes from the service once, and from the browser's cache after that, which Playwright's own routes turn off.
 */
export async function pageShower({ page, context }: Tab, service: TestService): Promise<ShowPage> {
  const address = `${service.baseUrl}/shown`;
  const session = await context.newCDPSession(page);
  let shown = { body: '', policy: '' };
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    const answer =
      request.url === address
        ? { type: 'text/html; charset=utf-8', ...shown }
        : { type: 'text/javascript', body: '', policy: '' };
    fulfil(session, requestId, answer).catch(() => {}); // the tab was closed
  });
  // The form that goes to an application by itself stays.
  await session.send('Fetch.enable', {
    patterns: [address, `${service.baseUrl}/submit.js`].map((urlPattern) => ({ urlPattern })),
  });
  return async ({ visit }) => {
    shown = { body: visit.body, policy: visit.headers.get('content-security-policy') ?? '' };
    await page.goto(address);
  };
}

const fulfil = (
  session: CDPSession,
  requestId: string,
  { type, body, policy }: { type: string; body: string; policy: string },
) =>
  session.send('Fetch.fulfillRequest', {
    requestId,
    responseCode: 200,
    responseHeaders: [
      { name: 'content-type', value: type },
      { name: 'cache-control', value: 'no-store' },
      ...(policy === '' ? [] : [{ name: 'content-security-policy', value: policy }]),
    ],
    body: Buffer.from(body).toString('base64'),
  });

/** What people see at most: names and addresses as long as they may be, without a good place to break them. */
export const LONG = {
  name: `${'Wolfeschlegelsteinhausen'.repeat(3)} de la Très-Haute-Tour`,
  email: `${'prenom-compose.tres-long'.repeat(2)}@${'sous-domaine.'.repeat(5)}exemple.fr`,
  applicationName: 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
  callback: `https://${'un-tres-long-sous-domaine.'.repeat(4)}exemple.fr:8443/callback`,
};

/** What pages are opened with, as regular expressions, and what stands in its place at most. */
const LONGEST: [string, string][] = [
  [`${HOSTILE}(?:'x')?`, LONG.applicationName],
  [`${PERSON}|Ada "&" <u>Grace`, LONG.name],
  ['person\\d+@example\\.com', LONG.email],
  ['(?<!\\.)\\bnotes\\.example\\b', new URL(LONG.callback).host],
];

/** Makes of the page in the tab what it would be with the longest names and addresses in place of those it was opened with. */
export const lengthenNames = (page: Page): Promise<void> =>
  page.evaluate(`(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      let words = text.nodeValue;
      for (const [short, long] of ${JSON.stringify(LONGEST)}) words = words.replace(new RegExp(short, 'g'), long);
      if (words !== text.nodeValue) text.nodeValue = words;
    }
  })()`);
