// Userinfo: the contract's fields by scope (§2.3, §2.4; D18, D20) and the standard ones (D19).
import { expect, test } from 'vitest';
import { type Person, userinfoClaims } from '../../src/oauth/claims.ts';
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

test('the contract’s fields (§2.3)', () => {
  // Email_verified is a boolean both ways.
  expect.soft(contract(['profile', 'email']).email_verified).toBe(false);
  expect.soft(contract(['profile', 'email'], { ...PERSON, emailVerified: true }).email_verified).toBe(true);
});

test('standard OpenID Connect mode (D19)', () => {
  // Preferred_username is the email where email was granted, else absent; never in contract mode (D58).
  expect.soft(standard(['openid', 'email'])).toMatchObject({ preferred_username: PERSON.email });
  expect.soft(standard(['openid', 'profile', 'phone'])).not.toHaveProperty('preferred_username');
  expect.soft(contract(ALL)).not.toHaveProperty('preferred_username');
});
