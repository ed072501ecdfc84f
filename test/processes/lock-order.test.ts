// Transactions of one account on two processes take their locks in one order, so that none waits for another for good.
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BrowserSession, Visit } from '../support/browser-session.ts';
import { at, type Fields, NEW, REGISTRATION, SETTINGS, sendFields } from '../support/console.ts';
import { authorizeAddress, signedInBrowser } from '../support/flow.ts';
import { type Lock, lockApplication, lockUser } from '../support/locks.ts';
import { accountPath } from '../support/operator.ts';
import { endProcesses, startService } from '../support/process.ts';
import { codeOf } from '../support/protected-account.ts';
import { protectedPerson } from '../support/second-factor.ts';
import { type TestApplication, type TestService, type TestUser, useTestService } from '../support/service.ts';

const service = useTestService();
/** The same service, as each of two processes answers for it. */
let one: TestService;
let two: TestService;
let user: TestUser;
let application: TestApplication;
beforeAll(async () => {
  // A deadlock is not resolved, so the requests in it run into the lock timeout and are answered 503.
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  await client.query(
    `alter database ${pg.escapeIdentifier(client.database ?? '')} set deadlock_timeout = '1min'`,
  );
  await client.end();
  const environment = { DATABASE_URL: service.databaseUrl, BASE_URL: service.baseUrl };
  const processes = await Promise.all([startService(environment), startService(environment)]);
  [one, two] = processes.map(({ address }) => ({ ...service, baseUrl: address })) as [
    TestService,
    TestService,
  ];
});
afterAll(endProcesses);
beforeEach(async () => {
  user = await service.createUser();
  application = await service.createApplication({ ownerId: user.userId });
});

type Send = () => Promise<Visit>;

/** Fills in a form of a page; the result sends it. */
async function prepared(browser: BrowserSession, url: string, fields: Fields): Promise<Send> {
  const { hidden } = await browser.get(url);
  return () => sendFields(browser, url, { ...hidden, ...fields });
}

/** Starts the requests one after the other behind a lock, releases it, and expects an answer other than an outage. */
async function expectNoDeadlock(lock: Lock, first: Send, second: Send): Promise<void> {
  const answers = [first()];
  await lock.heldUp(1);
  answers.push(second());
  await lock.heldUp(2);
  await lock.release();
  for (const { status } of await Promise.all(answers)) expect(status).toBeLessThan(500);
}

const lockOwnAccount = () => lockUser(service.databaseUrl, user.userId);
const lockOwnApplication = () => lockApplication(service.databaseUrl, application.clientId);
const deletion = async () =>
  prepared(await signedInBrowser(one, user), '/account/delete', { email: user.email });

describe('deleting an account does not deadlock with', () => {
  test('a registration in another session of it', async () => {
    const register = await prepared(await signedInBrowser(two, user), NEW, REGISTRATION);
    await expectNoDeadlock(await lockOwnAccount(), await deletion(), register);
  });

  test('an edit of its application', async () => {
    const url = at(application.clientId, '/edit');
    const edit = await prepared(await signedInBrowser(two, user), url, { ...SETTINGS, name: 'Renamed' });
    await expectNoDeadlock(await lockOwnApplication(), edit, await deletion());
  });

  test('a new secret of its application', async () => {
    const url = at(application.clientId, '/secrets');
    const rotate = await prepared(await signedInBrowser(two, user), url, { overlap: '86400' });
    await expectNoDeadlock(await lockOwnApplication(), rotate, await deletion());
  });
});

test('suspending an account does not deadlock with a registration in it', async () => {
  const administrator = await service.createUser({ operator: true });
  const url = accountPath(user.userId, 'suspend');
  const suspend = await prepared(await signedInBrowser(one, administrator), url, {});
  const register = await prepared(await signedInBrowser(two, user), NEW, REGISTRATION);
  await expectNoDeadlock(await lockOwnAccount(), suspend, register);
});

test('a step-up with a code does not deadlock with a change of the password', async () => {
  const person = await protectedPerson(one);
  user = person.user;
  const { before, browser } = person;
  const asked = await before.follow(
    await before.get(authorizeAddress(one, application, { acr_values: '2' })),
  );
  const code = codeOf(service, person.secret);
  const stepUp = () => before.post('/signin/step-up', { ...asked.hidden, code });
  const change = await prepared(browser, '/account/password', {
    current_password: user.password,
    new_password: 'quite another password 7',
  });
  await expectNoDeadlock(await lockOwnAccount(), stepUp, change);
});
