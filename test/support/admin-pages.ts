import { storeDocument } from '../../src/store/agents.ts';
import { recordEvent } from '../../src/store/audit-log.ts';
import { linkIdentity } from '../../src/store/external-identities.ts';
import { addExampleActivity } from '../../tools/example-activity.ts';
import { adminAccountPath, adminClientPath, createSignedInAdmin, type TestAdmin } from './admin.ts';
import { createMfaAccount } from './mfa-account.ts';
import { authorize, openSignedInBrowser } from './oauth-flow.ts';
import {
  createPageList,
  HOSTILE_INPUT,
  HOSTILE_NAME,
  HOSTILE_USER_NAME,
  type Language,
  type OpenedPage,
} from './page-list.ts';
import type { TestService } from './service.ts';
import { upload } from './upload.ts';

const OPERATIONS_PATH = '/console/operations';
const AGENT_URL = 'https://scribe.example/oauth/client-metadata/a-rather-long-one.json';
const IMPORTED_LINES = [
  { email: `imported.${Date.now()}@exemple.fr`, groups: [HOSTILE_NAME] },
  { email: HOSTILE_INPUT },
]
  .map((record) => `${JSON.stringify(record)}\n`)
  .join('');
const QUERY_WITHOUT_MATCH = 'search=%22%3E%3Cb%3E';

export async function openAdminPages(service: TestService, language: Language): Promise<OpenedPage[]> {
  const { pages, add, withBrowser } = createPageList(language);
  const admin = await createSignedInAdmin(service);
  const { openPage, submitInvalid } = withBrowser(admin.browser);
  const { userId, clientId } = await createTestData(service);
  const openEach = async (base: string, ...paths: string[]) => {
    for (const path of paths) await openPage(`${base}${path}`);
  };
  await addExampleActivity(service.services, [clientId]);
  const day = service.clock.now().toISOString().slice(0, 10);
  await openEach(
    OPERATIONS_PATH,
    '',
    '/search',
    '/activity',
    '/activity?days=7',
    `/activity?day=${day}`,
    '/activity?until=2020-01-01',
  );
  await openEach(
    OPERATIONS_PATH,
    '/activity/times',
    '/settings',
    '/audit',
    '/agents',
    '/apis',
    '/applications',
  );
  for (const search of ['zo%C3%A9', '192.0.2.7', 'application', '%22%3E%3Cb%3E'])
    await openPage(`${OPERATIONS_PATH}/search?search=${search}`);
  const unregistered = `/oauth/authorize?client_id=${clientId}&redirect_uri=https%3A%2F%2Fevil.example`;
  const incident = /<code>([2-9A-Z]{10})<\/code>/.exec((await admin.browser.get(unregistered)).body)?.[1];
  await openPage(`${OPERATIONS_PATH}/search?search=${incident}`);
  await openEach(
    OPERATIONS_PATH,
    '/accounts',
    '/accounts?search=zo%C3%A9&state=any',
    `/accounts?${QUERY_WITHOUT_MATCH}`,
  );
  await openEach(
    OPERATIONS_PATH,
    `/applications?${QUERY_WITHOUT_MATCH}&state=verified`,
    `/agents?${QUERY_WITHOUT_MATCH}&state=registration`,
  );
  await openEach(
    OPERATIONS_PATH,
    `/audit?search=${userId}&kind=application_deleted`,
    '/audit?search=203.0.113.200',
  );
  await openPage(
    `${OPERATIONS_PATH}/audit?search=${encodeURIComponent(HOSTILE_INPUT)}&from=1&until=2026-02-30`,
    400,
  );

  const account = adminAccountPath(userId);
  await openEach(account, '', '?done=end', '/reset_password', '/verify_email');
  await openEach(account, '/suspend', '/end', '/grant', '/delete', '/edit');
  const accountPage = (await admin.browser.get(account)).body;
  for (const [, path = ''] of accountPage.matchAll(
    /href="([^"]*\/(?:sessions\/[^"]*|applications\/[^"]*\/revoke))"/g,
  ))
    await openPage(path);
  await openPage(adminAccountPath(admin.user.userId));
  const mfaAccountPath = adminAccountPath(
    (await createMfaAccount(service, { name: HOSTILE_USER_NAME })).user.userId,
  );
  await openEach(mfaAccountPath, '', '/reset_mfa');
  await admin.submit(`${mfaAccountPath}/reset_mfa`, { reason: '<b>"why"' });
  await openEach(mfaAccountPath, '?done=reset_mfa', '/cancel_mfa_reset');
  await openPage(`${OPERATIONS_PATH}/accounts/new`);
  await openPage(`${OPERATIONS_PATH}/import`);
  const { hidden } = await admin.browser.get(`${OPERATIONS_PATH}/import`);
  for (const mode of ['check', 'import'])
    add(
      `POST ${OPERATIONS_PATH}/import ${mode}`,
      await upload(
        admin.browser,
        `${OPERATIONS_PATH}/import`,
        { csrf: hidden.csrf ?? '', format: 'jsonl', mode },
        { name: 'file', content: Buffer.from(IMPORTED_LINES), fileName: 'users.jsonl' },
      ),
    );
  const invitedUser = { name: HOSTILE_USER_NAME, email: `elise.${Date.now()}@exemple.fr`, language: 'fr' };
  const { location } = await admin.submit(`${OPERATIONS_PATH}/accounts/new`, invitedUser);
  await openEach(String(location?.pathname), '?done=invitation', '/invitation');
  await submitInvalid(`${OPERATIONS_PATH}/accounts/new`, { ...invitedUser, name: 'Another user' });

  const application = adminClientPath(clientId);
  await openEach(application, '', '/suspend', '/verify');
  const { apiId } = await service.createApi({
    name: HOSTILE_NAME,
    descriptionFr: '"<i>',
    descriptionEn: '"<i>',
  });
  await openEach(`${OPERATIONS_PATH}/apis/${apiId}`, '', '/suspend');
  const agentPath = `${OPERATIONS_PATH}/agents/${encodeURIComponent(AGENT_URL)}`;
  await openEach(agentPath, '', '/block');
  await admin.submit(`${agentPath}/block`);
  await openEach(agentPath, '?done=block', '/unblock');

  await openProviderPages(service, admin, { openPage, openEach, submitInvalid });

  await submitInvalid(`${account}/edit`, {
    name: HOSTILE_NAME,
    email: HOSTILE_INPUT,
    phone: '<b>',
    verified: 'yes',
  });
  await submitInvalid(`${account}/delete`, { email: HOSTILE_INPUT, reason: `<b>${'x'.repeat(300)}` });
  await admin.submit(`${account}/suspend`, { reason: '<b>"why"' });
  for (const action of ['suspend', 'verify']) await admin.submit(`${application}/${action}`);
  await openEach(account, '', '/unsuspend');
  await openPage(`${application}?done=verify`);
  service.clock.advance(16 * 60);
  await openPage(`${account}/delete`);
  return pages;
}

async function openProviderPages(
  service: TestService,
  admin: TestAdmin,
  {
    openPage,
    openEach,
    submitInvalid,
  }: Pick<ReturnType<ReturnType<typeof createPageList>['withBrowser']>, 'openPage' | 'submitInvalid'> & {
    openEach: (base: string, ...paths: string[]) => Promise<void>;
  },
): Promise<void> {
  const providers = `${OPERATIONS_PATH}/providers`;
  await openEach(providers, '', '/new', '/new/oidc', '/new/apple', '/new/microsoft');
  const fields = {
    ...{ name: HOSTILE_NAME, provider_id: 'exemple', issuer: 'https://192.168.0.1', client_id: 'a&b<c>"' },
    ...{ secret: 'secret', email_domains: 'exemple.fr', mfa_acrs: '<b>"' },
  };
  await admin.submit(`${providers}/new/oidc`, fields);
  const google = { ...fields, provider_id: 'google', name: `Google ${HOSTILE_NAME}` };
  await admin.submit(`${providers}/new/google`, google);
  await linkIdentity(
    service.services.database,
    (await service.createUser()).userId,
    { issuer: fields.issuer, subject: '1', providerId: 'exemple', label: 'ada' },
    service.clock.now(),
  );
  await openEach(providers, '', '?done=move', '/google/remove');
  await openEach(`${providers}/exemple`, '', '?done=add', '/edit', '/disable', '/remove', '/test');
  await submitInvalid(`${providers}/new/apple`, { ...fields, secret: HOSTILE_INPUT, team_id: HOSTILE_INPUT });
  await submitInvalid(`${providers}/exemple/edit`, {
    ...fields,
    client_id: 'a b',
    email_domains: HOSTILE_INPUT,
  });
  await submitInvalid(`${providers}/exemple/remove`, { id: HOSTILE_INPUT });
  await openPage(String((await admin.submit(`${providers}/exemple/test`)).location));
  await openPage(`${providers}/exemple/test?report=x`);
  await admin.submit(`${providers}/exemple/disable`);
  await openEach(`${providers}/exemple`, '', '/enable');
}

async function createTestData(service: TestService): Promise<{ userId: string; clientId: string }> {
  const { database } = service.services;
  const now = service.clock.now();
  const email = `zoe.o+${now.getTime()}@exemple.fr`;
  const user = await service.createUser({ name: HOSTILE_USER_NAME, email, phone: '+33612345678' });
  const { userId } = user;
  const application = await service.createClient({
    ownerId: userId,
    name: HOSTILE_NAME,
    redirectUris: ['https://notes.example/cb?a=1&b=2', 'https://notes.example/autre'],
  });
  await authorize(service, application, await openSignedInBrowser(service, user));
  const agent = {
    clientId: AGENT_URL,
    name: HOSTILE_NAME,
    redirectUris: ['http://localhost/callback', 'https://scribe.example/cb?a=1&b=2'],
    ...{ jwks: null, origin: 'https://scribe.example', freshUntil: now },
  };
  await storeDocument(database, agent, 10, now);
  for (const event of [
    { kind: 'application_deleted', actorId: userId, detail: { name: '<b>Gone' } },
    { kind: 'signed_in', userId, ip: '2001:db8::' },
    { kind: 'sign_in_failed', ip: '192.0.2.7', detail: { times: 7 } },
    { kind: 'of_the_future' as 'signed_in', detail: { '<i>': '"<script>' } },
  ] as const)
    await recordEvent(database, event, now);
  return { userId, clientId: application.clientId };
}
