// What people change and end: profile and picture, sessions and what began in them, failures in the log.
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { rememberConsent } from '../../src/store/consents.ts';
import { revokeGrantsOfSession } from '../../src/store/grants.ts';
import { keepPicture } from '../../src/store/pictures.ts';
import { listSessions } from '../../src/store/sessions.ts';
import { writeSecretUses, writeSessionUses } from '../../src/store/usage.ts';
import { changePicture, changeProfile } from '../../src/store/users.ts';
import {
  advance,
  createClient,
  createGrant,
  createSession,
  createUser,
  later,
  NOW,
  openTestDatabase,
  sql,
} from '../support/populate.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

const profileOf = async (userId: string) =>
  (
    await sql(
      database,
      'select name, phone, locale, picture_hash, profile_updated_at as at from users where id = $1',
      [userId],
    )
  )[0];
const sessionOf = async (userId: string) => (await createSession(database, userId)) ?? Buffer.alloc(0);

describe('changeProfile', () => {
  test('says what changed; updated_at follows name and phone, not the language (D20)', async () => {
    const userId = await createUser(database, { name: 'Ada', phone: null });
    const change = (name: string, phone: string | null, locale: 'fr' | 'en' | null, at: number) =>
      changeProfile(database, userId, { name, phone, locale }, later(at));
    expect(await change('Ada', null, null, 1)).toEqual({ name: false, phone: false, language: false });
    expect((await profileOf(userId))?.at).toEqual(NOW);
    expect(await change('Ada', null, 'fr', 2)).toEqual({ name: false, phone: false, language: true });
    expect(await profileOf(userId)).toMatchObject({ locale: 'fr', at: NOW });
    expect(await change('Ada', '+33612345678', 'fr', 3)).toEqual({
      name: false,
      phone: true,
      language: false,
    });
    expect((await profileOf(userId))?.at).toEqual(later(3));
    expect(await change('Zoé', '+33612345678', null, 4)).toEqual({
      name: true,
      phone: false,
      language: true,
    });
    expect(await profileOf(userId)).toMatchObject({ name: 'Zoé', locale: null, at: later(4) });
  });
});

describe('changePicture', () => {
  test('true when it is another one, and only then does updated_at follow (D20)', async () => {
    const userId = await createUser(database);
    await keepPicture(database, { hash: 'one', content: Buffer.from('x'), type: 'image/webp' }, NOW);
    expect(await changePicture(database, userId, 'one', later(1))).toBe(true);
    expect(await changePicture(database, userId, 'one', later(2))).toBe(false);
    expect(await profileOf(userId)).toMatchObject({ picture_hash: 'one', at: later(1) });
    expect(await changePicture(database, userId, null, later(3))).toBe(true);
    expect(await changePicture(database, userId, null, later(4))).toBe(false);
    expect(await profileOf(userId)).toMatchObject({ picture_hash: null, at: later(3) });
  });
});

describe('sessions', () => {
  test('an earlier use never undoes a later one', async () => {
    const userId = await createUser(database);
    const idHash = await sessionOf(userId);
    const { clientId, proof: secretHash } = await createClient(database);
    await rememberConsent(database, { userId, clientId, scopes: ['openid'], now: NOW });
    for (const at of [later(60), later(30)]) {
      await writeSessionUses(database, [{ idHash, at, address: String(at.getTime()) }]);
      await writeSecretUses(database, [{ clientId, secretHash: secretHash ?? Buffer.alloc(0), at }]);
    }
    expect((await listSessions(database, userId, NOW))[0]).toMatchObject({
      lastSeenAt: later(60),
      address: String(later(60).getTime()),
    });
    const secrets = await sql(database, 'select last_used_at as at from secrets where client_id = $1', [
      clientId,
    ]);
    expect(secrets[0]?.at).toEqual(later(60));
  });
});

describe('revokeGrantsOfSession', () => {
  test('ends what began in that session of that account, and nothing else', async () => {
    const [sid, other] = [randomUUID(), randomUUID()];
    const first = await createGrant(database, { sid });
    const { userId } = first;
    const second = await createGrant(database, { sid, userId });
    const elsewhere = await createGrant(database, { sid: other, userId });
    const strangers = await createGrant(database, { sid });
    for (const grant of [first, second, elsewhere, strangers]) await advance(database, grant, 0);
    expect(await revokeGrantsOfSession(database, { userId, sid }, NOW)).toBe(2);
    expect(await revokeGrantsOfSession(database, { userId, sid }, NOW)).toBe(0);
    for (const grant of [first, second]) expect((await advance(database, grant, 1)).outcome).toBeNull();
    for (const grant of [elsewhere, strangers])
      expect((await advance(database, grant, 1)).outcome).toBe('advanced');
  });
});
