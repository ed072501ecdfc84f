// Runs the modules of the OpenID Foundation's oidcc-basic-certification-test-plan.
import { afterAll, expect, test } from 'vitest';
import { startTestService } from '../support/service.ts';
import { AUTHENTICATION_MODULES } from './basic/authentication.ts';
import { CLAIMS_MODULES } from './basic/claims.ts';
import { REQUEST_MODULES } from './basic/requests.ts';
import { TOKEN_MODULES } from './basic/tokens.ts';
import { type Modules, openRelyingParty } from './relying-party.ts';

const PLAN = [
  'oidcc-server',
  'oidcc-response-type-missing',
  'oidcc-idtoken-signature',
  'oidcc-idtoken-unsigned',
  'oidcc-userinfo-get',
  'oidcc-userinfo-post-header',
  'oidcc-userinfo-post-body',
  'oidcc-ensure-request-without-nonce-succeeds-for-code-flow',
  'oidcc-scope-profile',
  'oidcc-scope-email',
  'oidcc-scope-address',
  'oidcc-scope-phone',
  'oidcc-scope-all',
  'oidcc-alternate-happy-flow',
  'oidcc-display-page',
  'oidcc-display-popup',
  'oidcc-prompt-login',
  'oidcc-prompt-none-not-logged-in',
  'oidcc-prompt-none-logged-in',
  'oidcc-max-age-1',
  'oidcc-max-age-10000',
  'oidcc-ensure-request-with-unknown-parameter-succeeds',
  'oidcc-id-token-hint',
  'oidcc-login-hint',
  'oidcc-ui-locales',
  'oidcc-claims-locales',
  'oidcc-ensure-request-with-acr-values-succeeds',
  'oidcc-codereuse',
  'oidcc-codereuse-30seconds',
  'oidcc-ensure-registered-redirect-uri',
  'oidcc-ensure-post-request-succeeds',
  'oidcc-server-client-secret-post',
  'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported',
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
  'oidcc-claims-essential',
  'oidcc-ensure-request-object-with-redirect-uri',
  'oidcc-refresh-token',
  'oidcc-ensure-request-with-valid-pkce-succeeds',
];

const service = await startTestService();
afterAll(() => service.close());

const modules: Modules = {
  ...REQUEST_MODULES,
  ...AUTHENTICATION_MODULES,
  ...CLAIMS_MODULES,
  ...TOKEN_MODULES,
};

test.each(PLAN)('the service passes %s', async (module) => {
  const run = modules[module];
  if (run === undefined) throw new Error('this module of the plan has no test');
  await run(await openRelyingParty(service));
});

test('the tests cover exactly the modules of the certification plan', () => {
  expect(Object.keys(modules).sort()).toEqual([...PLAN].sort());
});
