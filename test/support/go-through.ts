// A browser's way through an authorization whose address somebody else made.
import type { BrowserSession } from './browser-session.ts';
import { decide } from './flow.ts';

/** Goes from the authorization address, by consent where it is asked, to the callback's address. */
export async function goThrough(
  browser: BrowserSession,
  address: URL,
  decision: 'allow' | 'deny' = 'allow',
): Promise<URL> {
  let visit = await browser.follow(await browser.get(address));
  if (visit.location === undefined) visit = await decide(browser, visit, decision);
  if (visit.location === undefined) throw new Error(`no callback: ${visit.status} ${visit.body}`);
  return visit.location;
}
