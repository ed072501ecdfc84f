// Another person's application: 404 on every page and every form, also for operators, who have pages of their own.
import { beforeAll, describe, expect, test } from 'vitest';
import { findOwnApplication } from '../../../src/store/applications.ts';
import type { BrowserSession } from '../../support/browser-session.ts';
import { at, SETTINGS, sendFields } from '../../support/console.ts';
import { databaseContent } from '../../support/database-content.ts';
import { signedInBrowser } from '../../support/flow.ts';
import { PASSWORD, type TestUser, useTestService } from '../../support/service.ts';
import { upload } from '../../support/upload.ts';

const service = useTestService();
let owner: TestUser;
let theirs: BrowserSession;
let clientId: string;
beforeAll(async () => {
  owner = await service.createUser();
  theirs = await signedInBrowser(service, owner);
  ({ clientId } = await service.createApplication({ ownerId: owner.userId }));
});

const BELOW = ['', '/edit', '/logo', '/secrets', '/secrets/1/end', '/delete', '/transfer', '/integrate'];
const FORMS: Record<string, Record<string, string | string[]>> = {
  '/edit': { ...SETTINGS, name: 'Taken over', redirect_uris: 'https://evil.example/' } as Record<
    string,
    string
  >,
  '/logo': { remove: 'yes' },
  '/secrets': { form: 'A'.repeat(43), overlap: '0' },
  '/secrets/1/end': {},
  '/delete': { name: 'Carnet' },
  '/transfer': { email: 'evil@example.com' },
  '/transfer/cancel': {},
  '/transfer/accept': {},
  '/transfer/decline': {},
};

describe.each([
  ['another person', false],
  ['an operator', true],
])('to %s', (_, operator) => {
  let browser: BrowserSession;
  let csrf = '';
  beforeAll(async () => {
    const stranger = await service.createUser({ operator });
    browser = await signedInBrowser(service, stranger);
    // A form of an application of their own, so that nothing but the ownership is wrong.
    const own = await service.createApplication({ ownerId: stranger.userId });
    csrf = (await browser.get(at(own.clientId, '/delete'))).hidden.csrf ?? '';
  });

  test.each(BELOW)('GET …%s is 404, as for an application that is not there', async (below) => {
    const foreign = await browser.get(at(clientId, below));
    const absent = await browser.get(at('app_AAAAAAAAAAAAAAAAAAAA', below));
    expect([foreign.status, absent.status]).toEqual([404, 404]);
    expect(foreign.body.replaceAll(clientId, 'X')).toBe(
      absent.body.replaceAll('app_AAAAAAAAAAAAAAAAAAAA', 'X'),
    );
  });

  test.each(Object.entries(FORMS))('POST …%s is 404 and changes nothing', async (below, fields) => {
    const before = await databaseContent(service.databaseUrl);
    const sent = { csrf, current_password: PASSWORD, owner_id: owner.userId, ...fields };
    const answer = await sendFields(browser, at(clientId, below), sent);
    expect(answer.status).toBe(404);
    const { clients, secrets, transfer_offers, events } = await databaseContent(service.databaseUrl);
    expect({ clients, secrets, transfer_offers, events }).toEqual({
      clients: before.clients,
      secrets: before.secrets,
      transfer_offers: before.transfer_offers,
      events: before.events,
    });
  });

  test('a file for its logo is 404', async () => {
    const file = { name: 'logo', content: Buffer.from('x'), fileName: 'x.png' };
    expect((await upload(browser, at(clientId, '/logo'), { csrf }, file)).status).toBe(404);
  });

  test.each(['PUT', 'PATCH', 'DELETE'])('%s is no way in, whoever asks', async (method) => {
    for (const below of BELOW) {
      const headers = { 'sec-fetch-site': 'same-origin' };
      const send = (one: BrowserSession) => one.send(at(clientId, below), { method, headers });
      const [foreign, own] = [await send(browser), await send(theirs)];
      expect([foreign.status, own.status], below).toEqual([404, 404]);
    }
    expect(await findOwnApplication(service.parts.database, owner.userId, clientId)).toBeDefined();
  });

  test.each(['', '/integrate', '/diagnostics', '/nothing', '/secrets/1'])(
    'POST …%s, which takes no form, is 404 as for an application that is not there',
    async (below) => {
      for (const id of [clientId, 'app_AAAAAAAAAAAAAAAAAAAA'])
        expect((await sendFields(browser, at(id, below), { csrf })).status).toBe(404);
    },
  );

  test('it is in no list', async () => {
    expect((await browser.get('/console/applications')).body).not.toContain(clientId);
  });
});

test.each([
  ['percent signs', '%2e%2e', 404],
  ['NUL', 'app_%00', 404],
  ['SQL', "'%20or%201=1--", 404],
  ['65 characters', 'a'.repeat(65), 404],
])('an address of %s is 404, never 500', async (_, id, status) => {
  for (const below of ['', '/edit', '/secrets', '/transfer/accept'])
    expect((await theirs.get(`/console/applications/${id}${below}`)).status).toBe(status);
});
