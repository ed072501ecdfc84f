// Sends 50 concurrent requests to two processes, and asserts that exactly one request succeeds.
import { strict as assert } from 'node:assert';
import { openBrowserSession } from '../support/browser-session.ts';
import { isSignedIn } from '../support/mfa-account.ts';
import {
  buildAuthorizeUrl,
  fetchUserinfo,
  type JsonResponse,
  obtainCode,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
} from '../support/oauth-flow.ts';
import { PASSWORD, type TestService } from '../support/service.ts';
import type { Step } from './report.ts';
import { authorizeDevice, pollForToken, type TestContext } from './user-flows.ts';

const ROUND_COUNT = 30;
const CONCURRENCY = 50;

export async function testRaces(step: Step, { factory, first, second, query }: TestContext): Promise<void> {
  const application = await factory.createClient();
  const user = await factory.createUser({ emailVerified: true });
  const browser = await openSignedInBrowser(first, user);
  const sendAll = <Result>(send: (service: TestService, index: number) => Promise<Result>) =>
    Promise.all(
      Array.from({ length: CONCURRENCY }, (_, index) => send(index % 2 === 0 ? first : second, index)),
    );
  const repeatRounds = async (runRound: (round: number) => Promise<void>) => {
    for (let round = 0; round < ROUND_COUNT; round++) await runRound(round);
  };
  const testRace = (name: string, work: (round: number) => Promise<void>) =>
    step(`in ${ROUND_COUNT} rounds, one of ${CONCURRENCY} concurrent uses of ${name} succeeds`, () =>
      repeatRounds(work),
    );

  /** Asserts that exactly one request succeeded. @returns the tokens from that response */
  const expectOneSuccess = (responses: JsonResponse[]) => {
    const succeeded = responses.filter(({ status }) => status === 200);
    const rejected = responses.filter(({ status }) => status !== 200);
    assert.equal(succeeded.length, 1, `${succeeded.length} succeeded: ${rejected[0]?.text}`);
    for (const { status, body } of rejected) assert.deepEqual([status, body.error], [400, 'invalid_grant']);
    return {
      access: String(succeeded[0]?.body.access_token),
      refresh: String(succeeded[0]?.body.refresh_token),
    };
  };

  await testRace('a code', async () => {
    const code = await obtainCode(first, application, browser);
    const { access, refresh } = expectOneSuccess(
      await sendAll((service) => redeemCode(service, application, code)),
    );
    // The failed requests reused the authorization code, which revoked the grant.
    assert.equal((await fetchUserinfo(second, access)).status, 401);
    assert.equal((await redeemRefreshToken(first, application, refresh)).status, 400);
  });

  await testRace('a refresh token', async () => {
    const tokens = await obtainTokens(first, application, browser);
    const { access, refresh } = expectOneSuccess(
      await sendAll((service) => redeemRefreshToken(service, application, tokens.refreshToken)),
    );
    for (const token of [access, tokens.accessToken])
      assert.equal((await fetchUserinfo(second, token)).status, 401);
    assert.equal((await redeemRefreshToken(first, application, refresh)).status, 400);
  });

  await testRace('a device code', async () => {
    await query('update clients set device_flow = true where client_id = $1', [application.clientId]);
    // Create a new account because each account gets only a few emailed codes.
    const owner = await factory.createUser();
    const code = await authorizeDevice(first, application, await openSignedInBrowser(first, owner));
    const { access } = expectOneSuccess(await sendAll((service) => pollForToken(service, application, code)));
    assert.equal((await fetchUserinfo(second, access)).body.sub, owner.userId);
  });

  await testRace('a consent form', async () => {
    const client = await factory.createClient();
    const page = await browser.follow(await browser.get(buildAuthorizeUrl(first, client)));
    const responses = await sendAll((service) =>
      browser.post(new URL('/consent', service.baseUrl), { ...page.hidden, decision: 'allow' }),
    );
    const codes = new Set(responses.map(({ location }) => location?.searchParams.get('code')));
    assert.equal(codes.size, 1, `${codes.size} codes`);
    assert.equal((await redeemCode(second, client, [...codes][0] ?? '')).status, 200);
    const eventQuery = `select from events where user_id = $1 and client_id = $2 and kind = 'consent_given'`;
    assert.equal((await query(eventQuery, [user.userId, client.clientId])).length, 1);
  });

  await testRace('an email address to sign up', async (round) => {
    const email = `crowd-${round}@example.org`;
    const browsers = await sendAll(async (service) => {
      const session = openBrowserSession(service.baseUrl);
      const { hidden } = await session.get('/signup');
      return { session, hidden };
    });
    // The passwords differ because a sign-up with an existing account's password signs the user in instead.
    await Promise.all(
      browsers.map(({ session, hidden }, index) =>
        session.post('/signup', { ...hidden, email, name: 'Ada Lovelace', password: `${PASSWORD} ${index}` }),
      ),
    );
    // Each sign-up replaces the previous unverified account with that email address.
    const signedIn = await Promise.all(browsers.map(({ session }) => isSignedIn(session)));
    assert.equal(signedIn.filter(Boolean).length, 1, 'number of signed-in browsers');
    const emailOwners = await query('select user_id as id from emails where email_key = $1', [email]);
    assert.equal(emailOwners.length, 1);
    assert.deepEqual(await query('select id from users where email = $1', [email]), emailOwners);
  });
}
