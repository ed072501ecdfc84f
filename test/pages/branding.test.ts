// The support contact on pages that mention the administrators.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { readMain } from '../support/markup.ts';
import { openSignedInBrowser } from '../support/oauth-flow.ts';
import { startTestService, type TestService } from '../support/service.ts';

const SUPPORT_LINK =
  /[^<>]+<a href="mailto:aide@example\.fr" rel="noopener noreferrer">aide@example\.fr<\/a><\/p>/;
const SUSPEND_CLIENT = statement(
  'test_suspend',
  'update clients set suspended_at = now() where client_id = $1::text',
);

async function loadReferringPages(service: TestService): Promise<string[]> {
  const owner = await service.createUser();
  const { clientId } = await service.createClient({ ownerId: owner.userId });
  await service.services.database.query(SUSPEND_CLIENT, [clientId]);
  const ownerBrowser = await openSignedInBrowser(service, owner);
  const anonymous = openBrowserSession(service.baseUrl);
  const visits = [
    await anonymous.get('/signup'),
    await anonymous.get('/oauth/authorize?client_id=nobody'),
    await ownerBrowser.get('/console/applications'),
    await ownerBrowser.get(`/console/applications/${clientId}`),
    await ownerBrowser.get(`/console/applications/${clientId}/integrate`),
  ];
  return visits.map(({ body }) => body);
}

describe('the support contact', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({
      SUPPORT: 'aide@example.fr',
      SIGN_UP: 'closed',
      REGISTRATIONS_PER_ACCOUNT: '1',
    });
  });
  afterAll(() => service.close());

  test('is shown on pages about errors, quotas and closed sign-up', async () => {
    for (const page of await loadReferringPages(service)) expect(readMain(page)).toMatch(SUPPORT_LINK);
  });

  test('is shown only in the footer of ordinary pages', async () => {
    const { body } = await openBrowserSession(service.baseUrl).get('/signin');
    expect(body).not.toMatch(SUPPORT_LINK);
    expect(body).toMatch(/<footer[\s\S]+href="mailto:aide@example\.fr"[\s\S]+<\/footer>/);
  });
});

test('the support contact is not shown if SUPPORT is not set', async () => {
  await using service = await startTestService({ SIGN_UP: 'closed', REGISTRATIONS_PER_ACCOUNT: '1' });
  for (const page of await loadReferringPages(service))
    expect(page).not.toMatch(/class="(?:support-contact|footer-links)"/);
});

test('the forgotten-password page shows the support contact if no mail server is configured', async () => {
  await using service = await startTestService({
    NODE_ENV: 'production',
    BASE_URL: 'https://signin.example',
    TRUSTED_PROXIES: '127.0.0.1',
    SUPPORT: 'aide@example.fr',
  });
  const browser = openBrowserSession(`http://127.0.0.1:${service.services.config.port}`);
  const { body } = await browser.get('/password/forgot', { 'x-forwarded-proto': 'https' });
  expect(body).toMatch(SUPPORT_LINK);
});
