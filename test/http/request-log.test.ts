// The request log contains the documented fields and, at any log level, no secrets.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { computeCodeChallenge } from '../../src/oauth/pkce.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { openDatabaseProxy } from '../support/database-proxy.ts';
import { sendHttpRequest, sendRawBytes } from '../support/http-request.ts';
import { lockGrants } from '../support/locks.ts';
import {
  createTotpCodeAt,
  enterPassword,
  readElementText,
  readSetUpFields,
  submitSecondFactor,
} from '../support/mfa-account.ts';
import {
  buildAuthorizeUrl,
  createVerifier,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
  revokeToken,
  signIn,
  submitDecision,
} from '../support/oauth-flow.ts';
import {
  createPasskey,
  NEW_PASSKEY_PATH,
  readPasskeyOptions,
  signInWithPasskey,
} from '../support/passkey.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { killProcesses, startService } from '../support/service-process.ts';
import { sql } from '../support/store-fixtures.ts';
import { waitUntil } from '../support/wait-until.ts';

const factory = await startTestService();
// Without an administrator, the process would create one.
await factory.createUser({ isAdmin: true });
const proxy = await openDatabaseProxy(factory.databaseUrl);
const running = await startService({ DATABASE_URL: proxy.url, LOG_LEVEL: 'trace' });
const service: TestService = { ...factory, baseUrl: running.url };
const port = Number(new URL(running.url).port);
const client = await factory.createClient();
afterAll(async () => {
  await killProcesses();
  await proxy?.close();
  await factory?.close();
});

/** Waits until all earlier requests are logged. @returns the number of log lines */
async function waitForLog(): Promise<number> {
  const countMarkers = () => running.logs().filter(({ method }) => method === 'PROPFIND').length;
  const before = countMarkers();
  await sendHttpRequest(port, '/', { method: 'PROPFIND' });
  await waitUntil('the marker in the log', () => countMarkers() > before);
  return running.logs().length;
}

/** The secrets that the log must not contain, by description. */
const secrets = new Map<string, string>();
function addSecret(name: string, value: unknown): string {
  expect(String(value).length, name).toBeGreaterThan(7);
  secrets.set(name, String(value));
  return String(value);
}

async function runLoginFlow(): Promise<void> {
  const user = await factory.createUser({ password: addSecret('password', 'correct-horse-battery-91') });
  addSecret('client secret', client.clientSecret);
  const verifier = addSecret('code_verifier', createVerifier());
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.follow(
    await browser.get(
      buildAuthorizeUrl(service, client, {
        state: addSecret('state', 'state-that-must-not-be-logged'),
        nonce: addSecret('nonce', 'nonce-that-must-not-be-logged'),
        code_challenge: computeCodeChallenge(verifier),
        code_challenge_method: 'S256',
      }),
    ),
  );
  addSecret('pending request', page.hidden.pending);
  addSecret('csrf token', page.hidden.csrf);
  const wrongPassword = addSecret('wrong password', 'a-wrong-password');
  const refused = await browser.post('/signin', {
    ...page.hidden,
    email: user.email,
    password: wrongPassword,
  });
  for (const [name, value] of browser.cookies) addSecret(`cookie ${name}`, value);
  const consent = await signIn(browser, user, refused);
  const redirect = (await submitDecision(browser, consent, 'allow')).location;
  for (const [name, value] of browser.cookies) addSecret(`cookie ${name} after sign-in`, value);

  const code = addSecret('code', redirect?.searchParams.get('code'));
  const wrongSecret = addSecret('wrong client secret', 'sesame_secret_mistyped');
  expect((await redeemCode(service, client, code, { client_secret: wrongSecret })).status).toBe(401);
  const original = (await redeemCode(service, client, code, { code_verifier: verifier })).body;
  const refreshed = (await redeemRefreshToken(service, client, String(original.refresh_token))).body;
  for (const name of ['access_token', 'refresh_token', 'id_token'])
    addSecret(`first ${name}`, original[name]);
  for (const name of ['access_token', 'refresh_token']) addSecret(`second ${name}`, refreshed[name]);
  expect((await fetchUserinfo(service, String(refreshed.access_token))).status).toBe(200);
  expect((await redeemCode(service, client, code, { code_verifier: verifier })).body.error).toBe(
    'invalid_grant',
  );
  expect((await revokeToken(service, client, String(refreshed.refresh_token))).status).toBe(200);
}

function addPasskeyResponse(name: string, text: string): string {
  const { clientDataJSON = '', ...response }: Record<string, string> = JSON.parse(text).response;
  addSecret(`client data of ${name}`, clientDataJSON);
  addSecret(
    `challenge of ${name}`,
    JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()).challenge,
  );
  for (const part of ['attestationObject', 'authenticatorData', 'signature', 'userHandle'])
    if (part in response) addSecret(`${part} of ${name}`, response[part]);
  return text;
}

/** TOTP codes that the test used. Only whole numbers match because timestamps can contain the same digits. */
const totpCodes = new Set<string>();

/**
 * Uses valid and invalid second factors.
 * @returns functions that each submit a second factor
 */
async function runMfaFlow(): Promise<(() => Promise<{ status: number }>)[]> {
  const user = await factory.createUser();
  const browser = await openSignedInBrowser(service, user);
  const page = await browser.get('/account/security/app');
  const key = addSecret('TOTP key as shown', readElementText(page, 'key')).replaceAll(' ', '');
  addSecret('TOTP key', key);
  addSecret('sealed TOTP key', page.hidden.secret);
  const createCode = (steps: number): string => {
    const totp = createTotpCodeAt(key, new Date(), steps);
    totpCodes.add(totp);
    return totp;
  };
  const refused = await browser.post('/account/security/app', {
    ...readSetUpFields(page),
    code: createCode(99),
  });
  const enabled = await browser.post('/account/security/app', {
    ...readSetUpFields(refused),
    code: createCode(0),
  });
  const codesPage = await browser.follow(enabled);
  const recovery = readElementText(codesPage, 'codes').split('\n');
  expect(recovery).toHaveLength(10);
  for (const [index, recoveryCode] of recovery.entries()) addSecret(`recovery code ${index}`, recoveryCode);
  for (const [name, value] of browser.cookies) addSecret(`cookie ${name} after TOTP setup`, value);

  const passkey = createPasskey(service.baseUrl, { synced: false });
  for (const deviation of [{ isUserVerified: false }, {}]) {
    const form = await browser.get(NEW_PASSKEY_PATH);
    const created = passkey.createCredential(readPasskeyOptions(form.body, 'create'), deviation);
    addPasskeyResponse(`passkey registration ${JSON.stringify(deviation)}`, created);
    const response = await browser.post(NEW_PASSKEY_PATH, { ...form.hidden, passkey: created });
    expect(response.status).toBe('isUserVerified' in deviation ? 400 : 303);
  }
  const query = 'select public_key from passkeys where user_id = $1';
  const [row] = await sql(factory.services.database, query, [user.userId]);
  const publicKey = row?.public_key as Buffer;
  for (const encoding of ['base64url', 'base64', 'hex'] as const)
    addSecret(`public key, ${encoding}`, publicKey.toString(encoding));
  addSecret('public key as decimal bytes', publicKey.join(','));

  /** Enters the password, which leaves the second factor pending. */
  const beginSignIn = async (name: string) => {
    const passwordStep = await enterPassword(service, user);
    addSecret(
      `pending MFA token, ${name}`,
      passwordStep.response.location?.searchParams.get('partial_sign_in'),
    );
    return passwordStep;
  };
  const appSignIn = await beginSignIn('app');
  const wrongRecoveryCode = addSecret('unknown recovery code', 'abcd-efgh-jkmn-pqrs');
  const failed = await submitSecondFactor(appSignIn.browser, appSignIn.page, { code: wrongRecoveryCode });
  expect(failed.status).toBe(401);
  const appResponse = await submitSecondFactor(appSignIn.browser, failed, {
    code: createCode(1),
    trust: 'yes',
  });
  expect([appResponse.status, appResponse.location?.pathname]).toEqual([303, '/account']);
  for (const [name, value] of appSignIn.browser.cookies)
    addSecret(`cookie ${name} of a remembered device`, value);
  const recoverySignIn = await beginSignIn('recovery code');
  const recoveryResponse = await submitSecondFactor(recoverySignIn.browser, recoverySignIn.page, {
    code: recovery[0] ?? '',
  });
  expect([recoveryResponse.status, recoveryResponse.location?.pathname]).toEqual([303, '/account']);

  for (const [overrides, status] of [
    [{}, 303],
    [{ isUserVerified: false }, 401],
    [{ challenge: 'A'.repeat(86) }, 401],
    [{ counter: 1 }, 401],
  ] as const) {
    const { response, assertion } = await signInWithPasskey(service, passkey, { overrides });
    expect(response.status).toBe(status);
    addPasskeyResponse(`passkey assertion ${JSON.stringify(overrides)}`, assertion);
  }

  const pending = await beginSignIn('unsent');
  const unsent = passkey.createAssertion(readPasskeyOptions(pending.page.body, 'sign-in'));
  addPasskeyResponse('unsent passkey assertion', unsent);
  return [{ code: createCode(1) }, { code: recovery[1] ?? '' }, { passkey: unsent }].map(
    (fields) => () => submitSecondFactor(pending.browser, pending.page, fields),
  );
}

/** Sends secrets in the wrong places, such as URLs. */
async function sendMisplacedSecrets(): Promise<void> {
  const token = addSecret('token in a URL', 'eyJhbGciOi.token-in-a-url.AAAA');
  const basic = addSecret(
    'Basic credentials',
    Buffer.from(`${client.clientId}:s3cr3t-s3cr3t`).toString('base64'),
  );
  addSecret('Basic secret', 's3cr3t-s3cr3t');
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const path of ['/oauth/userinfo', '/oauth/%zz', '/nothing-here', '/signin', '/oauth/token', '/livez'])
    await sendHttpRequest(port, `${path}?access_token=${token}&code=${token}`);
  await sendHttpRequest(port, `/nothing/${token}`);
  await sendHttpRequest(port, `/avatars/initials/${token}`);
  await sendHttpRequest(port, '/oauth/userinfo', {
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
      await sendHttpRequest(port, path, {
        method: 'POST',
        body,
        headers: { 'content-type': type, authorization },
      });
  await sendRawBytes(port, `GET /?code=${token} HTTP/9.9\r\nAuthorization: ${authorization}\r\n\r\n`);
  await sendRawBytes(port, `GET / HTTP/1.1\r\nHost: a\r\nCookie: sesame=${token}\r\nbroken ${token}\r\n\r\n`);
}

describe('the trace-level log', () => {
  test('contains no secrets such as codes, tokens and passwords', async () => {
    await runLoginFlow();
    const unsent = await runMfaFlow();
    await sendMisplacedSecrets();
    await proxy.cut();
    const secret = { client_secret: client.clientSecret };
    await waitUntil('the database to be unreachable', async () => {
      const responses = [
        await revokeToken(service, client, secrets.get('second refresh_token') ?? ''),
        await redeemRefreshToken(service, client, secrets.get('second refresh_token') ?? '', secret),
        await fetchUserinfo(service, secrets.get('second access_token') ?? ''),
      ];
      return responses.every(({ status }) => status === 503);
    });
    for (const send of unsent) expect((await send()).status).toBe(503);
    await proxy.restore();
    await waitForLog();
    expect(running.output()).toContain('temporarily_unavailable');

    const output = running.output();
    expect(running.logs().length).toBeGreaterThan(30);
    expect(secrets.size).toBeGreaterThan(70);
    expect(totpCodes.size).toBeGreaterThan(2);
    for (const [name, value] of secrets)
      expect(output.includes(value), `the log contains the ${name}`).toBe(false);
    // Also searches for the ends of tokens because a signature alone must not be logged either.
    for (const [name, value] of secrets)
      if (value.length > 60)
        expect(output.includes(value.slice(-30)), `the log contains the end of the ${name}`).toBe(false);
    for (const code of totpCodes)
      expect(new RegExp(`(?<!\\d)${code}(?!\\d)`).test(output), 'the log contains a TOTP code').toBe(false);
    for (const word of [/"authorization"/i, /"cookie"/i, /"headers"/i, /Bearer ey/, /Basic [A-Za-z0-9]/])
      expect(output).not.toMatch(word);
  });

  test('has one line per request', async () => {
    const lineCount = await waitForLog();
    await sendHttpRequest(port, '/avatars/initials/A-1.svg?secret=1');
    await sendHttpRequest(port, '/nothing/secret');
    const newLineCount = await waitForLog();
    const lines = running.logs().slice(lineCount, newLineCount - 1);
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

  test('uses an error page’s incident code as the request’s ID', async () => {
    const headers = { accept: 'text/html' };
    const { text } = await sendHttpRequest(port, '/oauth/authorize?client_id=app_nobody', { headers });
    const code = /[2-9A-HJ-NP-Z]{10}/.exec(text)?.[0];
    expect(code).toBeDefined();
    const line = await waitUntil('the log line', () => running.logs().find(({ reqId }) => reqId === code));
    expect(line).toMatchObject({ route: '/oauth/authorize', status: 401, error: 'invalid_client' });
  });

  test('has one line with status 499 for an aborted request', async () => {
    const user = await factory.createUser();
    const browser = await openSignedInBrowser(service, user);
    const { refreshToken } = await obtainTokens(service, client, browser);
    const lock = await lockGrants(factory.databaseUrl, client.clientId);
    const lineCount = await waitForLog();
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: client.clientId,
      client_secret: client.clientSecret,
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
    // The first response is 100 Continue.
    const continued = once(socket, 'data');
    socket.write(head + body);
    await continued;
    await lock.waitForBlocked(1);
    socket.destroy();
    const listAbortedRequests = () =>
      running
        .logs()
        .slice(lineCount)
        .filter(({ status }) => status === 499);
    await waitUntil('the log line', () => listAbortedRequests().length >= 1);
    await lock.release();
    await waitForLog();
    const lines = running
      .logs()
      .slice(lineCount)
      .filter(({ msg, method }) => msg === 'request' && method === 'POST');
    expect(lines).toHaveLength(1);
    for (const line of lines)
      expect(line).toMatchObject({ level: 'info', route: '/oauth/token', status: 499, error: 'aborted' });
  });
});
