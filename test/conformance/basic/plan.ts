// oidcc-basic-certification-test-plan, which oidcc-formpost-basic-certification-test-plan repeats with form_post.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';
import { type Modules, openRelyingParty, type ResponseMode } from '../relying-party.ts';
import { CLAIMS } from './claims.ts';
import { PEOPLE } from './people.ts';
import { REQUESTS } from './requests.ts';
import { TOKENS } from './tokens.ts';

/** The modules of the plan as the suite lists them. */
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

/** Runs the plan with answers that come one way. */
export function basicPlan(name: string, responseMode: ResponseMode): void {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  const modules: Modules = { ...REQUESTS, ...PEOPLE, ...CLAIMS, ...TOKENS };
  describe(name, () => {
    test.each(PLAN)('%s', async (module) => {
      const run = modules[module];
      if (run === undefined) throw new Error('no test for this module of the plan');
      await run(await openRelyingParty(service, responseMode));
    });

    test('every test here is a module of the plan', () => {
      expect(Object.keys(modules).sort()).toEqual([...PLAN].sort());
    });
  });
}
