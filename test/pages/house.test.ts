// Whoever a page sends to the operators reads there where they are; where the operator has set nothing, nothing is said.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { signedInBrowser } from '../support/flow.ts';
import { startTestService, type TestService } from '../support/service.ts';

const PLACE =
  /<p class="reach">[^<]+<a href="mailto:aide@example\.fr" rel="noopener noreferrer">aide@example\.fr<\/a><\/p>/;
const SUSPEND = statement(
  'test_suspend',
  'update clients set suspended_at = now() where client_id = $1::text',
);

/** The pages that send people to the operators, as `service` shows them. */
async function sendingPages(service: TestService): Promise<string[]> {
  const owner = await service.createUser();
  const { clientId } = await service.createApplication({ ownerId: owner.userId });
  await service.parts.database.query(SUSPEND, [clientId]);
  const member = await signedInBrowser(service, owner);
  const stranger = openBrowserSession(service.baseUrl);
  const visits = [
    await stranger.get('/signup'),
    await stranger.get('/oauth/authorize?client_id=nobody'),
    await member.get('/console/applications'),
    await member.get(`/console/applications/${clientId}`),
    await member.get(`/console/applications/${clientId}/integrate`),
  ];
  return visits.map(({ body }) => body);
}

describe('with SUPPORT', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({
      SUPPORT: 'aide@example.fr',
      SIGN_UP: 'closed',
      REGISTRATIONS_PER_ACCOUNT: '1',
    });
  });
  afterAll(() => service.close());

  test('sign-up that is closed, an error with its code, no more applications, a suspended one', async () => {
    for (const page of await sendingPages(service)) expect(page).toMatch(PLACE);
  });

  test('pages that send nobody anywhere say it in their foot alone', async () => {
    const { body } = await openBrowserSession(service.baseUrl).get('/signin');
    expect(body).not.toMatch(PLACE);
    expect(body).toMatch(/<footer[\s\S]+href="mailto:aide@example\.fr"[\s\S]+<\/footer>/);
  });
});

test('where nothing is set, no page has an empty place for it', async () => {
  await using service = await startTestService({ SIGN_UP: 'closed', REGISTRATIONS_PER_ACCOUNT: '1' });
  for (const page of await sendingPages(service)) expect(page).not.toMatch(/class="(?:reach|house)"/);
});

test('in production without mail, whoever forgot a password is sent to the operators', async () => {
  await using service = await startTestService({
    NODE_ENV: 'production',
    BASE_URL: 'https://signin.example',
    TRUSTED_PROXIES: '127.0.0.1',
    SUPPORT: 'aide@example.fr',
  });
  const browser = openBrowserSession(`http://127.0.0.1:${service.parts.config.port}`);
  const { body } = await browser.get('/password/forgot', { 'x-forwarded-proto': 'https' });
  expect(body).toMatch(PLACE);
});
