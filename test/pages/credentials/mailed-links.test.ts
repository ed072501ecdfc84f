// Mailed links name their account first, and anybody may write another one there: it finds, spends and locks nothing.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { askForFactorReset } from '../../../src/credentials/second-factor-reset.ts';
import { issueToken } from '../../../src/mail/links.ts';
import { newAccountSecret, randomSecret } from '../../../src/oauth/secrets.ts';
import type { TokenKind } from '../../../src/store/one-time-tokens.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import { lockMailedLinks } from '../../support/locks.ts';
import { lastMailTo, linkIn } from '../../support/mail.ts';
import { headingOf } from '../../support/markup.ts';
import { protect } from '../../support/protected-account.ts';
import { type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();

const issued = (kind: TokenKind) => async (user: TestUser) =>
  (await issueToken(service.parts, service.parts.database, { kind, ...user }, service.clock.now())).link;
const stopLink = async ({ userId, email }: TestUser) => {
  await askForFactorReset(service.parts, userId, { passkeys: false }, {}, service.clock.now());
  return linkIn(await lastMailTo(service, email));
};

const LINKS: [string, (user: TestUser) => Promise<string>][] = [
  ['that resets a password', issued('reset_password')],
  ['that changes the email address', issued('change_email')],
  ['that reports unauthorized activity', issued('not_me')],
  ['that stops a reset of MFA', stopLink],
];

/** The same link with another token in it. */
const withToken = (link: string, token: string): string => link.replace(/token=.*/, `token=${token}`);

const namingAccount = (token: string, userId: string): string => {
  const id = Buffer.from(userId.replaceAll('-', ''), 'hex');
  return Buffer.concat([id, Buffer.from(token, 'base64url').subarray(16)]).toString('base64url');
};

const FORGED: [string, (token: string, account: TestUser, other: TestUser) => string][] = [
  ['another account', (token, _, { userId }) => namingAccount(token, userId)],
  ['no account', (token) => namingAccount(token, randomUUID())],
  ['other bits', (_, { userId }) => newAccountSecret(userId)],
  ['fewer bits', (token) => token.slice(0, -1)],
  ['more bits', (token) => `${token}A`],
  ['no account at all', randomSecret],
  ['nothing', () => ''],
];

test.each(LINKS)('a link %s is known by all of it', async (_, make) => {
  const [{ user }, { user: other }] = [await protect(service), await protect(service)];
  const link = await make(user);
  const token = link.split('token=')[1] ?? '';
  const browser = openBrowserSession(service.baseUrl);
  const { csrf = '' } = (await browser.get('/signin')).hidden;
  const [path = ''] = link.split('?');
  const unknown = await browser.get(withToken(link, newAccountSecret(randomUUID())));
  for (const [what, forge] of FORGED) {
    const forged = forge(token, user, other);
    const [shown, sent] = [
      await browser.get(withToken(link, forged)),
      await browser.post(path, { csrf, token: forged, new_password: 'quite another password 7' }),
    ];
    for (const { status, body } of [shown, sent])
      expect([what, status, headingOf(body)]).toEqual([what, 400, headingOf(unknown.body)]);
  }
  expect((await browser.get(link)).status).toBe(200);
});

test.each([['/password/reset'], ['/security/not-me']])(
  'a forged link doesn’t wait for the links of the account that it names: %s',
  async (path) => {
    const user = await service.createUser();
    await issued('not_me')(user);
    const lock = await lockMailedLinks(service.databaseUrl, user.userId);
    const browser = openBrowserSession(service.baseUrl);
    const { csrf = '' } = (await browser.get('/signin')).hidden;
    const fields = { csrf, token: newAccountSecret(user.userId), new_password: 'quite another password 7' };
    expect((await browser.post(path, fields)).status).toBe(400);
    await lock.release();
  },
);
