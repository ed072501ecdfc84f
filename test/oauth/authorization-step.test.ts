import { describe, expect, test } from 'vitest';
import type { Acr, AuthenticationMethod } from '../../src/oauth/authentication-methods.ts';
import type { AuthorizationRequest } from '../../src/oauth/authorization-request.ts';
import { type AuthorizationState, decideNextStep } from '../../src/oauth/authorization-step.ts';
import type { Client } from '../../src/oauth/client.ts';

const NOW = 1_790_000_000_000;
const MINUTE = 60_000;
const CLIENT: Client = {
  clientId: 'app_1',
  name: 'Carnet',
  type: 'confidential',
  redirectUris: ['https://client.example/cb'],
  scopes: ['openid', 'profile', 'email'],
  standard: false,
};

/** By default, the user signed in ten minutes ago and consented to the requested scopes. */
function createState(
  request: Partial<AuthorizationRequest>,
  overrides: Partial<AuthorizationState>,
  client: Partial<Client> = {},
): AuthorizationState {
  return {
    request: {
      clientId: 'app_1',
      redirectUri: 'https://client.example/cb',
      scopes: ['openid', 'profile'],
      state: 's',
      nonce: undefined,
      codeChallenge: undefined,
      prompts: [],
      maxAge: undefined,
      acr: { values: [], essential: false },
      uiLocales: undefined,
      loginHint: undefined,
      idTokenHint: undefined,
      apis: [],
      responseMode: 'query',
      ...request,
    },
    startedAt: NOW,
    client: { ...CLIENT, ...client },
    signedInAt: NOW - 10 * MINUTE,
    identifiedAt: 'signedInAt' in overrides ? overrides.signedInAt : NOW - 10 * MINUTE,
    userId: 'ada',
    email: 'ada@example.com',
    hasOtherAccounts: false,
    selectedUserId: undefined,
    methods: ['pwd'],
    availableMethods: [],
    requiresTotp: false,
    isMfaRequired: false,
    skipsVoluntaryAcr: false,
    consentedScopes: ['openid', 'profile'],
    apis: [],
    now: NOW,
    ...overrides,
  };
}

function decide(
  request: Partial<AuthorizationRequest> = {},
  overrides: Partial<AuthorizationState> = {},
  client?: Partial<Client>,
): string {
  const step = decideNextStep(createState(request, overrides, client));
  return step.next === 'refuse' ? step.refusal.error : step.next;
}

function listStepUpMethods(
  request: Partial<AuthorizationRequest>,
  overrides: Partial<AuthorizationState>,
): AuthenticationMethod[] {
  const step = decideNextStep(createState(request, overrides));
  return step.next === 'step-up' ? step.by : [];
}
const SIGNED_OUT = { signedInAt: undefined, userId: undefined };
const NO_CONSENT = { consentedScopes: [] };

test('without prompt, the session and consent determine the next step', () => {
  expect.soft(decide({}, SIGNED_OUT)).toBe('sign-in');
  expect.soft(decide({}, { ...SIGNED_OUT, ...NO_CONSENT })).toBe('sign-in');
  expect.soft(decide({}, NO_CONSENT)).toBe('consent');
  expect.soft(decide()).toBe('issue');
  expect.soft(decide({ scopes: ['openid', 'profile', 'email'] })).toBe('consent');
  // Fewer or reordered scopes need no new consent.
  expect.soft(decide({ scopes: ['profile'] })).toBe('issue');
  expect.soft(decide({}, { consentedScopes: ['phone', 'profile', 'openid'] })).toBe('issue');
});

test('with prompt=none, the service never shows a page (OpenID Connect Core §3.1.2.1)', () => {
  const prompts: AuthorizationRequest['prompts'] = ['none'];
  expect.soft(decide({ prompts }, SIGNED_OUT)).toBe('login_required');
  expect.soft(decide({ prompts }, { ...SIGNED_OUT, ...NO_CONSENT })).toBe('login_required');
  expect.soft(decide({ prompts }, NO_CONSENT)).toBe('consent_required');
  expect.soft(decide({ prompts })).toBe('issue');
  expect.soft(decide({ prompts, maxAge: 60 })).toBe('login_required');
  // Local redirect URIs need consent every time.
  const local = { prompts, redirectUri: 'http://127.0.0.1:5000/cb' };
  expect.soft(decide(local, {}, { type: 'public' })).toBe('consent_required');
});

test('with prompt=login, the user must sign in again', () => {
  const prompts: AuthorizationRequest['prompts'] = ['login'];
  expect.soft(decide({ prompts })).toBe('sign-in');
  expect.soft(decide({ prompts }, { signedInAt: NOW - 1 })).toBe('sign-in');
  expect.soft(decide({ prompts }, { signedInAt: NOW + MINUTE, now: NOW + 2 * MINUTE })).toBe('issue');
  expect.soft(decide({ prompts }, { signedInAt: NOW })).toBe('issue');
  expect.soft(decide({ prompts }, { signedInAt: NOW + 1, now: NOW + 2, ...NO_CONSENT })).toBe('consent');
});

test('a user with several signed-in accounts must select one', () => {
  const several = { hasOtherAccounts: true };
  expect.soft(decide({}, several)).toBe('choose');
  expect.soft(decide({}, { ...several, ...NO_CONSENT })).toBe('choose');
  expect.soft(decide({ prompts: ['consent'] }, several)).toBe('choose');
  expect.soft(decide({}, { ...several, selectedUserId: 'ada' })).toBe('issue');
  expect.soft(decide({}, { ...several, selectedUserId: 'grace' })).toBe('choose');
  expect.soft(decide({}, { ...several, signedInAt: NOW })).toBe('issue');
  // No selection is needed if a hint names the active account.
  expect.soft(decide({ loginHint: ' ADA@example.com ' }, several)).toBe('issue');
  expect.soft(decide({ loginHint: 'grace@example.com' }, several)).toBe('choose');
  expect.soft(decide({ loginHint: '' }, { ...several, email: undefined })).toBe('choose');
  expect.soft(decide({ hintedUserId: 'ada' }, several)).toBe('issue');
  expect.soft(decide({ hintedUserId: 'grace', loginHint: 'ada@example.com' }, several)).toBe('sign-in');
  expect.soft(decide({ prompts: ['login'] }, several)).toBe('sign-in');
  expect.soft(decide({ maxAge: 1 }, several)).toBe('sign-in');
  expect.soft(decide({ prompts: ['none'] }, several)).toBe('issue');
});

test('with prompt=select_account, the user must select an account (OpenID Connect Core §3.1.2.1)', () => {
  const prompts: AuthorizationRequest['prompts'] = ['select_account'];
  expect.soft(decide({ prompts })).toBe('choose');
  expect.soft(decide({ prompts }, NO_CONSENT)).toBe('choose');
  expect.soft(decide({ prompts }, SIGNED_OUT)).toBe('sign-in');
  expect.soft(decide({ prompts }, { selectedUserId: 'ada' })).toBe('issue');
  expect.soft(decide({ prompts }, { selectedUserId: 'ada', ...NO_CONSENT })).toBe('consent');
  expect.soft(decide({ prompts }, { selectedUserId: 'another' })).toBe('choose');
  expect.soft(decide({ prompts }, { signedInAt: NOW })).toBe('issue');
  const bothPrompts: AuthorizationRequest['prompts'] = ['login', 'select_account'];
  expect.soft(decide({ prompts: bothPrompts })).toBe('choose');
  expect.soft(decide({ prompts: bothPrompts }, { selectedUserId: 'ada' })).toBe('sign-in');
  expect.soft(decide({ prompts: bothPrompts }, { signedInAt: NOW })).toBe('issue');
  expect.soft(decide({ prompts, hintedUserId: 'ada' }, { selectedUserId: 'ada' })).toBe('issue');
  expect.soft(decide({ prompts, hintedUserId: 'another' }, { selectedUserId: 'ada' })).toBe('login_required');
  expect.soft(decide({ hintedUserId: 'another' }, { selectedUserId: 'another' })).toBe('sign-in');
});

test('with prompt=consent, the user must consent again', () => {
  expect.soft(decide({ prompts: ['consent'] })).toBe('consent');
  expect.soft(decide({ prompts: ['consent'] }, SIGNED_OUT)).toBe('sign-in');
  expect.soft(decide({ prompts: ['consent', 'select_account'] }, { selectedUserId: 'ada' })).toBe('consent');
  expect.soft(decide({ prompts: ['login', 'consent'] })).toBe('sign-in');
  expect
    .soft(decide({ prompts: ['login', 'consent'] }, { signedInAt: NOW + 1, now: NOW + 2 }))
    .toBe('consent');
});

test('max_age limits the age of the sign-in (OpenID Connect Core §3.1.2.1)', () => {
  expect.soft(decide({ maxAge: 600 })).toBe('issue');
  expect.soft(decide({ maxAge: 600 }, { signedInAt: NOW - 600_001 })).toBe('sign-in');
  expect.soft(decide({ maxAge: 599 })).toBe('sign-in');
  // max_age=0 is equivalent to prompt=login.
  expect.soft(decide({ maxAge: 0 })).toBe('sign-in');
  expect.soft(decide({ maxAge: 0 }, { signedInAt: NOW + MINUTE, now: NOW + 2 * MINUTE })).toBe('issue');
});

describe('existing consent', () => {
  test.each([
    'http://127.0.0.1:5000/cb',
    'http://[::1]/cb',
    'http://localhost:5000/cb',
    'com.example.app:/cb',
  ])('is insufficient for the local redirect URI %s (RFC 8252 §8.6)', (redirectUri) => {
    expect(decide({ redirectUri }, {}, { type: 'public' })).toBe('consent');
  });

  test('is sufficient for https URIs', () => {
    expect(decide({}, {}, { type: 'public' })).toBe('issue');
    expect(decide({ redirectUri: 'http://127.0.0.1:5000/cb' })).toBe('issue');
  });
});

test('only the hinted user may sign in (OpenID Connect Core §3.1.2.1)', () => {
  const withHint = (hintedUserId: string, request: Partial<AuthorizationRequest> = {}) => ({
    hintedUserId,
    ...request,
  });
  const signedInNow = { signedInAt: NOW };
  expect.soft(decide(withHint('ada'))).toBe('issue');
  expect.soft(decide(withHint('ada', { prompts: ['none'] }))).toBe('issue');
  expect.soft(decide(withHint('grace'))).toBe('sign-in');
  expect.soft(decide(withHint('grace', { prompts: ['none'] }))).toBe('login_required');
  expect.soft(decide(withHint('grace'), SIGNED_OUT)).toBe('sign-in');
  expect.soft(decide(withHint('grace'), signedInNow)).toBe('login_required');
  expect.soft(decide(withHint('grace'), { ...signedInNow, userId: 'grace' })).toBe('issue');
  // During this request, an identity provider confirmed another user, who had signed in there earlier.
  expect.soft(decide(withHint('grace'), { identifiedAt: NOW })).toBe('login_required');
});

test('a requested acr may require a step-up', () => {
  const voluntary = (...values: Acr[]) => ({ acr: { values, essential: false } });
  const essential = (...values: Acr[]) => ({ acr: { values, essential: true } });
  const HAS_APP: Partial<AuthorizationState> = { requiresTotp: true, availableMethods: ['otp'] };
  const STRONG: Partial<AuthorizationState> = { ...HAS_APP, methods: ['pwd', 'otp'] };
  // A voluntary acr is ignored if the account has no second factor.
  expect.soft(decide(voluntary('2'))).toBe('issue');
  expect.soft(decide({}, HAS_APP)).toBe('issue');
  expect.soft(decide({ prompts: ['login'] }, { signedInAt: NOW })).toBe('issue');
  // A voluntary acr requires a step-up, which the user can skip.
  expect.soft(decide(voluntary('2'), HAS_APP)).toBe('step-up');
  expect.soft(decide(voluntary('2'), STRONG)).toBe('issue');
  expect.soft(decide({ ...voluntary('2'), prompts: ['none'] }, HAS_APP)).toBe('issue');
  expect.soft(decide(voluntary('2'), { ...HAS_APP, skipsVoluntaryAcr: true })).toBe('issue');
  expect.soft(decide(voluntary('phr'), HAS_APP)).toBe('issue');
  expect.soft(decide(essential('2'), HAS_APP)).toBe('step-up');
  expect.soft(decide(essential('2'), { ...HAS_APP, skipsVoluntaryAcr: true })).toBe('step-up');
  expect.soft(decide({ ...essential('2'), prompts: ['none'] }, HAS_APP)).toBe('login_required');
  expect.soft(decide(essential('phr'), STRONG)).toBe('unmet_authentication_requirements');
  expect
    .soft(decide({ ...essential('phr'), prompts: ['none'] }, STRONG))
    .toBe('unmet_authentication_requirements');
  expect.soft(decide(essential('phr'), { ...STRONG, methods: ['swk'] })).toBe('issue');
  // Every sign-in meets acr 1.
  for (const account of [{}, HAS_APP, STRONG, { ...HAS_APP, methods: ['swk' as const] }])
    for (const prompts of [[], ['none' as const]])
      expect.soft(decide({ ...essential('1'), prompts }, account)).toBe('issue');
  // The session meets only the second value. The user can skip the step-up for the first.
  const twoValues = essential('phr', '2');
  const withPasskey: Partial<AuthorizationState> = { ...STRONG, availableMethods: ['otp', 'swk'] };
  expect.soft(decide(twoValues, withPasskey)).toBe('step-up');
  expect.soft(decide(twoValues, { ...withPasskey, skipsVoluntaryAcr: true })).toBe('issue');
  expect.soft(decide({ ...twoValues, prompts: ['none'] }, withPasskey)).toBe('issue');
  // Step-up comes after sign-in and before consent.
  expect.soft(decide(essential('2'), { ...HAS_APP, ...SIGNED_OUT })).toBe('sign-in');
  expect
    .soft(decide({ ...essential('2'), prompts: ['consent'] }, { ...HAS_APP, ...NO_CONSENT }))
    .toBe('step-up');
  // With max_age or prompt=login, the password alone isn't enough if the account has a second factor.
  for (const request of [{ maxAge: 600 }, { prompts: ['login' as const] }]) {
    expect.soft(decide(request, { ...HAS_APP, signedInAt: NOW })).toBe('step-up');
    expect.soft(decide(request, { ...HAS_APP, signedInAt: NOW, skipsVoluntaryAcr: true })).toBe('step-up');
    expect.soft(decide(request, { ...STRONG, signedInAt: NOW })).toBe('issue');
  }
  expect.soft(decide({ maxAge: 600, prompts: ['none'] }, HAS_APP)).toBe('login_required');
  // The step-up offers the methods that meet the essential acr.
  const BOTH: Partial<AuthorizationState> = { requiresTotp: true, availableMethods: ['otp', 'swk'] };
  expect.soft(listStepUpMethods(essential('phr'), BOTH)).toEqual(['swk']);
  expect.soft(listStepUpMethods(essential('2'), BOTH)).toEqual(['otp', 'swk']);
  // For a voluntary acr, the step-up offers the methods that meet a value which the session doesn't meet yet.
  expect.soft(listStepUpMethods(voluntary('phr', '2'), BOTH)).toEqual(['otp', 'swk']);
  expect
    .soft(listStepUpMethods(essential('phrh'), { ...BOTH, availableMethods: ['otp', 'swk', 'hwk'] }))
    .toEqual(['hwk']);
  expect.soft(listStepUpMethods(voluntary('phr'), { ...BOTH, isMfaRequired: true })).toEqual(['otp', 'swk']);
  const REQUIRED: Partial<AuthorizationState> = { isMfaRequired: true };
  // A session keeps the methods it used, even after their removal.
  expect.soft(decide({}, { ...REQUIRED, methods: ['pwd', 'otp'] })).toBe('issue');
  expect.soft(decide({}, REQUIRED)).toBe('enroll');
  expect.soft(decide({ prompts: ['none'] }, REQUIRED)).toBe('interaction_required');
  expect.soft(decide({}, { ...REQUIRED, ...HAS_APP })).toBe('step-up');
  expect.soft(decide({}, { ...REQUIRED, ...HAS_APP, skipsVoluntaryAcr: true })).toBe('step-up');
  expect.soft(decide({ prompts: ['none'] }, { ...REQUIRED, ...HAS_APP })).toBe('login_required');
  expect.soft(decide({}, { ...REQUIRED, ...STRONG })).toBe('issue');
  expect.soft(decide({}, { ...REQUIRED, methods: ['swk'], availableMethods: ['swk'] })).toBe('issue');
  expect.soft(decide({}, { ...REQUIRED, ...SIGNED_OUT })).toBe('sign-in');
  // Users must set up an authenticator app for acr 2. They never have to set up a passkey.
  expect.soft(decide(essential('2'))).toBe('enroll');
  expect.soft(decide(essential('phr', '2'))).toBe('enroll');
  expect.soft(decide({ ...essential('2'), prompts: ['none'] })).toBe('interaction_required');
  expect.soft(decide(essential('phr'))).toBe('unmet_authentication_requirements');
  expect.soft(decide(voluntary('2'))).toBe('issue');
});
