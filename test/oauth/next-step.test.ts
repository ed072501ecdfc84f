// The one next step: the matrix of session, prompt, max_age and consent (OpenID Connect Core §3.1.2.1; D2, D7).
import { describe, expect, test } from 'vitest';
import type { Acr, Method } from '../../src/oauth/authentication-methods.ts';
import type { AuthorizationRequest } from '../../src/oauth/authorization-request.ts';
import type { Client } from '../../src/oauth/client.ts';
import { nextStep, type Situation } from '../../src/oauth/next-step.ts';

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

/** A person signed in ten minutes ago asks now for what they agreed to; each test states its difference. */
function situationOf(
  request: Partial<AuthorizationRequest>,
  situation: Partial<Situation>,
  client: Partial<Client> = {},
): Situation {
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
    otherAccounts: false,
    chosen: undefined,
    methods: ['pwd'],
    means: [],
    asksForCode: false,
    demanded: false,
    wishAnswered: false,
    consentedScopes: ['openid', 'profile'],
    apis: [],
    now: NOW,
    ...situation,
  };
}

function stepOf(
  request: Partial<AuthorizationRequest> = {},
  situation: Partial<Situation> = {},
  client?: Partial<Client>,
): string {
  const step = nextStep(situationOf(request, situation, client));
  return step.next === 'refuse' ? step.refusal.error : step.next;
}

function waysOf(request: Partial<AuthorizationRequest>, situation: Partial<Situation>): Method[] {
  const step = nextStep(situationOf(request, situation));
  return step.next === 'step-up' ? step.by : [];
}
const NOBODY = { signedInAt: undefined, userId: undefined };
const NO_CONSENT = { consentedScopes: [] };

test('signed in × consented, without prompt', () => {
  // Nobody is signed in: sign in, agreed or not.
  expect.soft(stepOf({}, NOBODY)).toBe('sign-in');
  expect.soft(stepOf({}, { ...NOBODY, ...NO_CONSENT })).toBe('sign-in');
  // Signed in, never agreed: consent (D7).
  expect.soft(stepOf({}, NO_CONSENT)).toBe('consent');
  // Signed in and agreed: the code at once (D7).
  expect.soft(stepOf()).toBe('issue');
  // The scopes grew: consent again (D7).
  expect.soft(stepOf({ scopes: ['openid', 'profile', 'email'] })).toBe('consent');
  // Fewer scopes than were agreed, or the same in another order: no question.
  expect.soft(stepOf({ scopes: ['profile'] })).toBe('issue');
  expect.soft(stepOf({}, { consentedScopes: ['phone', 'profile', 'openid'] })).toBe('issue');
});

test('prompt=none never shows a page (D2)', () => {
  const prompts: AuthorizationRequest['prompts'] = ['none'];
  // Nobody is signed in: login_required.
  expect.soft(stepOf({ prompts }, NOBODY)).toBe('login_required');
  expect.soft(stepOf({ prompts }, { ...NOBODY, ...NO_CONSENT })).toBe('login_required');
  // Signed in, not agreed: consent_required.
  expect.soft(stepOf({ prompts }, NO_CONSENT)).toBe('consent_required');
  // Signed in and agreed: the code.
  expect.soft(stepOf({ prompts })).toBe('issue');
  // The sign-in is older than max_age: login_required.
  expect.soft(stepOf({ prompts, maxAge: 60 })).toBe('login_required');
  // A callback that is always asked about: consent_required (D7).
  const local = { prompts, redirectUri: 'http://127.0.0.1:5000/cb' };
  expect.soft(stepOf(local, {}, { type: 'public' })).toBe('consent_required');
});

test('prompt=login', () => {
  const prompts: AuthorizationRequest['prompts'] = ['login'];
  // Signs in again, though somebody is signed in.
  expect.soft(stepOf({ prompts })).toBe('sign-in');
  expect.soft(stepOf({ prompts }, { signedInAt: NOW - 1 })).toBe('sign-in');
  // Is satisfied by a sign-in on the way of this very request, later the same hour too.
  expect.soft(stepOf({ prompts }, { signedInAt: NOW + MINUTE, now: NOW + 2 * MINUTE })).toBe('issue');
  expect.soft(stepOf({ prompts }, { signedInAt: NOW })).toBe('issue');
  // Then consent is asked as ever.
  expect.soft(stepOf({ prompts }, { signedInAt: NOW + 1, now: NOW + 2, ...NO_CONSENT })).toBe('consent');
});

test('with other accounts signed in in the same browser', () => {
  const several = { otherAccounts: true };
  // The person chooses first, agreed or not.
  expect.soft(stepOf({}, several)).toBe('choose');
  expect.soft(stepOf({}, { ...several, ...NO_CONSENT })).toBe('choose');
  expect.soft(stepOf({ prompts: ['consent'] }, several)).toBe('choose');
  expect.soft(stepOf({}, { ...several, chosen: 'ada' })).toBe('issue');
  expect.soft(stepOf({}, { ...several, chosen: 'grace' })).toBe('choose');
  expect.soft(stepOf({}, { ...several, signedInAt: NOW })).toBe('issue');
  // Unless a hint names the active account.
  expect.soft(stepOf({ loginHint: ' ADA@example.com ' }, several)).toBe('issue');
  expect.soft(stepOf({ loginHint: 'grace@example.com' }, several)).toBe('choose');
  expect.soft(stepOf({ loginHint: '' }, { ...several, email: undefined })).toBe('choose');
  expect.soft(stepOf({ hintedUserId: 'ada' }, several)).toBe('issue');
  expect.soft(stepOf({ hintedUserId: 'grace', loginHint: 'ada@example.com' }, several)).toBe('sign-in');
  // Signing in anew is a choice; prompt=none is answered for the active account.
  expect.soft(stepOf({ prompts: ['login'] }, several)).toBe('sign-in');
  expect.soft(stepOf({ maxAge: 1 }, several)).toBe('sign-in');
  expect.soft(stepOf({ prompts: ['none'] }, several)).toBe('issue');
});

test('prompt=select_account asks whose account it shall be (OpenID Connect Core §3.1.2.1)', () => {
  const prompts: AuthorizationRequest['prompts'] = ['select_account'];
  // Whoever is signed in; where nobody is, signing in says it.
  expect.soft(stepOf({ prompts })).toBe('choose');
  expect.soft(stepOf({ prompts }, NO_CONSENT)).toBe('choose');
  expect.soft(stepOf({ prompts }, NOBODY)).toBe('sign-in');
  // Is satisfied by the choice of this very account, or a sign-in on the way.
  expect.soft(stepOf({ prompts }, { chosen: 'ada' })).toBe('issue');
  expect.soft(stepOf({ prompts }, { chosen: 'ada', ...NO_CONSENT })).toBe('consent');
  expect.soft(stepOf({ prompts }, { chosen: 'another' })).toBe('choose');
  expect.soft(stepOf({ prompts }, { signedInAt: NOW })).toBe('issue');
  // Login select_account: first the choice, then the password.
  const both: AuthorizationRequest['prompts'] = ['login', 'select_account'];
  expect.soft(stepOf({ prompts: both })).toBe('choose');
  expect.soft(stepOf({ prompts: both }, { chosen: 'ada' })).toBe('sign-in');
  expect.soft(stepOf({ prompts: both }, { signedInAt: NOW })).toBe('issue');
  // Whoever is chosen though the application meant somebody else: login_required.
  expect.soft(stepOf({ prompts, hintedUserId: 'ada' }, { chosen: 'ada' })).toBe('issue');
  expect.soft(stepOf({ prompts, hintedUserId: 'somebody' }, { chosen: 'ada' })).toBe('login_required');
  expect.soft(stepOf({ hintedUserId: 'somebody' }, { chosen: 'another' })).toBe('sign-in');
});

test('prompt=consent asks, whatever was agreed (D7)', () => {
  // Consent.
  expect.soft(stepOf({ prompts: ['consent'] })).toBe('consent');
  expect.soft(stepOf({ prompts: ['consent'] }, NOBODY)).toBe('sign-in');
  expect.soft(stepOf({ prompts: ['consent', 'select_account'] }, { chosen: 'ada' })).toBe('consent');
  // Login consent: first one, then the other.
  expect.soft(stepOf({ prompts: ['login', 'consent'] })).toBe('sign-in');
  expect
    .soft(stepOf({ prompts: ['login', 'consent'] }, { signedInAt: NOW + 1, now: NOW + 2 }))
    .toBe('consent');
});

test('max_age (OpenID Connect Core §3.1.2.1)', () => {
  // Younger or just as old: goes on; older by a millisecond: sign in.
  expect.soft(stepOf({ maxAge: 600 })).toBe('issue');
  expect.soft(stepOf({ maxAge: 600 }, { signedInAt: NOW - 600_001 })).toBe('sign-in');
  expect.soft(stepOf({ maxAge: 599 })).toBe('sign-in');
  // Max_age=0 is prompt=login.
  expect.soft(stepOf({ maxAge: 0 })).toBe('sign-in');
  expect.soft(stepOf({ maxAge: 0 }, { signedInAt: NOW + MINUTE, now: NOW + 2 * MINUTE })).toBe('issue');
});

describe('a callback that any program of the device can receive is asked about every time (D7, RFC 8252 §8.6)', () => {
  test.each([
    'http://127.0.0.1:5000/cb',
    'http://[::1]/cb',
    'http://localhost:5000/cb',
    'com.example.app:/cb',
  ])('%s of a public application: consent', (redirectUri) => {
    expect(stepOf({ redirectUri }, {}, { type: 'public' })).toBe('consent');
  });

  test('https of a public application, and loopback of a confidential one: remembered', () => {
    expect(stepOf({}, {}, { type: 'public' })).toBe('issue');
    expect(stepOf({ redirectUri: 'http://127.0.0.1:5000/cb' })).toBe('issue');
  });
});

test('id_token_hint (OpenID Connect Core §3.1.2.1)', () => {
  const hinted = (hintedUserId: string, more: Partial<AuthorizationRequest> = {}) => ({
    hintedUserId,
    ...more,
  });
  const justNow = { signedInAt: NOW };
  // Names who is signed in: nothing changes.
  expect.soft(stepOf(hinted('ada'))).toBe('issue');
  expect.soft(stepOf(hinted('ada', { prompts: ['none'] }))).toBe('issue');
  // Names somebody else: sign in, and silently login_required.
  expect.soft(stepOf(hinted('grace'))).toBe('sign-in');
  expect.soft(stepOf(hinted('grace', { prompts: ['none'] }))).toBe('login_required');
  expect.soft(stepOf(hinted('grace'), NOBODY)).toBe('sign-in');
  // Somebody else signs in on the way: login_required, never a code for the wrong person.
  expect.soft(stepOf(hinted('grace'), justNow)).toBe('login_required');
  expect.soft(stepOf(hinted('grace'), { ...justNow, userId: 'grace' })).toBe('issue');
});

test('what the application asks of the sign-in (D41, D44)', () => {
  const wish = (...values: Acr[]) => ({ acr: { values, essential: false } });
  const must = (...values: Acr[]) => ({ acr: { values, essential: true } });
  const HAS_APP: Partial<Situation> = { asksForCode: true, means: ['otp'] };
  const STRONG: Partial<Situation> = { ...HAS_APP, methods: ['pwd', 'otp'] };
  // Nothing is asked of who has no second factor, and nothing of who has, unasked.
  expect.soft(stepOf(wish('2'))).toBe('issue');
  expect.soft(stepOf({}, HAS_APP)).toBe('issue');
  expect.soft(stepOf({ prompts: ['login'] }, { signedInAt: NOW })).toBe('issue');
  // A wish that one step meets leads to that step; without a page, or refused by the person, it is let go.
  expect.soft(stepOf(wish('2'), HAS_APP)).toBe('step-up');
  expect.soft(stepOf(wish('2'), STRONG)).toBe('issue');
  expect.soft(stepOf({ ...wish('2'), prompts: ['none'] }, HAS_APP)).toBe('issue');
  expect.soft(stepOf(wish('2'), { ...HAS_APP, wishAnswered: true })).toBe('issue');
  expect.soft(stepOf(wish('phr'), HAS_APP)).toBe('issue');
  // What is essential is met, or nothing is given.
  expect.soft(stepOf(must('2'), HAS_APP)).toBe('step-up');
  expect.soft(stepOf(must('2'), { ...HAS_APP, wishAnswered: true })).toBe('step-up');
  expect.soft(stepOf({ ...must('2'), prompts: ['none'] }, HAS_APP)).toBe('login_required');
  expect.soft(stepOf(must('phr'), STRONG)).toBe('unmet_authentication_requirements');
  expect
    .soft(stepOf({ ...must('phr'), prompts: ['none'] }, STRONG))
    .toBe('unmet_authentication_requirements');
  expect.soft(stepOf(must('phr'), { ...STRONG, methods: ['swk'] })).toBe('issue');
  // One factor is what every sign-in shows, whatever the account has.
  for (const account of [{}, HAS_APP, STRONG, { ...HAS_APP, methods: ['swk' as const] }])
    for (const prompts of [[], ['none' as const]])
      expect.soft(stepOf({ ...must('1'), prompts }, account)).toBe('issue');
  // Of two essential ones the preferred is offered, and the other will do.
  const both = must('phr', '2');
  const withPasskey: Partial<Situation> = { ...STRONG, means: ['otp', 'swk'] };
  expect.soft(stepOf(both, withPasskey)).toBe('step-up');
  expect.soft(stepOf(both, { ...withPasskey, wishAnswered: true })).toBe('issue');
  expect.soft(stepOf({ ...both, prompts: ['none'] }, withPasskey)).toBe('issue');
  // Signing in comes first, consent after.
  expect.soft(stepOf(must('2'), { ...HAS_APP, ...NOBODY })).toBe('sign-in');
  expect.soft(stepOf({ ...must('2'), prompts: ['consent'] }, { ...HAS_APP, ...NO_CONSENT })).toBe('step-up');
  // Where it minds when they signed in, a password alone is no sign-in of an account with a second factor.
  for (const request of [{ maxAge: 600 }, { prompts: ['login' as const] }]) {
    expect.soft(stepOf(request, { ...HAS_APP, signedInAt: NOW })).toBe('step-up');
    expect.soft(stepOf(request, { ...HAS_APP, signedInAt: NOW, wishAnswered: true })).toBe('step-up');
    expect.soft(stepOf(request, { ...STRONG, signedInAt: NOW })).toBe('issue');
  }
  expect.soft(stepOf({ maxAge: 600, prompts: ['none'] }, HAS_APP)).toBe('login_required');
  // What would do is said: for what has to be met all of that, for a wish any of it.
  const BOTH: Partial<Situation> = { asksForCode: true, means: ['otp', 'swk'] };
  expect.soft(waysOf(must('phr'), BOTH)).toEqual(['swk']);
  expect.soft(waysOf(must('2'), BOTH)).toEqual(['otp', 'swk']);
  expect.soft(waysOf(wish('phr', '2'), BOTH)).toEqual(['otp', 'swk']);
  expect.soft(waysOf(must('phrh'), { ...BOTH, means: ['otp', 'swk', 'hwk'] })).toEqual(['hwk']);
  expect.soft(waysOf(wish('phr'), { ...BOTH, demanded: true })).toEqual(['otp', 'swk']);
  // A demand is met by two factors; who has none sets one up first (D42).
  const DEMANDED: Partial<Situation> = { demanded: true };
  // Shown in this session, whatever the account has by now.
  expect.soft(stepOf({}, { ...DEMANDED, methods: ['pwd', 'otp'] })).toBe('issue');
  expect.soft(stepOf({}, DEMANDED)).toBe('enrol');
  expect.soft(stepOf({ prompts: ['none'] }, DEMANDED)).toBe('interaction_required');
  expect.soft(stepOf({}, { ...DEMANDED, ...HAS_APP })).toBe('step-up');
  expect.soft(stepOf({}, { ...DEMANDED, ...HAS_APP, wishAnswered: true })).toBe('step-up');
  expect.soft(stepOf({ prompts: ['none'] }, { ...DEMANDED, ...HAS_APP })).toBe('login_required');
  expect.soft(stepOf({}, { ...DEMANDED, ...STRONG })).toBe('issue');
  expect.soft(stepOf({}, { ...DEMANDED, methods: ['swk'], means: ['swk'] })).toBe('issue');
  expect.soft(stepOf({}, { ...DEMANDED, ...NOBODY })).toBe('sign-in');
  // What an app would meet is met by setting one up; a passkey is not made on the way.
  expect.soft(stepOf(must('2'))).toBe('enrol');
  expect.soft(stepOf(must('phr', '2'))).toBe('enrol');
  expect.soft(stepOf({ ...must('2'), prompts: ['none'] })).toBe('interaction_required');
  expect.soft(stepOf(must('phr'))).toBe('unmet_authentication_requirements');
  expect.soft(stepOf(wish('2'))).toBe('issue');
});
