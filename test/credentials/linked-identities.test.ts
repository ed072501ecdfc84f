// Linked identities: unlinking, the minimum number of sign-in methods, and deletion.
import { beforeAll, describe, expect, test } from 'vitest';
import { linkOwnIdentity } from '../../src/credentials/linked-identities.ts';
import { RECENT_SIGN_IN_TTL } from '../../src/oauth/lifetimes.ts';
import { removeProvider } from '../../src/providers/settings.ts';
import {
  findUserIdByIdentity,
  identityId,
  listIdentities,
  unlinkIdentity,
} from '../../src/store/external-identities.ts';
import { revokeUnverifiedSetup } from '../../src/store/unverified-accounts.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { submitForm } from '../support/console-forms.ts';
import { listEmailsTo, readLink } from '../support/emails.ts';
import { addIdentity, addUnreachableProvider, disableProvider } from '../support/linked-identities.ts';
import { lockIdentities, lockProvider } from '../support/locks.ts';
import { readFormErrors, readHeading, readMain, readText } from '../support/markup.ts';
import { createSignedInUser, openSignedInBrowser } from '../support/oauth-flow.ts';
import { registerPasskey } from '../support/passkey.ts';
import { LARGE_POOL, useTestService } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';

const service = useTestService(LARGE_POOL);
const REMOVE_PATH = '/account/security/identities/remove';

beforeAll(async () => {
  for (const id of ['north', 'south', 'west']) await addUnreachableProvider(service, id, `${id} & co`);
});

type Identity = { issuer: string; subject: string };

const getRemovalUrl = (identity: Identity) => `${REMOVE_PATH}?identity=${identityId(identity)}`;
const unlink = async (browser: BrowserSession, identity: Identity) => {
  const page = await browser.get(getRemovalUrl(identity));
  return browser.post(REMOVE_PATH, { ...page.hidden, identity: identityId(identity) });
};
const removePassword = (userId: string) =>
  sql(service.services.database, 'update users set password_hash = null where id = $1', [userId]);
const findOwner = (identity: Identity) => findUserIdByIdentity(service.services.database, identity);
const listLabels = async (userId: string) =>
  (await listIdentities(service.services.database, userId)).map(({ label }) => label);
const countIdentityKeys = async (userId: string) =>
  (await sql(service.services.database, 'select 1 from external_identity_keys where user_id = $1', [userId]))
    .length;

let counter = 0;
async function createLinkedUser(...providers: string[]) {
  const { user, browser } = await createSignedInUser(service, { locale: 'en', emailVerified: true });
  const identities: Identity[] = [];
  for (const provider of providers) {
    counter += 1;
    identities.push(await addIdentity(service, user.userId, provider, `ada${counter}@provider.example`));
  }
  return { user, browser, identities: identities as [Identity, Identity] };
}

test('an identity is not linked while its provider is being removed', async () => {
  await addUnreachableProvider(service, 'east');
  const { user } = await createLinkedUser();
  const { database } = service.services;
  const now = service.clock.now();
  const [session] = await sql(database, 'select sid from sessions where user_id = $1', [user.userId]);
  const profile = {
    issuer: 'https://east.example',
    subject: 'ada',
    providerId: 'east',
    emailVerified: false,
  };
  const lock = await lockProvider(service.databaseUrl, 'east');
  const removal = database.transaction((transaction) =>
    removeProvider(transaction, 'east', undefined, { ip: '' }, now),
  );
  await lock.waitForBlocked(1);
  const link = linkOwnIdentity(
    service.services,
    { userId: user.userId, sid: String(session?.sid), ip: '', userAgent: '', locale: 'en', since: now },
    {
      ...profile,
      email: undefined,
      name: undefined,
      picture: undefined,
      acr: undefined,
      authTime: undefined,
    },
    now,
  );
  await lock.waitForBlocked(2);
  await lock.release();
  expect(await Promise.all([removal, link])).toEqual(['done', 'disabled']);
  expect(await countIdentityKeys(user.userId)).toBe(0);
});

test('unlinking does not deadlock with the removal of the provider', async () => {
  await addUnreachableProvider(service, 'center');
  const { user, identities } = await createLinkedUser('center');
  const { database } = service.services;
  const lock = await lockIdentities(service.databaseUrl, user.userId);
  // Number of attempts, including retries after a deadlock.
  let attempts = 0;
  const removal = database.transaction((transaction) => {
    attempts += 1;
    return removeProvider(transaction, 'center', undefined, { ip: '' }, service.clock.now());
  });
  await lock.waitForBlocked(1);
  const unlinking = database.transaction((transaction) => {
    attempts += 1;
    return unlinkIdentity(transaction, user.userId, identities[0]);
  });
  await lock.waitForBlocked(2);
  await lock.release();
  expect(await Promise.all([removal, unlinking])).toEqual(['done', false]);
  expect(attempts).toBe(2);
  expect(await countIdentityKeys(user.userId)).toBe(0);
});

describe('unlinking an identity', () => {
  test('is allowed while the account has a password', async () => {
    const { user, browser, identities } = await createLinkedUser('north');
    const done = await unlink(browser, identities[0]);
    expect(done.location?.search).toBe('?done=identity-removed');
    expect(await findOwner(identities[0])).toBeUndefined();
    expect(await listLabels(user.userId)).toEqual([]);
    const [email] = await listEmailsTo(service, user.email);
    expect(email?.subject).toBe('An external account was unlinked from your Sésame account');
    expect(email?.text).toContain('north & co');
    expect((await browser.get('/account/activity')).body).toContain('External account unlinked');
  });

  test('requires re-authentication', async () => {
    const { browser, identities } = await createLinkedUser('north');
    const page = await browser.get(getRemovalUrl(identities[0]));
    service.clock.advance(RECENT_SIGN_IN_TTL + 1);
    const refused = await browser.post(REMOVE_PATH, page.hidden);
    expect(readFormErrors(refused.body)).toEqual(['Enter your current password.']);
    expect(await findOwner(identities[0])).toBeDefined();
  });

  test('is impossible from a different account', async () => {
    const { identities } = await createLinkedUser('north');
    const { browser } = await createLinkedUser('south');
    const { hidden } = await browser.get('/account/profile');
    const response = await browser.post(REMOVE_PATH, { ...hidden, identity: identityId(identities[0]) });
    expect(response.location?.pathname).toBe('/account/security');
    expect(await findOwner(identities[0])).toBeDefined();
  });

  test('is refused if fewer than two ways to sign in would remain', async () => {
    const { user, browser, identities } = await createLinkedUser('north', 'south');
    await removePassword(user.userId);
    const refused = await unlink(browser, identities[0]);
    expect(readFormErrors(refused.body)[0]).toBe(
      'Without a password, your account must keep two other ways to sign in: first choose a password or create a passkey.',
    );
    expect(readHeading(refused.body)).toBe('Add a way to sign in first');
    expect(await findOwner(identities[0])).toBe(user.userId);
  });

  test('is refused with a list of the sign-in methods to add first', async () => {
    const { user, browser, identities } = await createLinkedUser('north');
    await removePassword(user.userId);
    const readPage = async () => {
      const { body } = await browser.get(getRemovalUrl(identities[0]));
      expect(body).not.toContain(`action="${REMOVE_PATH}"`);
      return readText(readMain(body));
    };
    const none = await readPage();
    expect(none).toContain('first choose a password, or create a passkey and then recovery codes.');
    await registerPasskey(browser, service);
    const one = await readPage();
    expect(one).toContain('first choose a password or create recovery codes.');
    await submitForm(browser, '/account/security/codes/new');
    expect((await unlink(browser, identities[0])).location?.search).toBe('?done=identity-removed');
  });

  test('requires only a passkey if a second provider remains linked', async () => {
    const { user, browser, identities } = await createLinkedUser('north', 'south');
    await removePassword(user.userId);
    const { body } = await browser.get(getRemovalUrl(identities[0]));
    expect(readText(readMain(body))).toContain('first choose a password or create a passkey. ');
    await registerPasskey(browser, service);
    expect((await unlink(browser, identities[0])).location?.search).toBe('?done=identity-removed');
  });

  test('is refused if one of the two remaining providers is disabled', async () => {
    const { user, browser, identities } = await createLinkedUser('north', 'south', 'west');
    await removePassword(user.userId);
    await disableProvider(service, 'west');
    expect(readFormErrors((await unlink(browser, identities[0])).body)).toHaveLength(1);
    await disableProvider(service, 'west', null);
    service.clock.advance(61);
    expect((await unlink(browser, identities[0])).location?.search).toBe('?done=identity-removed');
  });

  test('is refused if the two remaining identities are from the same provider', async () => {
    const { user, browser, identities } = await createLinkedUser('north', 'south', 'south');
    await removePassword(user.userId);
    expect(readFormErrors((await unlink(browser, identities[0])).body)).toHaveLength(1);
  });

  test('leaves two ways to sign in even if submitted in two tabs at once', async () => {
    const { user, browser, identities } = await createLinkedUser('north', 'south', 'west');
    await removePassword(user.userId);
    const pages = await Promise.all(identities.map((identity) => browser.get(getRemovalUrl(identity))));
    const outcomes = await Promise.all(pages.map((page) => browser.post(REMOVE_PATH, page.hidden)));
    expect(outcomes.filter(({ location }) => location?.search === '?done=identity-removed')).toHaveLength(1);
    expect(await listLabels(user.userId)).toHaveLength(2);
    expect(await countIdentityKeys(user.userId)).toBe(2);
  });
});

test.each([
  ['the password', (browser: BrowserSession) => browser.get('/account/security/password/remove')],
  [
    'a passkey',
    async (browser: BrowserSession) => {
      const path = /\/account\/security\/passkeys\/remove\?passkey=[\w-]+/;
      return browser.get(path.exec((await browser.get('/account/security')).body)?.[0] ?? '');
    },
  ],
])('concurrently removing %s and an identity leaves two ways to sign in', async (what, openRemovePage) => {
  const { user, browser, identities } = await createLinkedUser('north', 'south');
  await registerPasskey(browser, service);
  if (what === 'a passkey') await removePassword(user.userId);
  else await unlink(browser, identities[1]);
  const [page, identityPage] = [
    await openRemovePage(browser),
    await browser.get(getRemovalUrl(identities[0])),
  ];
  const action = /<form [^>]*action="(\/account\/security\/p[^"]*)"/.exec(page.body)?.[1] ?? '';
  const outcomes = await Promise.all([
    browser.post(action, page.hidden),
    browser.post(REMOVE_PATH, identityPage.hidden),
  ]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual([303, 409]);
});

describe('a linked identity', () => {
  test('counts as a way to sign in when the password is removed', async () => {
    const { browser, identities } = await createLinkedUser('north');
    const refused = await submitForm(browser, '/account/security/password/remove');
    expect(readFormErrors(refused.body)[0]).toContain('two ways to sign in');
    await registerPasskey(browser, service);
    service.clock.advance(61);
    const removed = await submitForm(browser, '/account/security/password/remove');
    expect(removed.location?.search).toBe('?done=password-removed');
    const kept = await unlink(browser, identities[0]);
    expect(readFormErrors(kept.body)).toHaveLength(1);
  });

  test('appears on the security page and in the data export', async () => {
    const { user, browser } = await createLinkedUser('north');
    const [label = ''] = await listLabels(user.userId);
    const page = await browser.get('/account/security');
    expect(page.body).toContain('north &amp; co');
    expect(page.body).toContain(label);
    expect(page.body).toContain('never used');
    const { hidden } = await browser.get('/account/data');
    const data = JSON.parse((await browser.post('/account/data', hidden)).body);
    expect(data.linked_identities).toEqual([
      expect.objectContaining({ issuer: 'https://north.example', subject: label, provider: 'north', label }),
    ]);
  });

  test('is unlinked when the user reports the session that linked it', async () => {
    const { user, browser, identities } = await createLinkedUser('north');
    service.clock.advance(3600);
    const intruder = await openSignedInBrowser(service, user);
    const added = await addIdentity(service, user.userId, 'south', 'mallory@provider.example');
    await unlink(intruder, identities[0]);
    const alert = (await listEmailsTo(service, user.email)).find(({ subject }) =>
      subject.includes('unlinked'),
    );
    const report = await browser.get(readLink(alert ?? { text: '' }));
    expect(report.body).toContain('External account south &amp; co (mallory@provider.example)');
    expect(report.body).toContain('External account unlinked');
    await browser.post('/security/report', report.hidden);
    expect(await findOwner(added)).toBeUndefined();
    expect(await countIdentityKeys(user.userId)).toBe(0);
    const [email] = await listEmailsTo(service, user.email);
    expect(email?.text).toContain('External account');
  });

  test('is unlinked if it was linked before the email address was verified', async () => {
    const { user, identities } = await createLinkedUser('north', 'south');
    const { database } = service.services;
    await database.transaction((transaction) =>
      revokeUnverifiedSetup(transaction, user.userId, service.clock.now(), true),
    );
    expect(await findOwner(identities[0])).toBeUndefined();
    expect(await countIdentityKeys(user.userId)).toBe(0);
  });

  test('stays linked after a password reset', async () => {
    const { user, browser } = await createLinkedUser('north');
    await submitForm(browser, '/password/forgot', { email: user.email });
    const [email] = await listEmailsTo(service, user.email);
    await submitForm(browser, readLink(email ?? { text: '' }), {
      new_password: 'quite another battery staple',
    });
    expect(await listLabels(user.userId)).toHaveLength(1);
  });

  test('is deleted with its account', async () => {
    const { user, browser, identities } = await createLinkedUser('north', 'south');
    const deleted = await submitForm(browser, '/account/delete', { email: user.email });
    expect(deleted.status).toBe(303);
    expect(await countIdentityKeys(user.userId)).toBe(0);
    expect(await findOwner(identities[0])).toBeUndefined();
  });
});
