// The protocol settings of an application: what is checked, what counts at once, what nobody else can touch.
import { exportJWK, generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import { challengeOf } from '../../../src/oauth/pkce.ts';
import { findOwnApplication } from '../../../src/store/applications.ts';
import { statement } from '../../../src/store/statement.ts';
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
import { PASSWORD, useTestService } from '../../support/service.ts';

const BACK = 'https://client.example/signed-out';
const service = useTestService();

async function developer(fields = {}) {
  const user = await service.createUser();
  const application = await service.createApplication({ ownerId: user.userId, ...fields });
  const browser = await signedInBrowser(service, user);
  const stored = () => findOwnApplication(service.parts.database, user.userId, application.clientId);
  const save = (changed: Fields, person = browser) =>
    fill(person, at(application.clientId, '/protocol'), { id_token_algorithm: 'RS256', ...changed });
  return { user, application, browser, stored, save };
}

const publicKey = async (alg = 'ES256') => exportJWK((await generateKeyPair(alg)).publicKey);

describe('saving', () => {
  test('every setting, shown again as it was saved; unknown fields and ownership are not among them', async () => {
    const { application, browser, stored, save } = await developer();
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
    expect(await stored()).toMatchObject({
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
    for (const text of ['Your changes have been saved', 'kid']) expect(page.body).toContain(text);
    expect((await browser.get('/console/applications')).body).toContain(application.clientId);
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
    const { save, stored } = await developer();
    service.clock.advance(16 * 60);
    const refused = await save({ post_logout_redirect_uris: BACK });
    expect(refused.status).toBe(400);
    expect(refused.body).toContain(BACK);
    expect(await stored()).toMatchObject({ postLogoutRedirectUris: [] });
    expect((await save({ post_logout_redirect_uris: BACK, current_password: PASSWORD })).status).toBe(303);
  });
});

describe('refused', () => {
  test('is what cannot be, in words, with nothing saved', async () => {
    const { save, stored } = await developer();
    const before = await stored();
    const urls = (text: string) => ({ post_logout_redirect_uris: text });
    const channel = (text: string) => ({ backchannel_logout_uri: text });
    const noChannel = 'Enter a full https URL, without a fragment.';
    const cases: [Fields, string][] = [
      [urls(`\n${BACK}#x`), 'Line 2: it contains a fragment'],
      [urls('javascript:alert(1)'), 'Line 1: it must start with https:'],
      [urls('client.example'), 'Line 1: it is not a full URL'],
      [urls(`${BACK}?code=1`), 'Line 1: it already contains code, state, iss or error'],
      [urls(Array.from({ length: 21 }, (_, i) => `${BACK}/${i}`).join('\n')), 'There are too many'],
      [channel('client.example'), noChannel],
      [channel('https://u:p@client.example/'), noChannel],
      [channel('https://client.example/#x'), noChannel],
    ];
    const shown: unknown[] = [];
    for (const [fields] of cases) {
      const answer = await save(fields);
      expect(markupFaults(answer.body)).toEqual([]);
      shown.push([answer.status, ...formErrors(answer.body)]);
    }
    expect(shown).toEqual(cases.map(([, words]) => [400, expect.stringContaining(words)]));
    expect(await stored()).toEqual(before);
  });

  test('is what is no public key', async () => {
    const { save, stored } = await developer();
    const key = await publicKey();
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const cases: [unknown, string][] = [
      ['BEGIN PUBLIC KEY', 'not a JWK Set'],
      [{ keys: [] }, 'not a JWK Set'],
      [await exportJWK(privateKey), 'private'],
      [{ kty: 'oct', k: 'AAAA' }, 'private'],
      [{ kty: 'EC', crv: 'P-521', x: 'AA', y: 'AA' }, 'is not suitable'],
      [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }, 'is not suitable'],
      [{ kty: 'RSA', e: 'AQAB', n: Buffer.alloc(128, 0xab).toString('base64url') }, 'is not suitable'],
      [{ kty: { toString: 1, valueOf: 1 } }, 'is not suitable'],
      [{ ...key, kty: ['EC'] }, 'is not suitable'],
      // The database refuses these names.
      [{ ...key, kid: 'a\u0000' }, 'is not suitable'],
      [{ ...key, kid: '\ud800' }, 'is not suitable'],
      [{ ...key, kid: 5 }, 'is not suitable'],
      [{ ...key, alg: ['ES256'] }, 'is not suitable'],
      [{ ...key, x: 1, y: [2] }, 'is not suitable'],
      [{ ...key, y: Buffer.alloc(32, 7).toString('base64url') }, 'is not suitable'],
    ];
    const shown: unknown[] = [];
    for (const [given] of cases) {
      const answer = await save({ jwks: typeof given === 'string' ? given : JSON.stringify(given) });
      shown.push([answer.status, ...formErrors(answer.body)]);
    }
    expect(shown).toEqual(cases.map(([, words]) => [400, expect.stringContaining(words)]));
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
  const { body } = await browser.get(at(application.clientId, '/protocol'));
  expect(markupFaults(body)).toEqual([]);
  for (const words of [
    ...['received', 'given up', 'next attempt on', '<code>answered: 500</code>', '<code>refused</code>'],
    '<code>failed: certificate has expired &lt;b&gt;</code>',
  ])
    expect(body).toContain(words);
  expect(body, 'in the reader’s zone').toMatch(/next attempt on <time datetime=/);
});
