// The protocol settings of an application: what is checked, what counts at once, what nobody else can touch.
import { exportJWK, generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import { challengeOf } from '../../../src/oauth/pkce.ts';
import { findProtocolSettings } from '../../../src/store/protocol-settings.ts';
import { statement } from '../../../src/store/statement.ts';
import type { BrowserSession } from '../../support/browser-session.ts';
import { at, type Fields, fill } from '../../support/console.ts';
import { expectError } from '../../support/expect-error.ts';
import {
  authorizeAddress,
  newVerifier,
  obtainTokens,
  postForm,
  redeem,
  signedInBrowser,
} from '../../support/flow.ts';
import { formErrors, markupFaults } from '../../support/markup.ts';
import { PASSWORD, type TestUser, useTestService } from '../../support/service.ts';

const BACK = 'https://client.example/signed-out';
const service = useTestService();

async function developer(fields = {}) {
  const user = await service.createUser();
  const application = await service.createApplication({ ownerId: user.userId, ...fields });
  const browser = await signedInBrowser(service, user);
  const stored = () => findProtocolSettings(service.parts.database, user.userId, application.clientId);
  const save = (changed: Fields, person = browser) =>
    fill(person, at(application.clientId, '/protocol'), { id_token_algorithm: 'RS256', ...changed });
  return { user, application, browser, stored, save };
}

const publicKey = async (alg = 'ES256') => exportJWK((await generateKeyPair(alg)).publicKey);

describe('saving', () => {
  test('every setting, shown again as it was saved; unknown fields and ownership are not among them', async () => {
    const { application, browser, stored, save, user } = await developer();
    const key = await publicKey();
    const answer = await save({
      id_token_algorithm: 'EdDSA',
      id_token_claims: 'never',
      par_required: 'on',
      pkce_required: 'on',
      second_factor_required: 'on',
      device_flow: 'on',
      post_logout_redirect_uris: `${BACK}\r\n\r\n${BACK}\r\n`,
      backchannel_logout_uri: ' https://client.example/backchannel ',
      jwks: JSON.stringify({ keys: [{ ...key, kid: 'k1', extra: 'dropped' }] }),
      owner_id: 'somebody',
      suspended_at: 'now',
    });
    expect(answer.location?.search).toBe('?done=changed');
    expect(await stored()).toEqual({
      idTokenAlgorithm: 'EdDSA',
      idTokenClaims: false,
      parRequired: true,
      pkceRequired: true,
      secondFactorRequired: true,
      deviceFlow: true,
      postLogoutRedirectUris: [BACK],
      backchannelLogoutUri: 'https://client.example/backchannel',
      jwks: { keys: [{ ...key, kid: 'k1', use: 'sig' }] },
    });
    const page = await browser.get(answer.location ?? '');
    expect(markupFaults(page.body)).toEqual([]);
    for (const text of ['Your settings have been saved', 'kid']) expect(page.body).toContain(text);
    expect((await browser.get('/console/applications')).body).toContain(application.clientId);
    expect(user.userId).toBeTruthy();
    // Saved empty, all of it is off again.
    await save({});
    expect(await stored()).toMatchObject({
      idTokenClaims: null,
      parRequired: false,
      pkceRequired: false,
      secondFactorRequired: false,
      jwks: null,
    });
  });

  test('counts from the next request on', async () => {
    const { application, browser, save } = await developer();
    await obtainTokens(service, application, browser);
    await save({ par_required: 'on' });
    const { location } = await browser.get(authorizeAddress(service, application));
    expect(location?.searchParams.get('error_description')).toContain('/oauth/par');
  });

  test('D5: PKCE of a confidential application whose owner wants it, pushed or not', async () => {
    const { application, browser, save } = await developer();
    await obtainTokens(service, application, browser);
    await save({ pkce_required: 'on' });
    const address = authorizeAddress(service, application);
    const { location } = await browser.get(address);
    expect(location?.searchParams.get('error')).toBe('invalid_request');
    expect(location?.searchParams.get('error_description')).toContain('code_challenge');
    const pushed = Object.fromEntries(address.searchParams);
    const { clientSecret: client_secret } = application;
    expectError(await postForm(service, '/oauth/par', { ...pushed, client_secret }), 400, 'invalid_request');
    const verifier = newVerifier();
    const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' };
    const code = (await browser.get(authorizeAddress(service, application, pkce))).location?.searchParams.get(
      'code',
    );
    const { status } = await redeem(service, application, code ?? '', { code_verifier: verifier });
    expect(status).toBe(200);
  });

  test('a public application has no keys, whatever is sent', async () => {
    const { stored, save } = await developer({ type: 'public' });
    await save({
      jwks: JSON.stringify({ keys: [await publicKey()] }),
      device_flow: 'on',
    });
    expect(await stored()).toMatchObject({ jwks: null, deviceFlow: true });
  });

  test('needs a recent sign-in, or the password', async () => {
    const { save, stored, browser } = await developer();
    service.clock.advance(16 * 60);
    const refused = await save({ post_logout_redirect_uris: BACK });
    expect(refused.status).toBe(400);
    expect(refused.body).toContain(BACK);
    expect(await stored()).toMatchObject({ postLogoutRedirectUris: [] });
    expect((await save({ post_logout_redirect_uris: BACK, current_password: PASSWORD })).status).toBe(303);
    expect(browser).toBeDefined();
  });
});

describe('refused, with what was typed', () => {
  const NO_BACK_CHANNEL = /full URL that starts with https:\/\/ or http:\/\/, without a fragment/;

  test.each<[string, Fields, RegExp]>([
    [
      'a return address with a fragment',
      { post_logout_redirect_uris: `${BACK}#x` },
      /#x: it contains a fragment/,
    ],
    [
      'script as a return address',
      { post_logout_redirect_uris: 'javascript:alert(1)' },
      /javascript:alert\(1\): it must start with https:/,
    ],
    [
      'a return address that is none',
      { post_logout_redirect_uris: 'client.example' },
      /not a full URL, such as http:\/\/localhost:3000\/goodbye/,
    ],
    [
      'a return address with a parameter that is not its own',
      { post_logout_redirect_uris: `${BACK}?code=1` },
      /contains code, state, iss or error, which are reserved/,
    ],
    ['a back channel that is no address', { backchannel_logout_uri: 'client.example' }, NO_BACK_CHANNEL],
    [
      'a back channel with a password',
      { backchannel_logout_uri: 'https://u:p@client.example/' },
      NO_BACK_CHANNEL,
    ],
    [
      'a back channel with a fragment',
      { backchannel_logout_uri: 'https://client.example/#x' },
      NO_BACK_CHANNEL,
    ],
    ['keys that are no JSON', { jwks: 'BEGIN PUBLIC KEY' }, /not a JWK Set/],
    ['keys that are none', { jwks: '{"keys":[]}' }, /not a JWK Set/],
    ['a shared secret', { jwks: '{"kty":"oct","k":"AAAA"}' }, /private/],
    ['a key of another kind', { jwks: '{"kty":"EC","crv":"P-521","x":"AA","y":"AA"}' }, /is not suitable/],
    ['a key that is broken', { jwks: '{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}' }, /is not suitable/],
    [
      'too many sign-out URLs',
      { post_logout_redirect_uris: Array.from({ length: 21 }, (_, i) => `${BACK}/${i}`).join('\n') },
      /too many/,
    ],
  ])('%s', async (_, fields, words) => {
    const { save, stored } = await developer();
    const before = await stored();
    const answer = await save(fields);
    expect(answer.status).toBe(400);
    expect(formErrors(answer.body).join(' ')).toMatch(words);
    expect(markupFaults(answer.body)).toEqual([]);
    expect(await stored()).toEqual(before);
  });

  test.each<[string, (key: object) => object]>([
    ['a kind that is no word', () => ({ kty: { toString: 1, valueOf: 1 } })],
    ['a kind that every object has', () => ({ kty: 'constructor' })],
    ['a kind in a list', (key) => ({ ...key, kty: ['EC'] })],
    ['a name with NUL, which the database refuses', (key) => ({ ...key, kid: 'a\u0000' })],
    ['a name with half a character', (key) => ({ ...key, kid: '\ud800' })],
    ['a name that is a number', (key) => ({ ...key, kid: 5 })],
    ['a name that is no word', (key) => ({ ...key, kid: { toString: 1 } })],
    ['another algorithm', (key) => ({ ...key, alg: ['ES256'] })],
    ['numbers for coordinates', (key) => ({ ...key, x: 1, y: [2] })],
    ['a point off the curve', (key) => ({ ...key, y: Buffer.alloc(32, 7).toString('base64url') })],
  ])('keys that lie: %s', async (_, lie) => {
    const { save, stored } = await developer();
    const answer = await save({ jwks: JSON.stringify({ keys: [lie(await publicKey())] }) });
    expect(answer.status).toBe(400);
    expect(formErrors(answer.body).join(' ')).toMatch(/is not suitable/);
    expect((await stored())?.jwks).toBeNull();
  });

  test('of a good key only what makes it one is kept, whatever else hides in the text', async () => {
    const { save, stored } = await developer();
    const key = await publicKey();
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    const text = JSON.stringify({ ...key, n: '\u0000', ext: false, key_ops: ['sign'] }).replace(
      '{',
      `{"e":${deep},"__proto__":{"kid":"x"},`,
    );
    expect((await save({ jwks: text })).status).toBe(303);
    expect((await stored())?.jwks).toEqual({ keys: [{ ...key, use: 'sig' }] });
    const edwards = await publicKey('EdDSA');
    expect((await save({ jwks: JSON.stringify({ ...edwards, y: 'a\u0000' }) })).status).toBe(303);
    expect((await stored())?.jwks).toEqual({ keys: [{ ...edwards, use: 'sig' }] });
  });

  test('a private key is not kept, and a weak one not accepted', async () => {
    const { save, stored } = await developer();
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const answer = await save({ jwks: JSON.stringify(await exportJWK(privateKey)) });
    expect([answer.status, (await stored())?.jwks]).toEqual([400, null]);
    const weak = { kty: 'RSA', e: 'AQAB', n: Buffer.alloc(128, 0xab).toString('base64url') };
    expect((await save({ jwks: JSON.stringify(weak) })).status).toBe(400);
  });
});

describe('somebody else', () => {
  const ways = ['GET', 'POST'] as const;
  test.each(ways)('finds nothing by %s', async (method) => {
    const { application, stored } = await developer();
    const stranger: TestUser = await service.createUser();
    const browser: BrowserSession = await signedInBrowser(service, stranger);
    const own = await service.createApplication({ ownerId: stranger.userId });
    const { hidden } = await browser.get(at(own.clientId, '/protocol'));
    const address = at(application.clientId, '/protocol');
    const before = await stored();
    const answer =
      method === 'GET'
        ? await browser.get(address)
        : await browser.post(address, { ...hidden, device_flow: 'on' });
    expect(answer.status).toBe(404);
    expect(await stored()).toEqual(before);
  });
});

test('the owner sees what became of the sign-outs that were announced', async () => {
  const { application, browser } = await developer();
  const insert = (id: number, columns: string, values: string) =>
    service.parts.database.query(
      statement(
        `test_insert_delivery_${id}`,
        `insert into logout_deliveries (client_id, user_id, sid, created_at, attempts${columns})
        values ($1, gen_random_uuid(), gen_random_uuid(), $2, 3${values})`,
      ),
      [application.clientId, service.clock.now()],
    );
  await insert(1, ', delivered_at', ', now()');
  await insert(2, ', last_fault, last_detail', ", 'answered', '500'");
  await insert(3, ', last_fault, next_attempt_at', ", 'refused', now()");
  await insert(4, ', last_fault, last_detail', ", 'failed', 'certificate has expired <b>'");
  await insert(5, ', last_fault', ", 'of_the_future'");
  const { body } = await browser.get(at(application.clientId, '/protocol'));
  expect(markupFaults(body)).toEqual([]);
  for (const words of ['received', 'given up', 'No server is listening at this address.', 'next attempt on'])
    expect(body).toContain(words);
  expect(body).toContain('The application answered 500 instead of 200.');
  expect(body).toContain('The connection failed: <code>certificate has expired &lt;b&gt;</code>');
  expect(body).not.toContain('of_the_future');
  const inFrench = await browser.get(at(application.clientId, '/protocol?lang=fr'));
  expect(inFrench.body).toContain('L’application a répondu 500 au lieu de\u00a0200.');
  expect(inFrench.body).toContain('Aucun serveur n’écoute à cette adresse.');
  expect(body, 'in the reader’s zone').toMatch(/next attempt on <time datetime=/);
});
