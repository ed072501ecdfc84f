// How session, prompt, max_age, acr and consent determine an authorization request's next step.
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

/** The state of a user who signed in ten minutes ago and consented to the requested scopes. */
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

function stepOf(
  request: Partial<AuthorizationRequest> = {},
  overrides: Partial<AuthorizationState> = {},
  client?: Partial<Client>,
): string {
  const step = decideNextStep(createState(request, overrides, client));
  return step.next === 'refuse' ? step.refusal.error : step.next;
}

function stepUpMethods(
  request: Partial<AuthorizationRequest>,
  overrides: Partial<AuthorizationState>,
): AuthenticationMethod[] {
  const step = decideNextStep(createState(request, overrides));
  return step.next === 'step-up' ? step.by : [];
}
const SIGNED_OUT = { signedInAt: undefined, userId: undefined };
const NO_CONSENT = { consentedScopes: [] };

test('session and consent determine the next step without a prompt', () => {
  expect.soft(stepOf({}, SIGNED_OUT)).toBe('sign-in');
  expect.soft(stepOf({}, { ...SIGNED_OUT, ...NO_CONSENT })).toBe('sign-in');
  expect.soft(stepOf({}, NO_CONSENT)).toBe('consent');
  // The user is signed in and has consented.
  expect.soft(stepOf()).toBe('issue');
  // The request contains a scope to which the user hasn't consented.
  expect.soft(stepOf({ scopes: ['openid', 'profile', 'email'] })).toBe('consent');
  // The request contains fewer scopes than the consent, or the same scopes in a different order.
  expect.soft(stepOf({ scopes: ['profile'] })).toBe('issue');
  expect.soft(stepOf({}, { consentedScopes: ['phone', 'profile', 'openid'] })).toBe('issue');
});

test('prompt=none never shows a page (OpenID Connect Core §3.1.2.1)', () => {
  const prompts: AuthorizationRequest['prompts'] = ['none'];
  expect.soft(stepOf({ prompts }, SIGNED_OUT)).toBe('login_required');
  expect.soft(stepOf({ prompts }, { ...SIGNED_OUT, ...NO_CONSENT })).toBe('login_required');
  expect.soft(stepOf({ prompts }, NO_CONSENT)).toBe('consent_required');
  // The user is signed in and has consented.
  expect.soft(stepOf({ prompts })).toBe('issue');
  // The sign-in is older than max_age.
  expect.soft(stepOf({ prompts, maxAge: 60 })).toBe('login_required');
  // This redirect URI requires consent for every request.
  const local = { prompts, redirectUri: 'http://127.0.0.1:5000/cb' };
  expect.soft(stepOf(local, {}, { type: 'public' })).toBe('consent_required');
});

test('prompt=login requires a new sign-in', () => {
  const prompts: AuthorizationRequest['prompts'] = ['login'];
  // An existing session isn't sufficient.
  expect.soft(stepOf({ prompts })).toBe('sign-in');
  expect.soft(stepOf({ prompts }, { signedInAt: NOW - 1 })).toBe('sign-in');
  // A sign-in during this request is sufficient.
  expect.soft(stepOf({ prompts }, { signedInAt: NOW + MINUTE, now: NOW + 2 * MINUTE })).toBe('issue');
  expect.soft(stepOf({ prompts }, { signedInAt: NOW })).toBe('issue');
  // Consent is still required.
  expect.soft(stepOf({ prompts }, { signedInAt: NOW + 1, now: NOW + 2, ...NO_CONSENT })).toBe('consent');
});

test('the user must select an account if several accounts are signed in', () => {
  const several = { hasOtherAccounts: true };
  // The user selects the account before consenting.
  expect.soft(stepOf({}, several)).toBe('choose');
  expect.soft(stepOf({}, { ...several, ...NO_CONSENT })).toBe('choose');
  expect.soft(stepOf({ prompts: ['consent'] }, several)).toBe('choose');
  expect.soft(stepOf({}, { ...several, selectedUserId: 'ada' })).toBe('issue');
  expect.soft(stepOf({}, { ...several, selectedUserId: 'grace' })).toBe('choose');
  expect.soft(stepOf({}, { ...several, signedInAt: NOW })).toBe('issue');
  // The user needn't select an account if a hint names the active account.
  expect.soft(stepOf({ loginHint: ' ADA@example.com ' }, several)).toBe('issue');
  expect.soft(stepOf({ loginHint: 'grace@example.com' }, several)).toBe('choose');
  expect.soft(stepOf({ loginHint: '' }, { ...several, email: undefined })).toBe('choose');
  expect.soft(stepOf({ hintedUserId: 'ada' }, several)).toBe('issue');
  expect.soft(stepOf({ hintedUserId: 'grace', loginHint: 'ada@example.com' }, several)).toBe('sign-in');
  // prompt=login lets the user select an account by signing in. prompt=none uses the active account.
  expect.soft(stepOf({ prompts: ['login'] }, several)).toBe('sign-in');
  expect.soft(stepOf({ maxAge: 1 }, several)).toBe('sign-in');
  expect.soft(stepOf({ prompts: ['none'] }, several)).toBe('issue');
});

test('prompt=select_account requires account selection (OpenID Connect Core §3.1.2.1)', () => {
  const prompts: AuthorizationRequest['prompts'] = ['select_account'];
  // A signed-in user selects an account from a list, and a signed-out user by signing in.
  expect.soft(stepOf({ prompts })).toBe('choose');
  expect.soft(stepOf({ prompts }, NO_CONSENT)).toBe('choose');
  expect.soft(stepOf({ prompts }, SIGNED_OUT)).toBe('sign-in');
  // Selecting the account or signing in during this request is sufficient.
  expect.soft(stepOf({ prompts }, { selectedUserId: 'ada' })).toBe('issue');
  expect.soft(stepOf({ prompts }, { selectedUserId: 'ada', ...NO_CONSENT })).toBe('consent');
  expect.soft(stepOf({ prompts }, { selectedUserId: 'another' })).toBe('choose');
  expect.soft(stepOf({ prompts }, { signedInAt: NOW })).toBe('issue');
  // With prompt=login select_account, the user selects an account before signing in.
  const bothPrompts: AuthorizationRequest['prompts'] = ['login', 'select_account'];
  expect.soft(stepOf({ prompts: bothPrompts })).toBe('choose');
  expect.soft(stepOf({ prompts: bothPrompts }, { selectedUserId: 'ada' })).toBe('sign-in');
  expect.soft(stepOf({ prompts: bothPrompts }, { signedInAt: NOW })).toBe('issue');
  // The selected account must match the hint.
  expect.soft(stepOf({ prompts, hintedUserId: 'ada' }, { selectedUserId: 'ada' })).toBe('issue');
  expect.soft(stepOf({ prompts, hintedUserId: 'another' }, { selectedUserId: 'ada' })).toBe('login_required');
  expect.soft(stepOf({ hintedUserId: 'another' }, { selectedUserId: 'another' })).toBe('sign-in');
});

test('prompt=consent requires new consent', () => {
  expect.soft(stepOf({ prompts: ['consent'] })).toBe('consent');
  expect.soft(stepOf({ prompts: ['consent'] }, SIGNED_OUT)).toBe('sign-in');
  expect.soft(stepOf({ prompts: ['consent', 'select_account'] }, { selectedUserId: 'ada' })).toBe('consent');
  // With prompt=login consent, the user signs in before consenting.
  expect.soft(stepOf({ prompts: ['login', 'consent'] })).toBe('sign-in');
  expect
    .soft(stepOf({ prompts: ['login', 'consent'] }, { signedInAt: NOW + 1, now: NOW + 2 }))
    .toBe('consent');
});

test('max_age limits the age of the sign-in (OpenID Connect Core §3.1.2.1)', () => {
  expect.soft(stepOf({ maxAge: 600 })).toBe('issue');
  expect.soft(stepOf({ maxAge: 600 }, { signedInAt: NOW - 600_001 })).toBe('sign-in');
  expect.soft(stepOf({ maxAge: 599 })).toBe('sign-in');
  // max_age=0 is equivalent to prompt=login.
  expect.soft(stepOf({ maxAge: 0 })).toBe('sign-in');
  expect.soft(stepOf({ maxAge: 0 }, { signedInAt: NOW + MINUTE, now: NOW + 2 * MINUTE })).toBe('issue');
});

describe('an earlier consent', () => {
  test.each([
    'http://127.0.0.1:5000/cb',
    'http://[::1]/cb',
    'http://localhost:5000/cb',
    'com.example.app:/cb',
  ])('is insufficient if other programs can receive the code (RFC 8252 §8.6): %s', (redirectUri) => {
    expect(stepOf({ redirectUri }, {}, { type: 'public' })).toBe('consent');
  });

  test('is sufficient for https URIs', () => {
    expect(stepOf({}, {}, { type: 'public' })).toBe('issue');
    expect(stepOf({ redirectUri: 'http://127.0.0.1:5000/cb' })).toBe('issue');
  });
});

test('only the hinted user may sign in (OpenID Connect Core §3.1.2.1)', () => {
  const withHint = (hintedUserId: string, request: Partial<AuthorizationRequest> = {}) => ({
    hintedUserId,
    ...request,
  });
  const signedInNow = { signedInAt: NOW };
  // The hint names the signed-in user.
  expect.soft(stepOf(withHint('ada'))).toBe('issue');
  expect.soft(stepOf(withHint('ada', { prompts: ['none'] }))).toBe('issue');
  // The hint names a different user.
  expect.soft(stepOf(withHint('grace'))).toBe('sign-in');
  expect.soft(stepOf(withHint('grace', { prompts: ['none'] }))).toBe('login_required');
  expect.soft(stepOf(withHint('grace'), SIGNED_OUT)).toBe('sign-in');
  // A different user signed in during this request.
  expect.soft(stepOf(withHint('grace'), signedInNow)).toBe('login_required');
  expect.soft(stepOf(withHint('grace'), { ...signedInNow, userId: 'grace' })).toBe('issue');
});

test('a requested acr may require a step-up', () => {
  const voluntary = (...values: Acr[]) => ({ acr: { values, essential: false } });
  const essential = (...values: Acr[]) => ({ acr: { values, essential: true } });
  const HAS_APP: Partial<AuthorizationState> = { requiresTotp: true, availableMethods: ['otp'] };
  const STRONG: Partial<AuthorizationState> = { ...HAS_APP, methods: ['pwd', 'otp'] };
  // A voluntary acr is ignored if the account has no second factor. A request without acr needs no step-up.
  expect.soft(stepOf(voluntary('2'))).toBe('issue');
  expect.soft(stepOf({}, HAS_APP)).toBe('issue');
  expect.soft(stepOf({ prompts: ['login'] }, { signedInAt: NOW })).toBe('issue');
  // A voluntary acr causes a step-up, except with prompt=none or after the user skipped the step-up.
  expect.soft(stepOf(voluntary('2'), HAS_APP)).toBe('step-up');
  expect.soft(stepOf(voluntary('2'), STRONG)).toBe('issue');
  expect.soft(stepOf({ ...voluntary('2'), prompts: ['none'] }, HAS_APP)).toBe('issue');
  expect.soft(stepOf(voluntary('2'), { ...HAS_APP, skipsVoluntaryAcr: true })).toBe('issue');
  expect.soft(stepOf(voluntary('phr'), HAS_APP)).toBe('issue');
  // An essential acr must be met.
  expect.soft(stepOf(essential('2'), HAS_APP)).toBe('step-up');
  expect.soft(stepOf(essential('2'), { ...HAS_APP, skipsVoluntaryAcr: true })).toBe('step-up');
  expect.soft(stepOf({ ...essential('2'), prompts: ['none'] }, HAS_APP)).toBe('login_required');
  expect.soft(stepOf(essential('phr'), STRONG)).toBe('unmet_authentication_requirements');
  expect
    .soft(stepOf({ ...essential('phr'), prompts: ['none'] }, STRONG))
    .toBe('unmet_authentication_requirements');
  expect.soft(stepOf(essential('phr'), { ...STRONG, methods: ['swk'] })).toBe('issue');
  // Every sign-in meets acr 1.
  for (const account of [{}, HAS_APP, STRONG, { ...HAS_APP, methods: ['swk' as const] }])
    for (const prompts of [[], ['none' as const]])
      expect.soft(stepOf({ ...essential('1'), prompts }, account)).toBe('issue');
  // If two values are essential, the service offers a step-up to the preferred value, but accepts the other
  // value.
  const twoValues = essential('phr', '2');
  const withPasskey: Partial<AuthorizationState> = { ...STRONG, availableMethods: ['otp', 'swk'] };
  expect.soft(stepOf(twoValues, withPasskey)).toBe('step-up');
  expect.soft(stepOf(twoValues, { ...withPasskey, skipsVoluntaryAcr: true })).toBe('issue');
  expect.soft(stepOf({ ...twoValues, prompts: ['none'] }, withPasskey)).toBe('issue');
  // A step-up follows sign-in and precedes consent.
  expect.soft(stepOf(essential('2'), { ...HAS_APP, ...SIGNED_OUT })).toBe('sign-in');
  expect
    .soft(stepOf({ ...essential('2'), prompts: ['consent'] }, { ...HAS_APP, ...NO_CONSENT }))
    .toBe('step-up');
  // If the client requires a recent sign-in, a password alone isn't sufficient for an account with a second factor.
  for (const request of [{ maxAge: 600 }, { prompts: ['login' as const] }]) {
    expect.soft(stepOf(request, { ...HAS_APP, signedInAt: NOW })).toBe('step-up');
    expect.soft(stepOf(request, { ...HAS_APP, signedInAt: NOW, skipsVoluntaryAcr: true })).toBe('step-up');
    expect.soft(stepOf(request, { ...STRONG, signedInAt: NOW })).toBe('issue');
  }
  expect.soft(stepOf({ maxAge: 600, prompts: ['none'] }, HAS_APP)).toBe('login_required');
  // A step-up for an essential acr offers the methods that meet it.
  const BOTH: Partial<AuthorizationState> = { requiresTotp: true, availableMethods: ['otp', 'swk'] };
  expect.soft(stepUpMethods(essential('phr'), BOTH)).toEqual(['swk']);
  expect.soft(stepUpMethods(essential('2'), BOTH)).toEqual(['otp', 'swk']);
  // A step-up for a voluntary acr offers every method that meets a value that the session doesn't meet.
  expect.soft(stepUpMethods(voluntary('phr', '2'), BOTH)).toEqual(['otp', 'swk']);
  expect
    .soft(stepUpMethods(essential('phrh'), { ...BOTH, availableMethods: ['otp', 'swk', 'hwk'] }))
    .toEqual(['hwk']);
  // A step-up for required MFA offers all methods.
  expect.soft(stepUpMethods(voluntary('phr'), { ...BOTH, isMfaRequired: true })).toEqual(['otp', 'swk']);
  // Two factors meet the MFA requirement. Users without a second factor set up MFA first.
  const REQUIRED: Partial<AuthorizationState> = { isMfaRequired: true };
  // The session's methods meet the MFA requirement even if they were removed from the account.
  expect.soft(stepOf({}, { ...REQUIRED, methods: ['pwd', 'otp'] })).toBe('issue');
  expect.soft(stepOf({}, REQUIRED)).toBe('enroll');
  expect.soft(stepOf({ prompts: ['none'] }, REQUIRED)).toBe('interaction_required');
  expect.soft(stepOf({}, { ...REQUIRED, ...HAS_APP })).toBe('step-up');
  expect.soft(stepOf({}, { ...REQUIRED, ...HAS_APP, skipsVoluntaryAcr: true })).toBe('step-up');
  expect.soft(stepOf({ prompts: ['none'] }, { ...REQUIRED, ...HAS_APP })).toBe('login_required');
  expect.soft(stepOf({}, { ...REQUIRED, ...STRONG })).toBe('issue');
  expect.soft(stepOf({}, { ...REQUIRED, methods: ['swk'], availableMethods: ['swk'] })).toBe('issue');
  expect.soft(stepOf({}, { ...REQUIRED, ...SIGNED_OUT })).toBe('sign-in');
  // For an essential acr that an authenticator app would meet, the user must set up an app. Users are never
  // required to create a passkey.
  expect.soft(stepOf(essential('2'))).toBe('enroll');
  expect.soft(stepOf(essential('phr', '2'))).toBe('enroll');
  expect.soft(stepOf({ ...essential('2'), prompts: ['none'] })).toBe('interaction_required');
  expect.soft(stepOf(essential('phr'))).toBe('unmet_authentication_requirements');
  expect.soft(stepOf(voluntary('2'))).toBe('issue');
});
