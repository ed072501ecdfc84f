// Shows in a real browser what the service answered before, under its own headers, whatever request it answered.
import type { CDPSession } from 'playwright-core';
import type { Tab } from './browser.ts';
import type { OpenedPage } from './every-page.ts';
import { LONG } from './page-gallery.ts';
import type { TestService } from './service.ts';

/** Shows a page that was opened before; `body` stands in for its own. */
export type ShowPage = (page: OpenedPage, body?: string) => Promise<void>;

/**
 * Makes a tab show pages that were opened before. Only they are put in place of what the service would answer: all else a
 * page fetches comes from the service once, and from the browser's cache after that, which Playwright's own routes turn off.
 */
export async function pageShower({ page, context }: Tab, service: TestService): Promise<ShowPage> {
  const address = `${service.baseUrl}/shown`;
  const session = await context.newCDPSession(page);
  let shown: { body: string; policy: string } = { body: '', policy: '' };
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
  return async ({ visit }, body = visit.body) => {
    shown = { body, policy: visit.headers.get('content-security-policy') ?? '' };
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

const escaped = (text: string) => text.replaceAll('&', '&amp;');

/** The page as it would be with the longest names and addresses in place of those that it was opened with. */
export const withLongNames = ({ visit }: OpenedPage): string =>
  visit.body
    .replace(/Notes &amp; &quot;Cie&quot; &lt;b&gt;(?:&#39;x&#39;)?/g, escaped(LONG.applicationName))
    .replace(
      /(?:Zoé &quot;O&#39;Hara&quot; &lt;i&gt;&amp; Fils|Ada &quot;&amp;&quot; &lt;u&gt;Grace)/g,
      escaped(LONG.name),
    )
    .replace(/person\d+@example\.com/g, LONG.email)
    .replace(/(?<!\.)\bnotes\.example\b/g, new URL(LONG.callback).host);
