// The pages of administrators.
import { keepDocument } from '../../src/store/agents.ts';
import { recordEvent } from '../../src/store/events.ts';
import { countExampleActivity } from '../../tools/example-activity.ts';
import { authorize, signedInBrowser } from './flow.ts';
import { accountPath, applicationPath, signedInOperator } from './operator.ts';
import { HOSTILE, type OpenedPage, PERSON, pageList, WRONG } from './page-list.ts';
import { protect } from './protected-account.ts';
import type { TestService } from './service.ts';

const OPERATIONS = '/console/operations';
const AGENT = 'https://scribe.example/oauth/client-metadata/a-rather-long-one.json';
const NOTHING = 'search=%22%3E%3Cb%3E';

export async function openOperationsPages(service: TestService): Promise<OpenedPage[]> {
  const { pages, opensIn } = pageList();
  const operator = await signedInOperator(service);
  const { show, refuse } = opensIn(operator.browser);
  const { userId, clientId } = await fillOperations(service);
  const showAll = async (base: string, ...paths: string[]) => {
    for (const path of paths) await show(`${base}${path}`);
  };
  await countExampleActivity(service.parts, [clientId]);
  const day = service.clock.now().toISOString().slice(0, 10);
  await showAll(OPERATIONS, '', '/search', '/activity', `/activity?day=${day}`, '/activity?until=2020-01-01');
  await showAll(OPERATIONS, '/activity/times', '/settings', '/audit', '/agents', '/apis', '/applications');
  for (const search of ['zo%C3%A9', '192.0.2.7', 'application', '%22%3E%3Cb%3E'])
    await show(`${OPERATIONS}/search?search=${search}`);
  const unregistered = `/oauth/authorize?client_id=${clientId}&redirect_uri=https%3A%2F%2Fevil.example`;
  const incident = /<code>([2-9A-Z]{10})<\/code>/.exec((await operator.browser.get(unregistered)).body)?.[1];
  await show(`${OPERATIONS}/search?search=${incident}`);
  await showAll(OPERATIONS, '/accounts', '/accounts?search=zo%C3%A9&state=any', `/accounts?${NOTHING}`);
  await showAll(
    OPERATIONS,
    `/applications?${NOTHING}&state=verified`,
    `/agents?${NOTHING}&state=registration`,
  );
  await showAll(
    OPERATIONS,
    `/audit?account=${userId}&kind=application_deleted`,
    '/audit?address=203.0.113.200',
  );
  await show(`${OPERATIONS}/audit?account=${encodeURIComponent(WRONG)}&from=1&until=2026-02-30`, 400);

  const account = accountPath(userId);
  await showAll(account, '', '?done=end', '/reset_password', '/verify_email');
  await showAll(account, '/suspend', '/end', '/grant', '/delete');
  await show(accountPath(operator.user.userId));
  const locked = accountPath((await protect(service, { name: PERSON })).user.userId);
  await showAll(locked, '', '/reset_second_factor');
  await operator.act(`${locked}/reset_second_factor`, { reason: '<b>"why"' });
  await showAll(locked, '?done=reset_second_factor', '/stop_reset');
  await show(`${OPERATIONS}/accounts/new`);
  const invited = { name: PERSON, email: `elise.${Date.now()}@exemple.fr`, language: 'fr' };
  const { location } = await operator.act(`${OPERATIONS}/accounts/new`, invited);
  await showAll(String(location?.pathname), '?done=invitation', '/invitation');
  await refuse(`${OPERATIONS}/accounts/new`, { ...invited, name: 'Somebody else' });

  const application = applicationPath(clientId);
  await showAll(application, '', '/suspend', '/verify');
  const { apiId } = await service.createApi({ name: HOSTILE, wordsFr: '"<i>', wordsEn: '"<i>' });
  await showAll(`${OPERATIONS}/apis/${apiId}`, '', '/suspend');
  const agent = `${OPERATIONS}/agents/${encodeURIComponent(AGENT)}`;
  await showAll(agent, '', '/block');
  await operator.act(`${agent}/block`);
  await showAll(agent, '?done=block', '/unblock');

  await refuse(`${account}/delete`, { email: WRONG, reason: `<b>${'x'.repeat(300)}` });
  await operator.act(`${account}/suspend`, { reason: '<b>"why"' });
  for (const action of ['suspend', 'verify']) await operator.act(`${application}/${action}`);
  await showAll(account, '', '/unsuspend');
  await show(`${application}?done=verify`);
  service.clock.advance(16 * 60);
  await show(`${account}/delete`);
  return pages;
}

/** A user, an application, an agent and events with hostile names. */
async function fillOperations(service: TestService): Promise<{ userId: string; clientId: string }> {
  const { database } = service.parts;
  const now = service.clock.now();
  const email = `zoe.o+${now.getTime()}@exemple.fr`;
  const person = await service.createUser({ name: PERSON, email, phone: '+33612345678' });
  const { userId } = person;
  const application = await service.createApplication({
    ownerId: userId,
    name: HOSTILE,
    redirectUris: ['https://notes.example/cb?a=1&b=2', 'https://notes.example/autre'],
  });
  await authorize(service, application, await signedInBrowser(service, person));
  const agent = {
    clientId: AGENT,
    name: HOSTILE,
    redirectUris: ['http://localhost/callback', 'https://scribe.example/cb?a=1&b=2'],
    ...{ jwks: null, origin: 'https://scribe.example', freshUntil: now },
  };
  await keepDocument(database, agent, 10, now);
  for (const event of [
    { kind: 'application_deleted', actorId: userId, detail: { name: '<b>Gone' } },
    { kind: 'signed_in', userId, address: '2001:db8::' },
    { kind: 'sign_in_failed', address: '192.0.2.7', detail: { times: 7 } },
    { kind: 'of_the_future' as 'signed_in', detail: { '<i>': '"<script>' } },
  ] as const)
    await recordEvent(database, event, now);
  return { userId, clientId: application.clientId };
}
