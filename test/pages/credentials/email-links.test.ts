// Emailed links. A forged link must not wait for account locks.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { requestMfaReset } from '../../../src/credentials/mfa-reset.ts';
import { issueToken } from '../../../src/mail/links.ts';
import { newAccountSecret, randomSecret } from '../../../src/oauth/secrets.ts';
import type { TokenKind } from '../../../src/store/one-time-tokens.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import { findLastEmailTo, readLink } from '../../support/emails.ts';
import { lockOneTimeTokens } from '../../support/locks.ts';
import { readHeading } from '../../support/markup.ts';
import { createMfaAccount } from '../../support/mfa-account.ts';
import { type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();

const issueLink = (kind: TokenKind) => async (user: TestUser) =>
  (await issueToken(service.services, service.services.database, { kind, ...user }, service.clock.now()))
    .link;
const createCancelLink = async ({ userId, email }: TestUser) => {
  await requestMfaReset(service.services, userId, { passkeys: false }, {}, service.clock.now());
  return readLink(await findLastEmailTo(service, email));
};

const LINK_CREATORS: [string, (user: TestUser) => Promise<string>][] = [
  ['that resets a password', issueLink('reset_password')],
  ['that changes the email address', issueLink('change_email')],
  ['that reports unauthorized activity', issueLink('report_activity')],
  ['that cancels an MFA reset', createCancelLink],
];

const replaceToken = (link: string, token: string): string => link.replace(/token=.*/, `token=${token}`);

const replaceAccount = (token: string, userId: string): string => {
  const id = Buffer.from(userId.replaceAll('-', ''), 'hex');
  return Buffer.concat([id, Buffer.from(token, 'base64url').subarray(16)]).toString('base64url');
};

const FORGERIES: [string, (token: string, account: TestUser, other: TestUser) => string][] = [
  ['another account', (token, _, { userId }) => replaceAccount(token, userId)],
  ['no account', (token) => replaceAccount(token, randomUUID())],
  ['other bits', (_, { userId }) => newAccountSecret(userId)],
  ['fewer bits', (token) => token.slice(0, -1)],
  ['more bits', (token) => `${token}A`],
  ['no account', randomSecret],
  ['nothing', () => ''],
];

test.each(LINK_CREATORS)('a link %s works only with an unmodified token', async (_, createLink) => {
  const [{ user }, { user: other }] = [await createMfaAccount(service), await createMfaAccount(service)];
  const link = await createLink(user);
  const token = link.split('token=')[1] ?? '';
  const browser = openBrowserSession(service.baseUrl);
  const { csrf = '' } = (await browser.get('/signin')).hidden;
  const [path = ''] = link.split('?');
  const unknownAccountPage = await browser.get(replaceToken(link, newAccountSecret(randomUUID())));
  for (const [description, forge] of FORGERIES) {
    const forged = forge(token, user, other);
    const [page, submission] = [
      await browser.get(replaceToken(link, forged)),
      await browser.post(path, { csrf, token: forged, new_password: 'quite another password 7' }),
    ];
    for (const { status, body } of [page, submission])
      expect([description, status, readHeading(body)]).toEqual([
        description,
        400,
        readHeading(unknownAccountPage.body),
      ]);
  }
  expect((await browser.get(link)).status).toBe(200);
});

test.each([['/password/reset'], ['/security/report']])(
  'a forged link to %s is rejected without waiting for account locks',
  async (path) => {
    const user = await service.createUser();
    await issueLink('report_activity')(user);
    const lock = await lockOneTimeTokens(service.databaseUrl, user.userId);
    const browser = openBrowserSession(service.baseUrl);
    const { csrf = '' } = (await browser.get('/signin')).hidden;
    const fields = { csrf, token: newAccountSecret(user.userId), new_password: 'quite another password 7' };
    expect((await browser.post(path, fields)).status).toBe(400);
    await lock.release();
  },
);
