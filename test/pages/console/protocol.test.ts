import { exportJWK, generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import { computeCodeChallenge } from '../../../src/oauth/pkce.ts';
import { findOwnedClient } from '../../../src/store/owned-clients.ts';
import { statement } from '../../../src/store/statement.ts';
import { clientPath, type FormFields, submitForm } from '../../support/console-forms.ts';
import { expectError } from '../../support/expect-error.ts';
import { findMarkupErrors, readFormErrors, readText } from '../../support/markup.ts';
import {
  buildAuthorizeUrl,
  createVerifier,
  obtainTokens,
  openSignedInBrowser,
  postForm,
  redeemCode,
} from '../../support/oauth-flow.ts';
import { PASSWORD, useTestService } from '../../support/service.ts';

const POST_LOGOUT_URI = 'https://client.example/signed-out';
const service = useTestService();

async function createDeveloper(fields = {}) {
  const user = await service.createUser();
  const application = await service.createClient({ ownerId: user.userId, ...fields });
  const browser = await openSignedInBrowser(service, user);
  const findStoredClient = () =>
    findOwnedClient(service.services.database, user.userId, application.clientId);
  const saveProtocolSettings = (changed: FormFields, sender = browser) =>
    submitForm(sender, clientPath(application.clientId, '/protocol'), {
      id_token_algorithm: 'RS256',
      ...changed,
    });
  const saveSignOutSettings = (changed: FormFields) =>
    submitForm(browser, clientPath(application.clientId, '/sign-out'), changed);
  return {
    user,
    application,
    browser,
    stored: findStoredClient,
    save: saveProtocolSettings,
    saveSignOut: saveSignOutSettings,
  };
}

const createPublicKey = async (alg = 'ES256') => exportJWK((await generateKeyPair(alg)).publicKey);

describe('the OpenID Connect form', () => {
  test('stores and shows every setting', async () => {
    const { application, browser, stored, save, saveSignOut } = await createDeveloper();
    const signOut = await saveSignOut({
      post_logout_redirect_uris: `${POST_LOGOUT_URI}\r\n\r\n${POST_LOGOUT_URI}\r\n`,
      backchannel_logout_uri: ' https://client.example/backchannel ',
      mfa_required: 'on',
    });
    expect([signOut.status, (await stored())?.mfaRequired]).toEqual([303, false]);
    const key = await createPublicKey();
    const response = await save({
      id_token_algorithm: 'EdDSA',
      id_token_claims: 'never',
      par_required: 'on',
      pkce_required: 'on',
      mfa_required: 'on',
      device_flow: 'on',
      jwks: JSON.stringify({ keys: [{ ...key, kid: 'k1', extra: 'dropped' }] }),
      owner_id: 'somebody',
      suspended_at: 'now',
    });
    expect(response.location?.search).toBe('?done=changed');
    expect(await stored()).toMatchObject({
      idTokenAlgorithm: 'EdDSA',
      idTokenClaims: false,
      parRequired: true,
      pkceRequired: true,
      mfaRequired: true,
      deviceFlow: true,
      postLogoutRedirectUris: [POST_LOGOUT_URI],
      backchannelLogoutUri: 'https://client.example/backchannel',
      jwks: { keys: [{ ...key, kid: 'k1', use: 'sig' }] },
    });
    const page = await browser.get(response.location ?? '');
    expect(findMarkupErrors(page.body)).toEqual([]);
    for (const text of ['Your changes have been saved', 'kid']) expect(page.body).toContain(text);
    expect((await browser.get('/console/applications')).body).toContain(application.clientId);
    // Empty fields reset the protocol page's settings, but not the sign-out page's.
    await save({});
    expect(await stored()).toMatchObject({
      postLogoutRedirectUris: [POST_LOGOUT_URI],
      backchannelLogoutUri: 'https://client.example/backchannel',
    });
    await saveSignOut({});
    expect(await stored()).toMatchObject({ postLogoutRedirectUris: [], backchannelLogoutUri: null });
    expect(await stored()).toMatchObject({
      idTokenClaims: null,
      parRequired: false,
      pkceRequired: false,
      mfaRequired: false,
      jwks: null,
    });
  });

  test('can require PKCE for a confidential client', async () => {
    const { application, browser, save } = await createDeveloper();
    await obtainTokens(service, application, browser);
    await save({ pkce_required: 'on' });
    const url = buildAuthorizeUrl(service, application);
    const { location } = await browser.get(url);
    expect(location?.searchParams.get('error')).toBe('invalid_request');
    expect(location?.searchParams.get('error_description')).toContain('code_challenge');
    const pushedParameters = Object.fromEntries(url.searchParams);
    const { clientSecret: client_secret } = application;
    expectError(
      await postForm(service, '/oauth/par', { ...pushedParameters, client_secret }),
      400,
      'invalid_request',
    );
    const verifier = createVerifier();
    const pkce = { code_challenge: computeCodeChallenge(verifier), code_challenge_method: 'S256' };
    const code = (
      await browser.get(buildAuthorizeUrl(service, application, pkce))
    ).location?.searchParams.get('code');
    const { status } = await redeemCode(service, application, code ?? '', { code_verifier: verifier });
    expect(status).toBe(200);
  });

  test('ignores public keys if the client is public', async () => {
    const { stored, save } = await createDeveloper({ type: 'public' });
    await save({
      jwks: JSON.stringify({ keys: [await createPublicKey()] }),
      device_flow: 'on',
    });
    expect(await stored()).toMatchObject({ jwks: null, deviceFlow: true });
  });

  test('requires re-authentication', async () => {
    const { save, saveSignOut, stored } = await createDeveloper();
    service.clock.advance(16 * 60);
    const rejected = await saveSignOut({ post_logout_redirect_uris: POST_LOGOUT_URI });
    expect(rejected.status).toBe(400);
    expect(rejected.body).toContain(POST_LOGOUT_URI);
    expect((await save({ device_flow: 'on' })).status).toBe(400);
    expect(await stored()).toMatchObject({ postLogoutRedirectUris: [], deviceFlow: false });
    expect(
      (await saveSignOut({ post_logout_redirect_uris: POST_LOGOUT_URI, current_password: PASSWORD })).status,
    ).toBe(303);
    expect(await stored()).toMatchObject({ postLogoutRedirectUris: [POST_LOGOUT_URI] });
  });
});

describe('the validation of protocol settings', () => {
  test('explains why a sign-out URL is invalid', async () => {
    const { saveSignOut: save, stored } = await createDeveloper();
    const before = await stored();
    const buildRedirectFields = (text: string) => ({ post_logout_redirect_uris: text });
    const buildLogoutFields = (text: string) => ({ backchannel_logout_uri: text });
    const channelError = 'Enter a full https URL, without a fragment.';
    const cases: [FormFields, string][] = [
      [buildRedirectFields(`\n${POST_LOGOUT_URI}#x`), 'Line 2: it contains a fragment'],
      [buildRedirectFields('javascript:alert(1)'), 'Line 1: it must start with https:'],
      [buildRedirectFields('client.example'), 'Line 1: it is not a full URL'],
      [buildRedirectFields(`${POST_LOGOUT_URI}?code=1`), 'Line 1: it contains code, state, iss or error'],
      [
        buildRedirectFields(Array.from({ length: 21 }, (_, i) => `${POST_LOGOUT_URI}/${i}`).join('\n')),
        'Too many values',
      ],
      [buildLogoutFields('client.example'), channelError],
      [buildLogoutFields('https://u:p@client.example/'), channelError],
      [buildLogoutFields('https://client.example/#x'), channelError],
    ];
    const errors: unknown[] = [];
    for (const [fields] of cases) {
      const response = await save(fields);
      expect(findMarkupErrors(response.body)).toEqual([]);
      errors.push([response.status, ...readFormErrors(response.body)]);
    }
    expect(errors).toEqual(cases.map(([, message]) => [400, expect.stringContaining(message)]));
    expect(await stored()).toEqual(before);
  });

  test('rejects invalid public keys', async () => {
    const { save, stored } = await createDeveloper();
    const key = await createPublicKey();
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const cases: [unknown, string][] = [
      ['BEGIN PUBLIC KEY', 'not a JWK Set'],
      [{ keys: [] }, 'not a JWK Set'],
      [await exportJWK(privateKey), 'private'],
      [{ kty: 'oct', k: 'AAAA' }, 'private'],
      [{ kty: 'EC', crv: 'P-521', x: 'AA', y: 'AA' }, 'is not supported'],
      [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }, 'is not supported'],
      [{ kty: 'RSA', e: 'AQAB', n: Buffer.alloc(128, 0xab).toString('base64url') }, 'is not supported'],
      [{ kty: { toString: 1, valueOf: 1 } }, 'is not supported'],
      [{ ...key, kty: ['EC'] }, 'is not supported'],
      // PostgreSQL can't store the next two key IDs.
      [{ ...key, kid: 'a\u0000' }, 'is not supported'],
      [{ ...key, kid: '\ud800' }, 'is not supported'],
      [{ ...key, kid: 5 }, 'is not supported'],
      [{ ...key, alg: ['ES256'] }, 'is not supported'],
      [{ ...key, x: 1, y: [2] }, 'is not supported'],
      [{ ...key, y: Buffer.alloc(32, 7).toString('base64url') }, 'is not supported'],
    ];
    const errors: unknown[] = [];
    for (const [jwks] of cases) {
      const response = await save({ jwks: typeof jwks === 'string' ? jwks : JSON.stringify(jwks) });
      errors.push([response.status, ...readFormErrors(response.body)]);
    }
    expect(errors).toEqual(cases.map(([, message]) => [400, expect.stringContaining(message)]));
    expect((await stored())?.jwks).toBeNull();
  });

  test('removes unknown members from public keys', async () => {
    const { save, stored } = await createDeveloper();
    const key = await createPublicKey();
    const nested = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    const text = JSON.stringify({ ...key, n: '\u0000', ext: false, key_ops: ['sign'] }).replace(
      '{',
      `{"e":${nested},"__proto__":{"kid":"x"},`,
    );
    expect((await save({ jwks: text })).status).toBe(303);
    expect((await stored())?.jwks).toEqual({ keys: [{ ...key, use: 'sig' }] });
    const eddsaKey = await createPublicKey('EdDSA');
    expect((await save({ jwks: JSON.stringify({ ...eddsaKey, y: 'a\u0000' }) })).status).toBe(303);
    expect((await stored())?.jwks).toEqual({ keys: [{ ...eddsaKey, use: 'sig' }] });
  });
});

test('the sign-out page shows the outcome of back-channel logout requests', async () => {
  const { application, browser } = await createDeveloper();
  const insertDelivery = (id: number, columns: string, values: string) =>
    service.services.database.query(
      statement(
        `test_insert_delivery_${id}`,
        `insert into logout_deliveries (client_id, user_id, sid, created_at, attempts${columns})
        values ($1, gen_random_uuid(), gen_random_uuid(), $2, 3${values})`,
      ),
      [application.clientId, service.clock.now()],
    );
  await insertDelivery(1, ', delivered_at', ', now()');
  await insertDelivery(2, ', last_error, last_error_detail', ", 'http_status', '500'");
  await insertDelivery(3, ', last_error, next_attempt_at', ", 'refused', now()");
  await insertDelivery(4, ', last_error, last_error_detail', ", 'failed', 'certificate has expired <b>'");
  const page = await browser.get(clientPath(application.clientId, '/sign-out'));
  expect(findMarkupErrors(page.body)).toEqual([]);
  const readOutcomes = ({ body }: { body: string }) =>
    [...body.matchAll(/<div><dt><time[^>]*>[^<]*<\/time><\/dt><dd>(.*?)<\/dd>/gs)].map(([, outcome = '']) =>
      readText(outcome.replace(/<time.*?<\/time>/, 'TIME')).trim(),
    );
  expect(readOutcomes(page)).toEqual([
    'failed The connection failed certificate has expired <b> · 3 attempts',
    'pending Connection refused · 3 attempts, next one TIME',
    'failed HTTP 500 response · 3 attempts',
    'delivered 3 attempts',
  ]);
  expect(page.body, 'a script can show the time in the user’s time zone').toMatch(/next one <time datetime=/);
  const french = await browser.get(clientPath(application.clientId, '/sign-out?lang=fr'));
  expect(readOutcomes(french)).toEqual([
    'échec La connexion a échoué certificate has expired <b> · 3 essais',
    'en attente Connexion refusée · 3 essais, prochain : TIME',
    'échec Réponse HTTP 500 · 3 essais',
    'reçue 3 essais',
  ]);
});
