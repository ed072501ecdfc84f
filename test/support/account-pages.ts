// The pages of the account, opened in one go: empty and full, with faults, with names that have to be escaped.
import sharp from 'sharp';
import { openBrowserSession } from './browser-session.ts';
import { browserIn, obtainTokens, signIn, userinfo } from './flow.ts';
import { type OpenedPage, pageList } from './opened-page.ts';
import type { TestService } from './service.ts';
import { upload } from './upload.ts';

/** A picture as people have them: wider than high, brighter on one side than on the other. */
export const samplePicture = (
  color = '#4f46e5',
  format: 'png' | 'jpeg' | 'webp' | 'gif' = 'png',
): Promise<Buffer> =>
  sharp({ create: { width: 400, height: 300, channels: 3, background: color } })
    .toFormat(format)
    .toBuffer();

/** Opens the pages of the account in a language. */
export async function openAccountPages(service: TestService, language: 'fr' | 'en'): Promise<OpenedPage[]> {
  const { pages, add } = pageList('account');
  const empty = await browserIn(service, language);
  await signIn(empty, await service.createUser({ name: 'Ada "&" <u>Grace' }));
  add('overview, nothing yet', 200, await empty.get('/account'));
  add('applications, none', 200, await empty.get('/account/applications'));
  add('sessions, this one only', 200, await empty.get('/account/sessions'));
  add('deletion, nothing else goes', 200, await empty.get('/account/delete'));

  const user = await service.createUser({ name: 'Zoé "O\'Hara" <i>& Fils', phone: '+33612345678' });
  const browser = await browserIn(service, language);
  await signIn(browser, user);
  const other = openBrowserSession(service.baseUrl);
  await signIn(other, user, await other.get('/signin', { 'user-agent': '<b>"&' }));
  const application = await service.createApplication({ name: 'Notes & "Cie" <b>' });
  const former = await service.createApplication({ name: 'Vieux <carnet>' });
  await service.createApplication({ name: 'À moi <b>', ownerId: user.userId });
  for (const one of [application, former])
    await userinfo(service, (await obtainTokens(service, one, browser)).accessToken);
  const { csrf = '' } = (await browser.get('/account')).hidden;
  await browser.post('/account/applications/withdraw', { csrf, client_id: former.clientId });
  await service.parts.usage.flush();

  add('overview', 200, await browser.get('/account'));
  add('profile', 200, await browser.get('/account/profile?done=saved'));
  const faulty = { csrf, name: ' ', phone: '"><b>', language: 'fr' };
  add('profile with faults', 400, await browser.post('/account/profile', faulty));
  add('picture, initials', 200, await browser.get('/account/picture'));
  add('picture, none chosen', 400, await upload(browser, '/account/picture', { csrf }));
  const unreadable = { name: 'picture', content: Buffer.from('no picture'), fileName: '"><b>.png' };
  add('picture, unreadable', 400, await upload(browser, '/account/picture', { csrf }, unreadable));
  await upload(
    browser,
    '/account/picture',
    { csrf },
    { name: 'picture', content: await samplePicture(), fileName: 'me.png' },
  );
  add('picture, own', 200, await browser.get('/account/picture?done=changed'));
  add('sessions', 200, await browser.get('/account/sessions?done=ended'));
  add('applications', 200, await browser.get('/account/applications?done=withdrawn'));
  add('data', 200, await browser.get('/account/data'));
  add('deletion', 200, await browser.get('/account/delete'));
  service.clock.advance(16 * 60);
  add('data, password asked', 200, await browser.get('/account/data'));
  add('data, password missing', 400, await browser.post('/account/data', { csrf }));
  add(
    'deletion with faults',
    400,
    await browser.post('/account/delete', { csrf, email: '"><b>', current_password: 'wrong' }),
  );
  return pages;
}
