// The pages with which whoever protects an API gets on, opened in one go: every state, with names that have to be escaped.
import { challengeOf, metadataAddressOf, protectedResource } from '../../src/oauth/protected-resource.ts';
import { API_TEMPLATES } from '../../src/pages/console/snippets/templates.ts';
import { openAgentHost } from './agents.ts';
import { atApi } from './api-console.ts';
import { fill } from './console.ts';
import { decide, signedInBrowser } from './flow.ts';
import type { OpenedPage } from './opened-page.ts';
import type { TestService } from './service.ts';

/** Opens the pages in a language. */
export async function openApiIntegratePages(
  service: TestService,
  language: 'fr' | 'en',
): Promise<OpenedPage[]> {
  const pages: OpenedPage[] = [];
  const owner = await service.createUser();
  const browser = await signedInBrowser(service, owner);
  await browser.get(`/account?lang=${language}`);
  const { apiId } = await service.createApi({ ownerId: owner.userId, name: 'Notes & "Cie" <b>\'x\'' });
  const open = async (name: string, path: string) =>
    pages.push({
      name: `api integrate: ${name}`,
      status: 200,
      visit: await browser.get(path),
      pending: false,
    });
  for (const { id } of API_TEMPLATES) await open(id, atApi(apiId, `/integrate?library=${id}`));
  const bare = await service.createApi({ ownerId: owner.userId, scopes: [] });
  await open('without scopes', atApi(bare.apiId, '/integrate'));
  const here = atApi(apiId, '/test');
  await open('test', here);
  const visit = await fill(browser, here, { address: '"><b>' });
  pages.push({ name: 'api test: with faults', status: 400, visit, pending: false });
  // Nobody listens at this port.
  const identifier = `http://localhost:9/${language}`;
  const gone = await service.createApi({ ownerId: owner.userId, admits: 'agents', identifier });
  const { location } = await fill(browser, atApi(gone.apiId, '/test'), { address: identifier });
  await open('test, failed', String(location));
  const answering = await openAgentHost();
  const mcp = answering.answer(({ headers }, response) => {
    const named = `Bearer ${challengeOf(mcp, ['read'])}`;
    if (headers.authorization === undefined) response.writeHead(401, { 'www-authenticate': named }).end();
    else response.writeHead(200).end(`"><b>${'x'.repeat(1000)}`);
  }, '/mcp');
  const document = protectedResource(mcp, service.baseUrl, ['read']);
  answering.answer(
    (_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document)),
    new URL(metadataAddressOf(mcp)).pathname,
  );
  const tested = await service.createApi({ ownerId: owner.userId, admits: 'agents', identifier: mcp });
  const at = atApi(tested.apiId, '/test');
  const found = await browser.follow(await fill(browser, at, { address: mcp }));
  pages.push({ name: 'api integrate: test, to be allowed', status: 200, visit: found, pending: false });
  const { csrf = '', report } = found.hidden;
  if (report === undefined) throw new Error('the test stops before the permission');
  const consent = await browser.follow(await browser.post(at, { csrf, report }));
  const ended = await browser.follow(await decide(browser, consent, 'allow'));
  pages.push({ name: 'api integrate: test, failed at last', status: 200, visit: ended, pending: false });
  answering.close();
  return pages;
}
