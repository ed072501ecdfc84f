// Every page of operators in every state, opened in one go: for rules that hold for all pages.

import { keepDocument } from '../../src/store/agents.ts';
import { recordEvent } from '../../src/store/events.ts';
import { countExampleActivity } from '../../tools/example-activity.ts';
import { deleteClient } from './applications.ts';
import { authorize, signedInBrowser } from './flow.ts';
import type { OpenedPage } from './opened-page.ts';
import { accountPath, applicationPath, signedInOperator } from './operator.ts';
import { protect } from './protected-account.ts';
import type { TestService } from './service.ts';

const OPERATIONS = '/console/operations';

const AGENT = 'https://scribe.example/oauth/client-metadata/a-rather-long-one.json';
const agentPath = (action = '') =>
  `${OPERATIONS}/agents/${encodeURIComponent(AGENT)}${action && `/${action}`}`;

/** The addresses of the pages that people and applications with hostile names fill. */
async function fillOperations(service: TestService) {
  const { database } = service.parts;
  const person = await service.createUser({
    name: 'Zoé "O\'Hara" <i>& Fils',
    email: `zoe.o+${Date.now()}@exemple.fr`,
    phone: '+33612345678',
  });
  const application = await service.createApplication({
    ownerId: person.userId,
    name: 'Notes & "Cie" <b>',
    redirectUris: ['https://notes.example/cb?a=1&b=2', 'https://notes.example/autre'],
  });
  const gone = await service.createApplication({ ownerId: person.userId, name: 'Gone' });
  const browser = await signedInBrowser(service, person);
  await authorize(service, application, browser);
  await deleteClient(database, gone.clientId);
  const now = service.clock.now();
  const agent = {
    clientId: AGENT,
    name: 'Notes & "Cie" <b>',
    redirectUris: ['http://localhost/callback', 'https://scribe.example/cb?a=1&b=2'],
    jwks: null,
  };
  await keepDocument(database, { ...agent, origin: 'https://scribe.example', freshUntil: now }, 10, now);
  await recordEvent(
    database,
    {
      kind: 'application_deleted',
      actorId: person.userId,
      clientId: gone.clientId,
      detail: { name: '<b>Gone' },
    },
    now,
  );
  await recordEvent(database, { kind: 'signed_in', userId: person.userId, address: '2001:db8::' }, now);
  await recordEvent(database, { kind: 'sign_in_failed', address: '192.0.2.7', detail: { times: 7 } }, now);
  await recordEvent(
    database,
    { kind: 'of_the_future' as 'signed_in', detail: { '<i>': '"<script>' } as object },
    now,
  );
  return { person, application };
}

/** Opens the pages in a language, with names and addresses that have to be escaped. */
export async function openOperationsPages(
  service: TestService,
  language: 'fr' | 'en',
): Promise<OpenedPage[]> {
  const pages: OpenedPage[] = [];
  const operator = await signedInOperator(service);
  const { browser } = operator;
  const { person, application } = await fillOperations(service);
  const add = async (name: string, path: string, status = 200) => {
    const separator = path.includes('?') ? '&' : '?';
    const visit = await browser.get(`${path}${separator}lang=${language}`);
    pages.push({ name: `operations: ${name}`, status, visit, pending: false });
    return visit;
  };
  await countExampleActivity(service.parts, [application.clientId]);
  await add('overview', OPERATIONS);
  await add('search', `${OPERATIONS}/search`);
  const refused = await browser.get(
    `/oauth/authorize?client_id=${application.clientId}&redirect_uri=https%3A%2F%2Fevil.example`,
  );
  const incident = /<code>([2-9A-Z]{10})<\/code>/.exec(refused.body)?.[1];
  await add('search, incident found', `${OPERATIONS}/search?search=${incident}`);
  await add('search, all found', `${OPERATIONS}/search?search=zo%C3%A9`);
  await add('search, events found', `${OPERATIONS}/search?search=192.0.2.7`);
  await add('search, words found', `${OPERATIONS}/search?search=application`);
  await add('search, nothing found', `${OPERATIONS}/search?search=%22%3E%3Cb%3E`);
  await add('activity', `${OPERATIONS}/activity`);
  await add(
    'activity by hour',
    `${OPERATIONS}/activity?day=${service.clock.now().toISOString().slice(0, 10)}`,
  );
  await add('activity before there was any', `${OPERATIONS}/activity?until=2020-01-01`);
  await add('response times', `${OPERATIONS}/activity/times`);
  await add('accounts', `${OPERATIONS}/accounts`);
  await add('accounts found', `${OPERATIONS}/accounts?search=zo%C3%A9&state=any`);
  await add('no account', `${OPERATIONS}/accounts?search=%22%3E%3Cb%3E`);
  await add('account', accountPath(person.userId));
  await add('account after something', `${accountPath(person.userId)}?done=end`);
  const locked = await protect(service, { name: 'Zoé "O\'Hara" <i>& Fils' });
  const reset = accountPath(locked.user.userId, 'reset_second_factor');
  await add('account with a second factor', accountPath(locked.user.userId));
  await add('asks to reset a second factor', reset);
  await operator.act(reset, { reason: '<b>"why"' });
  await add('account, a reset waits', `${accountPath(locked.user.userId)}?done=reset_second_factor`);
  await add('asks to stop a reset', accountPath(locked.user.userId, 'stop_reset'));
  await add('account to invite', `${OPERATIONS}/accounts/new`);
  const invited = {
    name: 'Zoé "O\'Hara" <i>& Fils',
    email: `elise.${Date.now()}.${language}@exemple.fr`,
    language,
  };
  const sent = await operator.act(`${OPERATIONS}/accounts/new`, invited);
  await add('account, invited', `${sent.location?.pathname}?done=invitation`);
  await add('asks to send an invitation', `${sent.location?.pathname}/invitation`);
  await add('asks to send a link', `${accountPath(person.userId)}/reset_password`);
  await add('asks to send a verification', `${accountPath(person.userId)}/verify_email`);
  pages.push({
    name: 'operations: account to invite, taken',
    status: 400,
    visit: await operator.act(`${OPERATIONS}/accounts/new`, { ...invited, name: 'Somebody else' }),
    pending: false,
  });
  await add('own account', accountPath(operator.user.userId));
  await add('applications', `${OPERATIONS}/applications`);
  await add('no application', `${OPERATIONS}/applications?search=%22%3E%3Cb%3E&state=verified`);
  await add('application', applicationPath(application.clientId));
  const api = await service.createApi({ name: 'Notes & "Cie" <b>', wordsFr: '"<i>', wordsEn: '"<i>' });
  await add('apis', `${OPERATIONS}/apis`);
  await add('api', `${OPERATIONS}/apis/${api.apiId}`);
  await add('asks to suspend an api', `${OPERATIONS}/apis/${api.apiId}/suspend`);
  await add('agents', `${OPERATIONS}/agents`);
  await add('no agent', `${OPERATIONS}/agents?search=%22%3E%3Cb%3E&state=registration`);
  await add('agent', agentPath());
  await add('asks to block an agent', agentPath('block'));
  await operator.act(agentPath('block'));
  await add('agent, blocked', `${agentPath()}?done=block`);
  await add('asks to let an agent in again', agentPath('unblock'));
  await operator.act(agentPath('unblock'));
  await add('audit log', `${OPERATIONS}/audit`);
  await add('audit log filtered', `${OPERATIONS}/audit?account=${person.userId}&kind=application_deleted`);
  await add('audit log, nothing found', `${OPERATIONS}/audit?address=203.0.113.200`);
  await add(
    'audit log with faults',
    `${OPERATIONS}/audit?account=%22%3E%3Ci%3E&from=1&until=2026-02-30`,
    400,
  );
  await add('settings', `${OPERATIONS}/settings`);
  for (const action of ['suspend', 'end', 'grant', 'delete'])
    await add(`asks to ${action} an account`, accountPath(person.userId, action));
  for (const action of ['suspend', 'verify'])
    await add(`asks to ${action} an application`, applicationPath(application.clientId, action));
  const visit = await operator.act(accountPath(person.userId, 'delete'), {
    email: '"><i>',
    reason: `<b>${'x'.repeat(300)}`,
  });
  pages.push({ name: 'operations: delete with faults', status: 400, visit, pending: false });
  await operator.act(accountPath(person.userId, 'suspend'), { reason: '<b>"why"' });
  await operator.act(applicationPath(application.clientId, 'suspend'));
  await operator.act(applicationPath(application.clientId, 'verify'));
  await add('suspended account', accountPath(person.userId));
  await add('suspended and verified application', `${applicationPath(application.clientId)}?done=verify`);
  await add('asks to lift a suspension', accountPath(person.userId, 'unsuspend'));
  service.clock.advance(16 * 60);
  await add('asks for the password', accountPath(person.userId, 'delete'));
  return pages;
}
