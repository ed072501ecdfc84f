// The console's pages of APIs, opened in one go: every state, with names that have to be escaped.
import { changeThing } from '../../src/store/moderation.ts';
import { APIS, apiIdOn, atApi, NEW_API, registerApi } from './api-console.ts';
import { fill } from './console.ts';
import { browserIn, signIn } from './flow.ts';
import { type OpenedPage, pageList } from './opened-page.ts';
import type { TestService } from './service.ts';

const HOSTILE = 'Notes & "Cie" <b>\'x\'';

/** Opens the pages in a language. */
export async function openApiPages(service: TestService, language: 'fr' | 'en'): Promise<OpenedPage[]> {
  const { pages, add } = pageList('apis');
  const browser = await browserIn(service, language);
  const owner = await service.createUser();
  await signIn(browser, owner);
  add('none', 200, await browser.get(APIS));
  add('new', 200, await browser.get(NEW_API));
  const faulty = { name: '', identifier: 'HTTPS://"><b>', words_fr: '', admits: 'x' };
  add('new with faults', 400, await registerApi(browser, { ...faulty, token_lifetime: '"><b>' }));
  const identifier = `https://api-${language}.example/v1`;
  const registered = await registerApi(browser, { name: HOSTILE, identifier, words_en: HOSTILE });
  const apiId = apiIdOn(registered);
  add('registered', 200, await browser.follow(registered));
  add('list', 200, await browser.get(APIS));
  const below = (path: string) => atApi(apiId, path);
  add('edit', 200, await browser.get(below('/edit')));
  add('edit with faults', 400, await fill(browser, below('/edit'), { name: '', token_lifetime: '"><b>' }));
  add('scopes, none', 200, await browser.get(below('/scopes')));
  add('new scope', 200, await browser.get(below('/scopes/new')));
  add('new scope with faults', 400, await fill(browser, below('/scopes/new'), { scope: '"><b>' }));
  const words = { words_fr: `Lire "<b>" ${'mot'.repeat(60)}`, words_en: `Read '<i>' & ${'more'.repeat(40)}` };
  await fill(browser, below('/scopes/new'), { scope: "a/<'&>", ...words, traits: ['sensitive', 'agents'] });
  await fill(browser, below('/scopes/new'), { scope: 'read', ...words });
  add('scopes', 200, await browser.get(below('/scopes?done=added')));
  add('scope', 200, await browser.get(below('/scopes/edit-read')));
  add('remove a scope', 200, await browser.get(below('/scopes/remove-read')));
  add('keys', 200, await browser.get(below('/keys')));
  add('keys with faults', 400, await fill(browser, below('/keys'), { jwks: '"><b>' }));
  add('secrets, none', 200, await browser.get(below('/secrets')));
  add('new secret', 200, await fill(browser, below('/secrets'), { overlap: '0' }));
  add('secrets', 200, await browser.get(below('/secrets')));
  add('end a secret', 200, await browser.get(below('/secrets/1/end')));
  const taker = await service.createUser({ name: 'Ada "&" <u>Grace' });
  const other = await browserIn(service, language);
  await signIn(other, taker);
  await fill(browser, below('/transfer'), { email: taker.email });
  add('transfer, offered', 200, await browser.get(below('/transfer')));
  add('overview, offered', 200, await browser.get(below('?done=offered')));
  add('list with an offer', 200, await other.get(APIS));
  add('offer', 200, await other.get(below('/transfer/accept')));
  await changeThing(service.parts.database, 'api', 'suspend', apiId, service.clock.now());
  add('overview, suspended', 200, await browser.get(below('')));
  add('delete', 200, await browser.get(below('/delete')));
  return pages;
}
