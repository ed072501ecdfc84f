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

describe('signed in × consented, without prompt', () => {
  test('nobody is signed in: sign in, agreed or not', () => {
    expect(stepOf({}, NOBODY)).toBe('sign-in');
    expect(stepOf({}, { ...NOBODY, ...NO_CONSENT })).toBe('sign-in');
  });

  test('signed in, never agreed: consent (D7)', () => {
    expect(stepOf({}, NO_CONSENT)).toBe('consent');
  });

  test('signed in and agreed: the code at once (D7)', () => {
    expect(stepOf()).toBe('issue');
  });

  test('the scopes grew: consent again (D7)', () => {
    expect(stepOf({ scopes: ['openid', 'profile', 'email'] })).toBe('consent');
  });

  test('fewer scopes than were agreed, or the same in another order: no question', () => {
    expect(stepOf({ scopes: ['profile'] })).toBe('issue');
    expect(stepOf({}, { consentedScopes: ['phone', 'profile', 'openid'] })).toBe('issue');
  });
});

describe('prompt=none never shows a page (D2)', () => {
  const prompts: AuthorizationRequest['prompts'] = ['none'];

  test('nobody is signed in: login_required', () => {
    expect(stepOf({ prompts }, NOBODY)).toBe('login_required');
    expect(stepOf({ prompts }, { ...NOBODY, ...NO_CONSENT })).toBe('login_required');
  });

  test('signed in, not agreed: consent_required', () => {
    expect(stepOf({ prompts }, NO_CONSENT)).toBe('consent_required');
  });

  test('signed in and agreed: the code', () => {
    expect(stepOf({ prompts })).toBe('issue');
  });

  test('the sign-in is older than max_age: login_required', () => {
    expect(stepOf({ prompts, maxAge: 60 })).toBe('login_required');
  });

  test('a callback that is always asked about: consent_required (D7)', () => {
    const local = { prompts, redirectUri: 'http://127.0.0.1:5000/cb' };
    expect(stepOf(local, {}, { type: 'public' })).toBe('consent_required');
  });
});

describe('prompt=login', () => {
  const prompts: AuthorizationRequest['prompts'] = ['login'];

  test('signs in again, though somebody is signed in', () => {
    expect(stepOf({ prompts })).toBe('sign-in');
    expect(stepOf({ prompts }, { signedInAt: NOW - 1 })).toBe('sign-in');
  });

  test('is satisfied by a sign-in on the way of this very request, later the same hour too', () => {
    expect(stepOf({ prompts }, { signedInAt: NOW + MINUTE, now: NOW + 2 * MINUTE })).toBe('issue');
    expect(stepOf({ prompts }, { signedInAt: NOW })).toBe('issue');
  });

  test('then consent is asked as ever', () => {
    expect(stepOf({ prompts }, { signedInAt: NOW + 1, now: NOW + 2, ...NO_CONSENT })).toBe('consent');
  });
});

describe('with other accounts signed in in the same browser', () => {
  const several = { otherAccounts: true };

  test('the person chooses first, agreed or not', () => {
    expect(stepOf({}, several)).toBe('choose');
    expect(stepOf({}, { ...several, ...NO_CONSENT })).toBe('choose');
    expect(stepOf({ prompts: ['consent'] }, several)).toBe('choose');
    expect(stepOf({}, { ...several, chosen: 'ada' })).toBe('issue');
    expect(stepOf({}, { ...several, chosen: 'grace' })).toBe('choose');
    expect(stepOf({}, { ...several, signedInAt: NOW })).toBe('issue');
  });

  test('unless a hint names the active account', () => {
    expect(stepOf({ loginHint: ' ADA@example.com ' }, several)).toBe('issue');
    expect(stepOf({ loginHint: 'grace@example.com' }, several)).toBe('choose');
    expect(stepOf({ loginHint: '' }, { ...several, email: undefined })).toBe('choose');
    expect(stepOf({ hintedUserId: 'ada' }, several)).toBe('issue');
    expect(stepOf({ hintedUserId: 'grace', loginHint: 'ada@example.com' }, several)).toBe('sign-in');
  });

  test('signing in anew is a choice; prompt=none is answered for the active account', () => {
    expect(stepOf({ prompts: ['login'] }, several)).toBe('sign-in');
    expect(stepOf({ maxAge: 1 }, several)).toBe('sign-in');
    expect(stepOf({ prompts: ['none'] }, several)).toBe('issue');
  });
});

describe('prompt=select_account asks whose account it shall be (OpenID Connect Core §3.1.2.1)', () => {
  const prompts: AuthorizationRequest['prompts'] = ['select_account'];

  test('whoever is signed in; where nobody is, signing in says it', () => {
    expect(stepOf({ prompts })).toBe('choose');
    expect(stepOf({ prompts }, NO_CONSENT)).toBe('choose');
    expect(stepOf({ prompts }, NOBODY)).toBe('sign-in');
  });

  test('is satisfied by the choice of this very account, or a sign-in on the way', () => {
    expect(stepOf({ prompts }, { chosen: 'ada' })).toBe('issue');
    expect(stepOf({ prompts }, { chosen: 'ada', ...NO_CONSENT })).toBe('consent');
    expect(stepOf({ prompts }, { chosen: 'another' })).toBe('choose');
    expect(stepOf({ prompts }, { signedInAt: NOW })).toBe('issue');
  });

  test('login select_account: first the choice, then the password', () => {
    const both: AuthorizationRequest['prompts'] = ['login', 'select_account'];
    expect(stepOf({ prompts: both })).toBe('choose');
    expect(stepOf({ prompts: both }, { chosen: 'ada' })).toBe('sign-in');
    expect(stepOf({ prompts: both }, { signedInAt: NOW })).toBe('issue');
  });

  test('whoever is chosen though the application meant somebody else: login_required', () => {
    expect(stepOf({ prompts, hintedUserId: 'ada' }, { chosen: 'ada' })).toBe('issue');
    expect(stepOf({ prompts, hintedUserId: 'somebody' }, { chosen: 'ada' })).toBe('login_required');
    expect(stepOf({ hintedUserId: 'somebody' }, { chosen: 'another' })).toBe('sign-in');
  });
});

describe('prompt=consent asks, whatever was agreed (D7)', () => {
  test('consent', () => {
    expect(stepOf({ prompts: ['consent'] })).toBe('consent');
    expect(stepOf({ prompts: ['consent'] }, NOBODY)).toBe('sign-in');
    expect(stepOf({ prompts: ['consent', 'select_account'] }, { chosen: 'ada' })).toBe('consent');
  });

  test('login consent: first one, then the other', () => {
    expect(stepOf({ prompts: ['login', 'consent'] })).toBe('sign-in');
    expect(stepOf({ prompts: ['login', 'consent'] }, { signedInAt: NOW + 1, now: NOW + 2 })).toBe('consent');
  });
});

describe('max_age (OpenID Connect Core §3.1.2.1)', () => {
  test('younger or just as old: goes on; older by a millisecond: sign in', () => {
    expect(stepOf({ maxAge: 600 })).toBe('issue');
    expect(stepOf({ maxAge: 600 }, { signedInAt: NOW - 600_001 })).toBe('sign-in');
    expect(stepOf({ maxAge: 599 })).toBe('sign-in');
  });

  test('max_age=0 is prompt=login', () => {
    expect(stepOf({ maxAge: 0 })).toBe('sign-in');
    expect(stepOf({ maxAge: 0 }, { signedInAt: NOW + MINUTE, now: NOW + 2 * MINUTE })).toBe('issue');
  });
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

describe('id_token_hint (OpenID Connect Core §3.1.2.1)', () => {
  const hinted = (hintedUserId: string, more: Partial<AuthorizationRequest> = {}) => ({
    hintedUserId,
    ...more,
  });
  const justNow = { signedInAt: NOW };

  test('names who is signed in: nothing changes', () => {
    expect(stepOf(hinted('ada'))).toBe('issue');
    expect(stepOf(hinted('ada', { prompts: ['none'] }))).toBe('issue');
  });

  test('names somebody else: sign in, and silently login_required', () => {
    expect(stepOf(hinted('grace'))).toBe('sign-in');
    expect(stepOf(hinted('grace', { prompts: ['none'] }))).toBe('login_required');
    expect(stepOf(hinted('grace'), NOBODY)).toBe('sign-in');
  });

  test('somebody else signs in on the way: login_required, never a code for the wrong person', () => {
    expect(stepOf(hinted('grace'), justNow)).toBe('login_required');
    expect(stepOf(hinted('grace'), { ...justNow, userId: 'grace' })).toBe('issue');
  });
});

describe('what the application asks of the sign-in (D41, D44)', () => {
  const wish = (...values: Acr[]) => ({ acr: { values, essential: false } });
  const must = (...values: Acr[]) => ({ acr: { values, essential: true } });
  const HAS_APP: Partial<Situation> = { asksForCode: true, means: ['otp'] };
  const STRONG: Partial<Situation> = { ...HAS_APP, methods: ['pwd', 'otp'] };

  test('nothing is asked of who has no second factor, and nothing of who has, unasked', () => {
    expect(stepOf(wish('2'))).toBe('issue');
    expect(stepOf({}, HAS_APP)).toBe('issue');
    expect(stepOf({ prompts: ['login'] }, { signedInAt: NOW })).toBe('issue');
  });

  test('a wish that one step meets leads to that step; without a page, or refused by the person, it is let go', () => {
    expect(stepOf(wish('2'), HAS_APP)).toBe('step-up');
    expect(stepOf(wish('2'), STRONG)).toBe('issue');
    expect(stepOf({ ...wish('2'), prompts: ['none'] }, HAS_APP)).toBe('issue');
    expect(stepOf(wish('2'), { ...HAS_APP, wishAnswered: true })).toBe('issue');
    expect(stepOf(wish('phr'), HAS_APP)).toBe('issue');
  });

  test('what is essential is met, or nothing is given', () => {
    expect(stepOf(must('2'), HAS_APP)).toBe('step-up');
    expect(stepOf(must('2'), { ...HAS_APP, wishAnswered: true })).toBe('step-up');
    expect(stepOf({ ...must('2'), prompts: ['none'] }, HAS_APP)).toBe('login_required');
    expect(stepOf(must('phr'), STRONG)).toBe('unmet_authentication_requirements');
    expect(stepOf({ ...must('phr'), prompts: ['none'] }, STRONG)).toBe('unmet_authentication_requirements');
    expect(stepOf(must('phr'), { ...STRONG, methods: ['swk'] })).toBe('issue');
  });

  test('one factor is what every sign-in shows, whatever the account has', () => {
    for (const account of [{}, HAS_APP, STRONG, { ...HAS_APP, methods: ['swk' as const] }])
      for (const prompts of [[], ['none' as const]])
        expect(stepOf({ ...must('1'), prompts }, account)).toBe('issue');
  });

  test('of two essential ones the preferred is offered, and the other will do', () => {
    const both = must('phr', '2');
    const withPasskey: Partial<Situation> = { ...STRONG, means: ['otp', 'swk'] };
    expect(stepOf(both, withPasskey)).toBe('step-up');
    expect(stepOf(both, { ...withPasskey, wishAnswered: true })).toBe('issue');
    expect(stepOf({ ...both, prompts: ['none'] }, withPasskey)).toBe('issue');
  });

  test('signing in comes first, consent after', () => {
    expect(stepOf(must('2'), { ...HAS_APP, ...NOBODY })).toBe('sign-in');
    expect(stepOf({ ...must('2'), prompts: ['consent'] }, { ...HAS_APP, ...NO_CONSENT })).toBe('step-up');
  });

  test('where it minds when they signed in, a password alone is no sign-in of an account with a second factor', () => {
    for (const request of [{ maxAge: 600 }, { prompts: ['login' as const] }]) {
      expect(stepOf(request, { ...HAS_APP, signedInAt: NOW })).toBe('step-up');
      expect(stepOf(request, { ...HAS_APP, signedInAt: NOW, wishAnswered: true })).toBe('step-up');
      expect(stepOf(request, { ...STRONG, signedInAt: NOW })).toBe('issue');
    }
    expect(stepOf({ maxAge: 600, prompts: ['none'] }, HAS_APP)).toBe('login_required');
  });

  test('what would do is said: for what has to be met all of that, for a wish any of it', () => {
    const BOTH: Partial<Situation> = { asksForCode: true, means: ['otp', 'swk'] };
    expect(waysOf(must('phr'), BOTH)).toEqual(['swk']);
    expect(waysOf(must('2'), BOTH)).toEqual(['otp', 'swk']);
    expect(waysOf(wish('phr', '2'), BOTH)).toEqual(['otp', 'swk']);
    expect(waysOf(must('phrh'), { ...BOTH, means: ['otp', 'swk', 'hwk'] })).toEqual(['hwk']);
    expect(waysOf(wish('phr'), { ...BOTH, demanded: true })).toEqual(['otp', 'swk']);
  });

  test('a demand is met by two factors; who has none sets one up first (D42)', () => {
    const DEMANDED: Partial<Situation> = { demanded: true };
    // Shown in this session, whatever the account has by now.
    expect(stepOf({}, { ...DEMANDED, methods: ['pwd', 'otp'] })).toBe('issue');
    expect(stepOf({}, DEMANDED)).toBe('enrol');
    expect(stepOf({ prompts: ['none'] }, DEMANDED)).toBe('interaction_required');
    expect(stepOf({}, { ...DEMANDED, ...HAS_APP })).toBe('step-up');
    expect(stepOf({}, { ...DEMANDED, ...HAS_APP, wishAnswered: true })).toBe('step-up');
    expect(stepOf({ prompts: ['none'] }, { ...DEMANDED, ...HAS_APP })).toBe('login_required');
    expect(stepOf({}, { ...DEMANDED, ...STRONG })).toBe('issue');
    expect(stepOf({}, { ...DEMANDED, methods: ['swk'], means: ['swk'] })).toBe('issue');
    expect(stepOf({}, { ...DEMANDED, ...NOBODY })).toBe('sign-in');
  });

  test('what an app would meet is met by setting one up; a passkey is not made on the way', () => {
    expect(stepOf(must('2'))).toBe('enrol');
    expect(stepOf(must('phr', '2'))).toBe('enrol');
    expect(stepOf({ ...must('2'), prompts: ['none'] })).toBe('interaction_required');
    expect(stepOf(must('phr'))).toBe('unmet_authentication_requirements');
    expect(stepOf(wish('2'))).toBe('issue');
  });
});
