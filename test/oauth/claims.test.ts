// Userinfo: the contract's fields by scope (§2.3, §2.4; D18, D20) and the standard ones (D19).
import { describe, expect, test } from 'vitest';
import { type Person, userinfoClaims } from '../../src/oauth/claims.ts';
import type { OAuthError } from '../../src/oauth/errors.ts';
import type { Scope } from '../../src/oauth/scopes.ts';

const PERSON: Person = {
  userId: '7b0f7a52-2d66-4b2c-9e31-6f8d6e3f1a11',
  name: 'Zoé Müller',
  email: 'Zoe@Example.com',
  emailVerified: false,
  phone: '+33612345678',
  pictureHash: null,
  profileUpdatedAt: new Date('2026-11-02T08:30:15.999Z'),
};
const AVATAR = 'https://signin.example/avatars/Z.svg';
const ALL: Scope[] = ['openid', 'profile', 'email', 'phone'];

const contract = (scopes: Scope[], person = PERSON) => userinfoClaims(person, scopes, false, AVATAR);
const standard = (scopes: Scope[], person = PERSON) => userinfoClaims(person, scopes, true, AVATAR);
const refusal = (work: () => unknown): OAuthError | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    return error as OAuthError;
  }
};

describe('the contract’s fields (§2.3)', () => {
  test('all scopes: every field under its name and type', () => {
    expect(contract(ALL)).toStrictEqual({
      sub: PERSON.userId,
      name: 'Zoé Müller',
      avatar: AVATAR,
      updated_at: '2026-11-02T08:30:15.999Z',
      email: 'Zoe@Example.com',
      email_verified: false,
      phone: '+33612345678',
    });
  });

  test('profile alone: its three fields, no sub (D18)', () => {
    expect(Object.keys(contract(['profile'])).sort()).toEqual(['avatar', 'name', 'updated_at']);
  });

  test.each<[Scope, string[]]>([
    ['openid', ['sub']],
    ['email', ['email', 'email_verified']],
    ['phone', ['phone']],
  ])('%s adds its own fields and nothing else', (scope, fields) => {
    const added = Object.keys(contract(['profile', scope])).filter(
      (name) => !['avatar', 'name', 'updated_at'].includes(name),
    );
    expect(added.sort()).toEqual(fields);
  });

  test('only phone may be absent, and then it is: never null, never empty (D20)', () => {
    const claims = contract(ALL, { ...PERSON, phone: null });
    expect(claims).not.toHaveProperty('phone');
    expect(Object.keys(claims)).toHaveLength(6);
  });

  test('email_verified is a boolean both ways', () => {
    expect(contract(['profile', 'email']).email_verified).toBe(false);
    expect(contract(['profile', 'email'], { ...PERSON, emailVerified: true }).email_verified).toBe(true);
  });

  test.each<[Scope[]]>([[[]], [['openid']], [['email']], [['openid', 'email', 'phone']]])(
    'without profile (%j): 403 insufficient_scope naming profile (D18)',
    (scopes) => {
      expect(refusal(() => contract(scopes))).toMatchObject({
        status: 403,
        error: 'insufficient_scope',
        headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="profile"' },
      });
    },
  );
});

describe('standard OpenID Connect mode (D19)', () => {
  test('all scopes: picture, phone_number and a numeric updated_at', () => {
    expect(standard(ALL)).toStrictEqual({
      sub: PERSON.userId,
      name: 'Zoé Müller',
      picture: AVATAR,
      updated_at: 1_793_608_215,
      preferred_username: 'Zoe@Example.com',
      email: 'Zoe@Example.com',
      email_verified: false,
      phone_number: '+33612345678',
    });
  });

  test('openid is enough for userinfo', () => {
    expect(standard(['openid'])).toStrictEqual({ sub: PERSON.userId });
  });

  test('preferred_username is the email where email was granted, else absent; never in contract mode (D58)', () => {
    expect(standard(['openid', 'email'])).toMatchObject({ preferred_username: PERSON.email });
    expect(standard(['openid', 'profile', 'phone'])).not.toHaveProperty('preferred_username');
    expect(contract(ALL)).not.toHaveProperty('preferred_username');
  });

  test('profile without openid still has no sub (D18)', () => {
    expect(standard(['profile'])).not.toHaveProperty('sub');
  });

  test('without phone on file there is no phone_number (D20)', () => {
    expect(standard(ALL, { ...PERSON, phone: null })).not.toHaveProperty('phone_number');
  });

  test('with neither openid nor profile: 403 insufficient_scope naming openid', () => {
    expect(refusal(() => standard(['email']))).toMatchObject({
      status: 403,
      error: 'insufficient_scope',
      headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="openid"' },
    });
  });
});
