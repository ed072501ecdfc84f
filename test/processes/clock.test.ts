// Lifetimes to the second, as the processes themselves see the time: two processes on one database, one of them with a
// clock that the test sets (libfaketime). Every decision takes the clock of the process that was asked (D36).
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { authorize, obtainTokens, redeem, renew, signedInBrowser, userinfo } from '../support/flow.ts';
import { endProcesses, startService, temporaryFolder } from '../support/process.ts';
import { codeOf, give, halfWay, isIn, protect } from '../support/protected-account.ts';
import {
  startTestService,
  type TestApplication,
  type TestService,
  type TestUser,
} from '../support/service.ts';

const LIBRARY = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketimeMT.so.1`;
const installed = existsSync(LIBRARY);
if (!installed)
  console.warn('NOT TESTED: libfaketime is not installed, so lifetimes by a moved clock go untested.');

/** Where both clocks stand; what lives longer than a test must not run out by a real clock. */
const START = new Date('2031-03-05T12:00:00Z');
const CODE = 60;
const ACCESS = 3600;
const REFRESH = 30 * 86_400;

let service: TestService;
let application: TestApplication;
let person: TestUser;
/** The service as the process whose clock stands still answers for it, and as the one whose clock is moved. */
let still: TestService;
let moved: TestService;
let clockOfMoved: string;

/** A process whose clock stands where the file says, to the second, until the file says otherwise. */
async function startAt(file: string): Promise<TestService> {
  const { address } = await startService({
    DATABASE_URL: service.databaseUrl,
    BASE_URL: service.baseUrl,
    TZ: 'UTC',
    LD_PRELOAD: LIBRARY,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1', // timers run as ever
    DONT_FAKE_MONOTONIC: '1', // the same for older versions of the library
  });
  return { ...service, baseUrl: address };
}

const setClock = (file: string, seconds: number) =>
  writeFile(file, new Date(START.getTime() + seconds * 1000).toISOString().slice(0, 19).replace('T', ' '));

beforeAll(async () => {
  if (!installed) return;
  service = await startTestService();
  application = await service.createApplication();
  person = await service.createUser();
  const folder = await temporaryFolder();
  clockOfMoved = join(folder, 'moved');
  await setClock(join(folder, 'still'), 0);
  await setClock(clockOfMoved, 0);
  [still, moved] = await Promise.all([startAt(join(folder, 'still')), startAt(clockOfMoved)]);
});
afterAll(async () => {
  await endProcesses();
  await service?.close();
});

describe.skipIf(!installed)('a clock moved forward', () => {
  test.each([
    [CODE - 1, 200],
    [CODE, 400],
    [CODE + 1, 400],
  ])('a code after %i seconds: %i (D13)', async (seconds, status) => {
    const callback = await authorize(still, application, await signedInBrowser(still, person));
    await setClock(clockOfMoved, seconds);
    const answer = await redeem(moved, application, callback.searchParams.get('code') ?? '');
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body.error).toBe('invalid_grant');
  });

  test('an access token lives 3,600 seconds and says so', async () => {
    const { accessToken } = await obtainTokens(still, application, await signedInBrowser(still, person));
    const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
    expect([claims.iat, claims.exp]).toEqual([START.getTime() / 1000, START.getTime() / 1000 + ACCESS]);
    for (const [seconds, status] of [
      [ACCESS - 1, 200],
      [ACCESS, 401],
      [ACCESS + 1, 401],
    ] as const) {
      await setClock(clockOfMoved, seconds);
      expect([seconds, (await userinfo(moved, accessToken)).status]).toEqual([seconds, status]);
    }
    expect((await userinfo(still, accessToken)).status).toBe(200); // the clock of the process asked decides
  });

  test.each([
    [REFRESH - 1, 200],
    [REFRESH, 400],
    [REFRESH + 1, 400],
  ])('a refresh token after %i seconds without use: %i (D15)', async (seconds, status) => {
    const { refreshToken } = await obtainTokens(still, application, await signedInBrowser(still, person));
    await setClock(clockOfMoved, seconds);
    expect((await renew(moved, application, refreshToken)).status).toBe(status);
  });

  test.each([
    [0, true],
    [30, true],
    [-30, true],
    [90, false],
    [-90, false],
  ])(
    'the code of an app by a clock that is %i seconds from that of the process: %s (D39)',
    async (apart, good) => {
      await setClock(clockOfMoved, 0);
      const at = (seconds: number): TestService => ({
        ...moved,
        clock: { now: () => new Date(START.getTime() + seconds * 1000), advance: () => {} },
      });
      const account = await protect(at(0));
      await setClock(clockOfMoved, 600); // past the step that set it up
      const { browser, page } = await halfWay(at(600), account.user);
      await give(browser, page, { code: codeOf(at(600 + apart), account.secret) });
      expect(await isIn(browser)).toBe(good);
    },
  );

  test('each renewal begins the 30 days anew (D15)', async () => {
    let { refreshToken } = await obtainTokens(still, application, await signedInBrowser(still, person));
    for (let month = 1; month <= 3; month++) {
      await setClock(clockOfMoved, month * (REFRESH - 1));
      const renewal = await renew(moved, application, refreshToken);
      expect(renewal.status).toBe(200);
      refreshToken = String(renewal.body.refresh_token);
    }
    await setClock(clockOfMoved, 3 * (REFRESH - 1) + REFRESH);
    expect((await renew(moved, application, refreshToken)).body.error).toBe('invalid_grant');
  });
});
