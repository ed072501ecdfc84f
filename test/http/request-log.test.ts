import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { challengeOf } from '../../src/oauth/pkce.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { openDatabaseProxy } from '../support/database-proxy.ts';
import {
  authorizeAddress,
  decide,
  newVerifier,
  obtainTokens,
  redeem,
  renew,
  revoke,
  signedInBrowser,
  signIn,
  userinfo,
} from '../support/flow.ts';
import { httpRequest, rawRequest } from '../support/http-request.ts';
import { lockGrants } from '../support/locks.ts';
import { NEW, newPasskey, optionsIn, showPasskey } from '../support/passkey.ts';
import { sql } from '../support/populate.ts';
import { endProcesses, startService } from '../support/process.ts';
import { codeAt, give, halfWay, setUpFields, wordsIn } from '../support/protected-account.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const maker = await startTestService();
await maker.createUser({ operator: true });
// so that the process makes up none
const proxy = await openDatabaseProxy(maker.databaseUrl);
const running = await startService({ DATABASE_URL: proxy.url, LOG_LEVEL: 'trace' });
const service: TestService = { ...maker, baseUrl: running.address };
const port = Number(new URL(running.address).port);
const application = await maker.createApplication();
afterAll(async () => {
  await endProcesses();
  await proxy?.close();
  await maker?.close();
});

/** Waits until all that was asked so far is in the log: a request of a rare method marks its end. Gives its length. */
async function everythingLogged(): Promise<number> {
  const marks = () => running.logs().filter(({ method }) => method === 'PROPFIND').length;
  const before = marks();
  await httpRequest(port, '/', { method: 'PROPFIND' });
  await until('the mark in the log', () => marks() > before);
  return running.logs().length;
}

/** Values that must never be logged, by what they are. */
const secrets = new Map<string, string>();
function keep(name: string, value: unknown): string {
  expect(String(value).length, name).toBeGreaterThan(7);
  secrets.set(name, String(value));
  return String(value);
}

async function wholeFlow(): Promise<void> {
  const user = await maker.createUser({ password: keep('password', 'correct-horse-battery-91') });
  keep('client secret', application.clientSecret);
  const verifier = keep('code_verifier', newVerifier());
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.follow(
    await browser.get(
      authorizeAddress(service, application, {
        state: keep('state', 'state-that-nobody-may-read'),
        nonce: keep('nonce', 'nonce-that-nobody-may-read'),
        code_challenge: challengeOf(verifier),
        code_challenge_method: 'S256',
      }),
    ),
  );
  keep('pending request', page.hidden.pending);
  keep('csrf token', page.hidden.csrf);
  const wrong = keep('wrong password', 'a-wrong-password-that-was-typed');
  const refused = await browser.post('/signin', { ...page.hidden, email: user.email, password: wrong });
  for (const [name, value] of browser.cookies) keep(`cookie ${name}`, value);
  const consent = await signIn(browser, user, refused);
  const callback = (await decide(browser, consent, 'allow')).location;
  for (const [name, value] of browser.cookies) keep(`cookie ${name} after sign-in`, value);

  const code = keep('code', callback?.searchParams.get('code'));
  const mistaken = keep('wrong client secret', 'sesame_secret_mistyped');
  expect((await redeem(service, application, code, { client_secret: mistaken })).status).toBe(401);
  const first = (await redeem(service, application, code, { code_verifier: verifier })).body;
  const second = (await renew(service, application, String(first.refresh_token))).body;
  for (const name of ['access_token', 'refresh_token', 'id_token']) keep(`first ${name}`, first[name]);
  for (const name of ['access_token', 'refresh_token']) keep(`second ${name}`, second[name]);
  expect((await userinfo(service, String(second.access_token))).status).toBe(200);
  expect((await redeem(service, application, code, { code_verifier: verifier })).body.error).toBe(
    'invalid_grant',
  );
  expect((await revoke(service, application, String(second.refresh_token))).status).toBe(200);
}

/** Keeps all that a passkey says, as it is sent. */
function keepAnswer(name: string, text: string): string {
  const { clientDataJSON = '', ...response }: Record<string, string> = JSON.parse(text).response;
  keep(`client data of ${name}`, clientDataJSON);
  keep(`challenge of ${name}`, JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()).challenge);
  for (const part of ['attestationObject', 'authenticatorData', 'signature', 'userHandle'])
    if (part in response) keep(`${part} of ${name}`, response[part]);
  return text;
}

/** The codes of the app, six digits each: between others, they are none. */
const appCodes = new Set<string>();

/**
 * Sets up and shows all that an account can have beside its password, rightly and wrongly.
 * @returns forms that are still to be sent
 */
async function flowOfSecondFactors(): Promise<(() => Promise<{ status: number }>)[]> {
  const user = await maker.createUser();
  const browser = await signedInBrowser(service, user);
  const page = await browser.get('/account/security/app');
  const key = keep('key of the app, as it is read', wordsIn(page, 'key')).replaceAll(' ', '');
  keep('key of the app', key);
  keep('sealed key of the app', page.hidden.secret);
  const code = (steps: number): string => {
    const made = codeAt(key, new Date(), steps);
    appCodes.add(made);
    return made;
  };
  const refused = await browser.post('/account/security/app', { ...setUpFields(page), code: code(99) });
  const set = await browser.post('/account/security/app', { ...setUpFields(refused), code: code(0) });
  const shown = await browser.follow(set);
  const recovery = wordsIn(shown, 'codes').split('\n');
  expect(recovery).toHaveLength(10);
  for (const [place, one] of recovery.entries()) keep(`recovery code ${place}`, one);
  for (const [name, value] of browser.cookies) keep(`cookie ${name} of the app`, value);

  const passkey = newPasskey(service.baseUrl, { synced: false });
  for (const odd of [{ verified: false }, {}]) {
    const asked = await browser.get(NEW);
    const made = passkey.creation(optionsIn(asked.body, 'create'), odd);
    keepAnswer(`passkey made ${JSON.stringify(odd)}`, made);
    const answer = await browser.post(NEW, { ...asked.hidden, passkey: made });
    expect(answer.status).toBe('verified' in odd ? 400 : 303);
  }
  const held = 'select public_key from passkeys where user_id = $1';
  const [row] = await sql(maker.parts.database, held, [user.userId]);
  const publicKey = row?.public_key as Buffer;
  for (const encoding of ['base64url', 'base64', 'hex'] as const)
    keep(`public key, ${encoding}`, publicKey.toString(encoding));
  keep('public key, byte by byte', publicKey.join(','));

  /** What is sent after the password, right once. */
  const half = async (name: string) => {
    const begun = await halfWay(service, user);
    keep(`half-way token, ${name}`, begun.asked.location?.searchParams.get('half'));
    return begun;
  };
  const withApp = await half('app');
  const wrong = keep('recovery code of nobody', 'abcd-efgh-jkmn-pqrs');
  const told = await give(withApp.browser, withApp.page, { code: wrong });
  expect(told.status).toBe(401);
  const byApp = await give(withApp.browser, told, { code: code(1), trust: 'yes' });
  expect([byApp.status, byApp.location?.pathname]).toEqual([303, '/account']);
  for (const [name, value] of withApp.browser.cookies) keep(`cookie ${name} of a trusted browser`, value);
  const withCode = await half('recovery code');
  const byCode = await give(withCode.browser, withCode.page, { code: recovery[0] ?? '' });
  expect([byCode.status, byCode.location?.pathname]).toEqual([303, '/account']);

  for (const [odd, status] of [
    [{}, 303],
    [{ verified: false }, 401],
    [{ challenge: 'A'.repeat(86) }, 401],
    [{ counter: 1 }, 401],
  ] as const) {
    const { answer, shown: said } = await showPasskey(service, passkey, { odd });
    expect(answer.status).toBe(status);
    keepAnswer(`passkey shown ${JSON.stringify(odd)}`, said);
  }

  const waiting = await half('waiting');
  const unsent = passkey.assertion(optionsIn(waiting.page.body, 'sign-in'));
  keepAnswer('passkey shown in vain', unsent);
  return [{ code: code(1) }, { code: recovery[1] ?? '' }, { passkey: unsent }].map(
    (fields) => () => give(waiting.browser, waiting.page, fields),
  );
}

/** Requests that go wrong with secrets in places where they do not belong. */
async function goWrong(): Promise<void> {
  const token = keep('token in an address', 'eyJhbGciOi.token-in-an-address.AAAA');
  const basic = keep(
    'Basic credentials',
    Buffer.from(`${application.clientId}:s3cr3t-s3cr3t`).toString('base64'),
  );
  keep('Basic secret', 's3cr3t-s3cr3t');
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const path of ['/oauth/userinfo', '/oauth/%zz', '/nothing-here', '/signin', '/oauth/token', '/livez'])
    await httpRequest(port, `${path}?access_token=${token}&code=${token}`);
  await httpRequest(port, `/nothing/${token}`);
  await httpRequest(port, `/avatars/initials/${token}`);
  await httpRequest(port, '/oauth/userinfo', {
    headers: { authorization: `Bearer ${token}`, cookie: `sesame=${token}` },
  });
  const authorization = `Basic ${basic}`;
  for (const [body, type] of [
    [`token=${token}`, form['content-type']],
    [`token=${token}&token=${token}`, form['content-type']],
    [`token=${token}%zz`, form['content-type']],
    [JSON.stringify({ token }), 'application/json'],
    [`token=${token}&x=${'x'.repeat(100_000)}`, form['content-type']],
  ] as const)
    for (const path of ['/oauth/token', '/oauth/token/revoke'])
      await httpRequest(port, path, {
        method: 'POST',
        body,
        headers: { 'content-type': type, authorization },
      });
  await rawRequest(port, `GET /?code=${token} HTTP/9.9\r\nAuthorization: ${authorization}\r\n\r\n`);
  await rawRequest(port, `GET / HTTP/1.1\r\nHost: a\r\nCookie: sesame=${token}\r\nbroken ${token}\r\n\r\n`);
}

describe('the log at level trace', () => {
  test('D32: has no code, token, secret, password, passkey, cookie or state in it, whatever happened', async () => {
    await wholeFlow();
    const unsent = await flowOfSecondFactors();
    await goWrong();
    await proxy.cut();
    const secret = { client_secret: application.clientSecret };
    await until('the database to be missed', async () => {
      const answers = [
        await revoke(service, application, secrets.get('second refresh_token') ?? ''),
        await renew(service, application, secrets.get('second refresh_token') ?? '', secret),
        await userinfo(service, secrets.get('second access_token') ?? ''),
      ];
      return answers.every(({ status }) => status === 503);
    });
    for (const send of unsent) expect((await send()).status).toBe(503);
    await proxy.restore();
    await everythingLogged();
    expect(running.output()).toContain('temporarily_unavailable');

    const output = running.output();
    expect(running.logs().length).toBeGreaterThan(30);
    expect(secrets.size).toBeGreaterThan(70);
    expect(appCodes.size).toBeGreaterThan(2);
    for (const [name, value] of secrets) expect(output.includes(value), `${name} is in the log`).toBe(false);
    // Nor a recognisable part of one: the sealed and signed ones by their signature, the others by their middle.
    for (const [name, value] of secrets)
      if (value.length > 60) expect(output.includes(value.slice(-30)), `the end of ${name}`).toBe(false);
    for (const code of appCodes)
      expect(new RegExp(`(?<!\\d)${code}(?!\\d)`).test(output), 'a code of the app is in the log').toBe(
        false,
      );
    for (const word of [/"authorization"/i, /"cookie"/i, /"headers"/i, /Bearer ey/, /Basic [A-Za-z0-9]/])
      expect(output).not.toMatch(word);
  });

  test('D32: one line a request: id, method, pattern instead of address, status, time', async () => {
    const known = await everythingLogged();
    await httpRequest(port, '/avatars/initials/A-1.svg?secret=1');
    await httpRequest(port, '/nothing/secret');
    const end = await everythingLogged();
    const lines = running.logs().slice(known, end - 1);
    expect(lines).toMatchObject([
      { level: 'info', method: 'GET', route: '/avatars/initials/:file', status: 200 },
      { level: 'info', method: 'GET', route: 'unmatched', status: 404 },
    ]);
    for (const line of lines) {
      expect(line.reqId).toMatch(/^[2-9A-HJ-NP-Z]{10}$/);
      expect(line.milliseconds).toBeGreaterThanOrEqual(0);
      expect(Date.parse(String(line.time))).toBeGreaterThan(0);
    }
    expect(lines[0]?.reqId).not.toBe(lines[1]?.reqId);
  });

  test('D1: the incident code of a page leads to its line', async () => {
    const headers = { accept: 'text/html' };
    const { text } = await httpRequest(port, '/oauth/authorize?client_id=app_nobody', { headers });
    const code = /[2-9A-HJ-NP-Z]{10}/.exec(text)?.[0];
    expect(code).toBeDefined();
    const line = await until('the line', () => running.logs().find(({ reqId }) => reqId === code));
    expect(line).toMatchObject({ route: '/oauth/authorize', status: 401, error: 'invalid_client' });
  });

  test('a peer that hangs up while its request is worked on: one line, "aborted"', async () => {
    const user = await maker.createUser();
    const browser = await signedInBrowser(service, user);
    const { refreshToken } = await obtainTokens(service, application, browser);
    const lock = await lockGrants(maker.databaseUrl, application.clientId);
    const known = await everythingLogged();
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: application.clientId,
      client_secret: application.clientSecret,
    }).toString();
    const head = [
      'POST /oauth/token HTTP/1.1',
      'Host: localhost',
      'Expect: 100-continue',
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${body.length}`,
      '\r\n',
    ].join('\r\n');
    const socket = connect(port, '127.0.0.1');
    const heard = once(socket, 'data'); // 100 Continue: the request is in hand
    socket.write(head + body);
    await heard;
    await lock.heldUp(1);
    socket.destroy();
    const aborted = () =>
      running
        .logs()
        .slice(known)
        .filter(({ status }) => status === 499);
    await until('the lines', () => aborted().length >= 1);
    await lock.release();
    await everythingLogged();
    const lines = running
      .logs()
      .slice(known)
      .filter(({ msg, method }) => msg === 'request' && method === 'POST');
    expect(lines).toHaveLength(1);
    for (const line of lines)
      expect(line).toMatchObject({ level: 'info', route: '/oauth/token', status: 499, error: 'aborted' });
  });
});
