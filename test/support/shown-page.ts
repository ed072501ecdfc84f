// Shows in a real browser what the service answered before, under its own headers, whatever request it answered.
import type { Tab } from './browser.ts';
import type { OpenedPage } from './every-page.ts';
import { LONG } from './page-gallery.ts';
import type { TestService } from './service.ts';

/** Shows a page that was opened before; `body` stands in for its own. */
export async function showPage(
  { page }: Tab,
  service: TestService,
  { visit }: OpenedPage,
  body = visit.body,
): Promise<void> {
  const address = `${service.baseUrl}/shown`;
  const policy = visit.headers.get('content-security-policy') ?? '';
  await page.route(address, (route) =>
    route.fulfill({
      body,
      headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
    }),
  );
  // The form that goes to an application by itself stays.
  await page.route(`${service.baseUrl}/submit.js`, (route) =>
    route.fulfill({ body: '', contentType: 'text/javascript' }),
  );
  await page.goto(address);
  await page.unroute(address);
}

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
