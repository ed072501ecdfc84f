// Renders saved pages in a browser, with their Content Security Policy.
import type { CDPSession, Page } from 'playwright-core';
import type { Tab } from './browser.ts';
import { HOSTILE_NAME, HOSTILE_USER_NAME, type OpenedPage } from './page-list.ts';
import type { TestService } from './service.ts';

export type RenderPage = (page: OpenedPage) => Promise<void>;

/** Uses CDP to serve saved pages because Playwright's routes disable the cache. */
export async function createPageRenderer({ page, context }: Tab, service: TestService): Promise<RenderPage> {
  const url = `${service.baseUrl}/shown`;
  const session = await context.newCDPSession(page);
  let current = { body: '', policy: '' };
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    const response =
      request.url === url
        ? { type: 'text/html; charset=utf-8', ...current }
        : { type: 'text/javascript', body: '', policy: '' };
    fulfill(session, requestId, response).catch(() => {}); // the tab may have been closed
  });
  // Without its script, the form_post page stays open.
  await session.send('Fetch.enable', {
    patterns: [url, `${service.baseUrl}/submit.js`].map((urlPattern) => ({ urlPattern })),
  });
  return async ({ visit }) => {
    current = { body: visit.body, policy: visit.headers.get('content-security-policy') ?? '' };
    await page.goto(url);
  };
}

const fulfill = (
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

/** Values of maximum length with few line-break opportunities. */
export const LONG_VALUES = {
  name: `${'Wolfeschlegelsteinhausen'.repeat(3)} de la Très-Haute-Tour`,
  email: `${'prenom-compose.tres-long'.repeat(2)}@${'sous-domaine.'.repeat(5)}exemple.fr`,
  applicationName: 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
  callback: `https://${'un-tres-long-sous-domaine.'.repeat(4)}exemple.fr:8443/callback`,
};

const NAME_REPLACEMENTS: [string, string][] = [
  [`${HOSTILE_NAME}(?:'x')?`, LONG_VALUES.applicationName],
  [`${HOSTILE_USER_NAME}|Ada "&" <u>Grace`, LONG_VALUES.name],
  ['person\\d+@example\\.com', LONG_VALUES.email],
  ['(?<!\\.)\\bnotes\\.example\\b', new URL(LONG_VALUES.callback).host],
];

export const lengthenNames = (page: Page): Promise<void> =>
  page.evaluate(`(() => {
    // Join the parts of breakable addresses.
    for (const lineBreak of document.querySelectorAll('wbr')) lineBreak.remove();
    document.body.normalize();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      let words = text.nodeValue;
      for (const [short, long] of ${JSON.stringify(NAME_REPLACEMENTS)}) words = words.replace(new RegExp(short, 'g'), long);
      if (words !== text.nodeValue) text.nodeValue = words;
    }
  })()`);
