// Races: fifty simultaneous requests at two processes, of which exactly one may win, thirty times over.
import { strict as assert } from 'node:assert';
import { openBrowserSession } from '../support/browser-session.ts';
import {
  authorizeAddress,
  type JsonAnswer,
  obtainCode,
  obtainTokens,
  redeem,
  renew,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import { isIn } from '../support/protected-account.ts';
import { PASSWORD, type TestService } from '../support/service.ts';
import { allowedDevice, poll, type Stage } from './journeys.ts';
import type { Step } from './report.ts';

const ROUNDS = 30;
const CROWD = 50;

export async function playRaces(step: Step, { factory, one, two, query }: Stage): Promise<void> {
  const application = await factory.createApplication();
  const user = await factory.createUser({ emailVerified: true });
  const browser = await signedInBrowser(one, user);
  const crowd = <Answer>(ask: (service: TestService, index: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: CROWD }, (_, index) => ask(index % 2 === 0 ? one : two, index)));
  const rounds = async (race: (round: number) => Promise<void>) => {
    for (let round = 0; round < ROUNDS; round++) await race(round);
  };
  const race = (name: string, work: (round: number) => Promise<void>) =>
    step(`${ROUNDS} × ${CROWD} simultaneous uses of ${name}: one wins`, () => rounds(work));

  /** The tokens of the only answer that is a success. */
  const winner = (answers: JsonAnswer[]) => {
    const won = answers.filter(({ status }) => status === 200);
    const others = answers.filter(({ status }) => status !== 200);
    assert.equal(won.length, 1, `${won.length} have won: ${others[0]?.text}`);
    for (const { status, body } of others) assert.deepEqual([status, body.error], [400, 'invalid_grant']);
    return { access: String(won[0]?.body.access_token), refresh: String(won[0]?.body.refresh_token) };
  };

  await race('a code', async () => {
    const code = await obtainCode(one, application, browser);
    const { access, refresh } = winner(await crowd((at) => redeem(at, application, code)));
    // Each loser has used the code again, which ends what it gave.
    assert.equal((await userinfo(two, access)).status, 401);
    assert.equal((await renew(one, application, refresh)).status, 400);
  });

  await race('a refresh token', async () => {
    const tokens = await obtainTokens(one, application, browser);
    const { access, refresh } = winner(await crowd((at) => renew(at, application, tokens.refreshToken)));
    for (const token of [access, tokens.accessToken]) assert.equal((await userinfo(two, token)).status, 401);
    assert.equal((await renew(one, application, refresh)).status, 400);
  });

  await race('a device code', async () => {
    await query('update clients set device_flow = true where client_id = $1', [application.clientId]);
    const owner = await factory.createUser(); // an account may type a few codes only
    const code = await allowedDevice(one, application, await signedInBrowser(one, owner));
    const { access } = winner(await crowd((at) => poll(at, application, code)));
    assert.equal((await userinfo(two, access)).body.sub, owner.userId);
  });

  await race('a consent form', async () => {
    const asking = await factory.createApplication();
    const page = await browser.follow(await browser.get(authorizeAddress(one, asking)));
    const answers = await crowd((at) =>
      browser.post(new URL('/consent', at.baseUrl), { ...page.hidden, decision: 'allow' }),
    );
    const codes = new Set(answers.map(({ location }) => location?.searchParams.get('code')));
    assert.equal(codes.size, 1, `${codes.size} codes`);
    assert.equal((await redeem(two, asking, [...codes][0] ?? '')).status, 200);
    const events = `select from events where user_id = $1 and client_id = $2 and kind = 'consent_given'`;
    assert.equal((await query(events, [user.userId, asking.clientId])).length, 1);
  });

  await race('an email to sign up with', async (round) => {
    const email = `crowd-${round}@example.org`;
    const browsers = await crowd(async (at) => {
      const own = openBrowserSession(at.baseUrl);
      const { hidden } = await own.get('/signup');
      return { own, hidden };
    });
    // With passwords of their own, because the right one would sign them in.
    await Promise.all(
      browsers.map(({ own, hidden }, index) =>
        own.post('/signup', { ...hidden, email, name: 'Ada Lovelace', password: `${PASSWORD} ${index}` }),
      ),
    );
    // An unverified account is replaced by the next one with its email, so the last winner is left.
    const inside = await Promise.all(browsers.map(({ own }) => isIn(own)));
    assert.equal(inside.filter(Boolean).length, 1, 'browsers that are signed in');
    const owners = await query('select user_id as id from emails where email_key = $1', [email]);
    assert.equal(owners.length, 1);
    assert.deepEqual(await query('select id from users where email = $1', [email]), owners);
  });
}
