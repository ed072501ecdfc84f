// The pages of an application's protocol settings, opened in one go: empty, full, with faults, sign-outs on their way.
import { statement } from '../../src/store/statement.ts';
import { at, type Fields, fill } from './console.ts';
import { browserIn, signIn } from './flow.ts';
import { type OpenedPage, pageList } from './opened-page.ts';
import type { TestService } from './service.ts';

const DELIVERY = statement(
  'test_logout_delivery',
  `insert into logout_deliveries (client_id, user_id, sid, created_at, delivered_at, next_attempt_at, last_fault, last_detail, attempts)
  values ($1, $2::uuid, $2::uuid, $3::timestamptz, $4::timestamptz, $5::timestamptz, $6, $7, 3)`,
);

/** Opens the pages in a language. The service's clock is moved past what counts as a recent sign-in. */
export async function openProtocolPages(service: TestService, language: 'fr' | 'en'): Promise<OpenedPage[]> {
  const { pages, add } = pageList('protocol');
  const user = await service.createUser({ name: 'Zoé "O\'Hara" <i>& Fils' });
  const browser = await browserIn(service, language);
  await signIn(browser, user);
  const own = { ownerId: user.userId, name: 'Notes & "Cie" <b>' };
  const application = await service.createApplication(own);
  const open = await service.createApplication({ ...own, type: 'public' });
  const address = at(application.clientId, '/protocol');
  add('empty', 200, await browser.get(address));
  add('public', 200, await browser.get(at(open.clientId, '/protocol')));

  const settings: Fields = {
    id_token_algorithm: 'ES256',
    par_required: '',
    pkce_required: 'on',
    second_factor_required: 'on',
    device_flow: 'on',
    post_logout_redirect_uris: 'https://notes.example/out?a=1&b="x',
    backchannel_logout_uri: 'https://notes.example/backchannel?<b>',
  };
  await fill(browser, address, settings);
  const now = service.clock.now();
  const later = new Date(now.getTime() + 3_600_000);
  for (const [deliveredAt, nextAttemptAt, fault, detail] of [
    [now, null, null, null],
    [null, later, 'failed', 'alert <b>"'],
    [null, later, 'answered', '500'],
    [null, null, 'timeout', null],
  ] as const)
    await service.parts.database.query(DELIVERY, [
      application.clientId,
      user.userId,
      now,
      deliveredAt,
      nextAttemptAt,
      fault,
      detail,
    ]);
  add('saved, with sign-outs', 200, await browser.get(`${address}?done=changed`));
  const wrong: Fields = {
    ...settings,
    post_logout_redirect_uris: '"><b>\nhttps://notes.example/#<i>',
    backchannel_logout_uri: 'ftp://"><b>',
    jwks: '{"keys": "><b>"}',
  };
  add('with faults', 400, await fill(browser, address, wrong));
  service.clock.advance(16 * 60);
  add('password asked', 200, await browser.get(address));
  add('password missing', 400, await fill(browser, address, settings));
  return pages;
}
