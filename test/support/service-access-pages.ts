// The pages of access on an application's own account, opened in one go: both sides, every state.
import { atApi } from './api-console.ts';
import { at, fill } from './console.ts';
import { signedInBrowser } from './flow.ts';
import { type OpenedPage, pageList } from './opened-page.ts';
import type { TestService } from './service.ts';

const HOSTILE = 'Notes & "Cie" <b>\'x\'';

/** Opens the pages in a language. */
export async function openServiceAccessPages(
  service: TestService,
  language: 'fr' | 'en',
): Promise<OpenedPage[]> {
  const { pages, add } = pageList('service access');
  const [owner, asking] = [await service.createUser(), await service.createUser({ name: HOSTILE })];
  const api = await service.createApi({ ownerId: owner.userId, name: HOSTILE });
  const { clientId } = await service.createApplication({ ownerId: asking.userId, name: HOSTILE });
  const [mine, theirs] = [await signedInBrowser(service, owner), await signedInBrowser(service, asking)];
  for (const browser of [mine, theirs]) await browser.get(`/account?lang=${language}`);
  const answer = `${atApi(api.apiId, '/requests/answer')}?${new URLSearchParams({ client_id: clientId })}`;
  add('no APIs', 200, await theirs.get(at(clientId, '/apis')));
  add('no requests', 200, await mine.get(atApi(api.apiId, '/requests')));
  add(
    'asked with faults',
    400,
    await fill(theirs, at(clientId, '/apis'), { identifier: '"><b>', scopes: '"><b>' }),
  );
  const wish = { identifier: api.identifier, scopes: 'read write' };
  add('asked', 200, await theirs.follow(await fill(theirs, at(clientId, '/apis'), wish)));
  add('requests', 200, await mine.get(atApi(api.apiId, '/requests')));
  add('answer', 200, await mine.get(answer));
  add('answer with faults', 400, await fill(mine, answer, { decision: 'grant' }));
  const granted = await fill(mine, answer, { decision: 'grant', scopes: ['read'] });
  add('granted', 200, await mine.follow(granted));
  add('end by the API', 200, await mine.get(answer));
  add('end by the application', 200, await theirs.get(`${at(clientId, '/apis/end')}?api_id=${api.apiId}`));
  return pages;
}
