import { expect, test } from 'vitest';
import { buildUserinfoClaims, type ClaimsSubject } from '../../src/oauth/claims.ts';
import type { Scope } from '../../src/oauth/scopes.ts';

const USER: ClaimsSubject = {
  userId: '7b0f7a52-2d66-4b2c-9e31-6f8d6e3f1a11',
  name: 'Zoé Müller',
  email: 'Zoe@Example.com',
  emailVerified: false,
  phone: '+33612345678',
  pictureHash: null,
  profileUpdatedAt: new Date('2026-11-02T08:30:15.999Z'),
};
const AVATAR = 'https://signin.example/avatars/Z.svg';
const ALL_SCOPES: Scope[] = ['openid', 'profile', 'email', 'phone'];

const buildDefaultClaims = (scopes: Scope[], user = USER) => buildUserinfoClaims(user, scopes, false, AVATAR);
const buildStandardClaims = (scopes: Scope[], user = USER) => buildUserinfoClaims(user, scopes, true, AVATAR);

test('the email_verified claim is a boolean', () => {
  expect.soft(buildDefaultClaims(['profile', 'email']).email_verified).toBe(false);
  expect
    .soft(buildDefaultClaims(['profile', 'email'], { ...USER, emailVerified: true }).email_verified)
    .toBe(true);
});

test('preferred_username is the email address in standard mode', () => {
  expect.soft(buildStandardClaims(['openid', 'email'])).toMatchObject({ preferred_username: USER.email });
  expect.soft(buildStandardClaims(['openid', 'profile', 'phone'])).not.toHaveProperty('preferred_username');
  expect.soft(buildDefaultClaims(ALL_SCOPES)).not.toHaveProperty('preferred_username');
});
