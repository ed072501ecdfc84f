// The console's pages of applications, opened in one go: every state, with names that have to be escaped.
import { changeThing } from '../../src/store/moderation.ts';
import { countExampleActivity } from '../../tools/example-activity.ts';
import { samplePicture } from './account-pages.ts';
import { openBrowserSession } from './browser-session.ts';
import { accept, at, credentialsOn, fill, NEW, register, SETTINGS, sendFields } from './console.ts';
import { authorize, authorizeAddress, signIn } from './flow.ts';
import { type OpenedPage, pageList } from './opened-page.ts';
import type { TestService } from './service.ts';
import { upload } from './upload.ts';

const HOSTILE = 'Notes & "Cie" <b>\'x\'';

/** Opens the pages in a language. The service's clock is moved past what counts as a recent sign-in. */
export async function openApplicationPages(
  service: TestService,
  language: 'fr' | 'en',
): Promise<OpenedPage[]> {
  const { pages, add } = pageList('applications');
  const enter = async (name: string) => {
    const user = await service.createUser({ name });
    const browser = openBrowserSession(service.baseUrl);
    await browser.get(`/?lang=${language}`);
    await signIn(browser, user);
    return { browser, user };
  };
  const { browser } = await enter('Zoé "O\'Hara" <i>& Fils');
  add('none', 200, await browser.get('/console/applications'));
  add('new', 200, await browser.get(NEW));
  const faulty = { name: '', redirect_uris: 'https://"><b>/\n\n/x#<i>', scopes: '"><b>', type: '' };
  add('new with faults', 400, await register(browser, faulty));
  const address = 'https://notes.example/cb?a=1&b=2';
  const result = add(
    'registered',
    200,
    await register(browser, { name: HOSTILE, redirect_uris: address, scopes: ['openid', 'profile'] }),
  );
  const { clientId, clientSecret = '' } = credentialsOn(result);
  const open = add(
    'registered, public',
    200,
    await register(browser, { type: 'public', redirect_uris: 'com.example.app:/"\nhttp://127.0.0.1/<b>' }),
  );
  add('detail, public', 200, await browser.get(at(credentialsOn(open).clientId)));
  const settings = {
    ...SETTINGS,
    name: HOSTILE,
    redirect_uris: address,
    scopes: ['openid', 'profile', 'email', 'phone'],
    standard: 'on',
    refresh_grace: '30',
    home_page: 'https://notes.example/?a=1&b="x',
    privacy_policy: 'https://privacy.example/<b>',
    terms_of_service: 'https://terms.example/',
  };
  add('edit', 200, await browser.get(at(clientId, '/edit?add=https://notes.example/more')));
  await fill(browser, at(clientId, '/edit'), settings);
  add('edit with links', 200, await browser.get(at(clientId, '/edit')));
  const wrong = { ...settings, name: '', refresh_grace: '<b>', home_page: 'ftp://"><b>', scopes: [] };
  add('edit with faults', 400, await fill(browser, at(clientId, '/edit'), wrong));
  add('logo', 200, await browser.get(at(clientId, '/logo')));
  const { csrf = '' } = (await browser.get(at(clientId, '/logo'))).hidden;
  add('logo, none chosen', 400, await upload(browser, at(clientId, '/logo'), { csrf }));
  const file = { name: 'logo', content: await samplePicture(), fileName: '"><b>.png' };
  await upload(browser, at(clientId, '/logo'), { csrf }, file);
  add('logo, own', 200, await browser.get(at(clientId, '/logo')));
  await authorize(service, { clientId, clientSecret, redirectUri: address }, browser, { scope: 'openid' });
  await fill(browser, at(clientId, '/transfer'), { email: 'nobody"<b>@example.com' });
  await fill(browser, at(clientId, '/transfer'), { email: `"nobody'@example.com` });
  const other = await enter('Ada "&" <u>Grace');
  await fill(browser, at(clientId, '/transfer'), { email: other.user.email });
  add('detail', 200, await browser.get(at(clientId, '?done=changed')));
  add('activity, none', 200, await browser.get(at(clientId, '/activity?until=2020-01-01')));
  await countExampleActivity(service.parts, [clientId]);
  add('activity', 200, await browser.get(at(clientId, '/activity')));
  const today = service.clock.now().toISOString().slice(0, 10);
  add('activity by hour', 200, await browser.get(at(clientId, `/activity?day=${today}`)));
  add('list', 200, await browser.get('/console/applications?done=deleted'));
  add('transfer, offered', 200, await browser.get(at(clientId, '/transfer')));
  add('transfer with faults', 400, await fill(browser, at(clientId, '/transfer'), { email: '"><b>' }));
  add('list with an offer', 200, await other.browser.get('/console/applications'));
  add('offer', 200, await other.browser.get(at(clientId, '/transfer/accept')));
  const secrets = add('secrets', 200, await browser.get(at(clientId, '/secrets')));
  add('end the last secret', 200, await browser.get(at(clientId, '/secrets/1/end')));
  add(
    'rotated',
    200,
    await sendFields(browser, at(clientId, '/secrets'), { ...secrets.hidden, overlap: '3600' }),
  );
  add('a secret that was shown', 200, await browser.get(at(clientId, '/secrets/2')));
  add('two secrets', 200, await browser.get(at(clientId, '/secrets?done=ended')));
  add('secrets with faults', 400, await fill(browser, at(clientId, '/secrets'), { overlap: '"><b>' }));
  add('end a secret', 200, await browser.get(at(clientId, '/secrets/1/end')));
  add('delete', 200, await browser.get(at(clientId, '/delete')));
  add('delete with faults', 400, await fill(browser, at(clientId, '/delete'), { name: '"><b>' }));
  const consent = authorizeAddress(
    service,
    { clientId, clientSecret, redirectUri: address },
    { scope: 'openid profile email phone', prompt: 'consent' },
  );
  add('consent with logo and links', 200, await browser.follow(await browser.get(consent)), true);
  const suspendedId = credentialsOn(open).clientId;
  await changeThing(service.parts.database, 'application', 'suspend', suspendedId, service.clock.now());
  add('detail, suspended', 200, await browser.get(at(suspendedId)));
  service.clock.advance(16 * 60);
  add('edit, password asked', 200, await browser.get(at(clientId, '/edit')));
  const moved = { ...settings, redirect_uris: 'https://notes.example/other' };
  add('edit, password missing', 400, await fill(browser, at(clientId, '/edit'), moved));
  add('secrets, password missing', 400, await fill(browser, at(clientId, '/secrets'), { overlap: '0' }));
  add('end a secret, password missing', 400, await fill(browser, at(clientId, '/secrets/1/end')));
  add('delete, password missing', 400, await fill(browser, at(clientId, '/delete'), { name: HOSTILE }));
  add('offer, password missing', 400, await accept(other.browser, clientId));
  add("somebody else's", 404, await other.browser.get(at(clientId)));
  return pages;
}
