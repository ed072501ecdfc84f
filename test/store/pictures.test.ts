// Pictures and forms that are used once: kept by their key, and pruned when nothing needs them.
import { afterAll, describe, expect, test } from 'vitest';
import { setOwnLogo } from '../../src/store/applications.ts';
import { keepPicture } from '../../src/store/pictures.ts';
import { spendToken } from '../../src/store/spent-tokens.ts';
import { createClient, createUser, later, NOW, openTestDatabase, sql } from '../support/populate.ts';
import { pruneAll } from '../support/prune.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

const picture = (hash: string) => ({ hash, content: Buffer.from(`content of ${hash}`), type: 'image/webp' });

async function prune(now: Date): Promise<void> {
  const names = [
    'now',
    'codeIssued',
    'grantUsed',
    'grantCreated',
    'sessionExpired',
    'eventHappened',
    'refusalHappened',
    'addressSeen',
  ];
  const before = Object.fromEntries(names.map((name) => [name, now])) as never;
  await pruneAll(database, before);
}

describe('pictures', () => {
  test('stay while an application or an account shows them, and go when nobody does', async () => {
    const ownerId = await createUser(database);
    const { clientId } = await createClient(database, { ownerId });
    for (const hash of ['logo', 'face', 'former']) await keepPicture(database, picture(hash), NOW);
    await setOwnLogo(database, ownerId, clientId, 'logo');
    await sql(database, 'update users set picture_hash = $2::text where id = $1::uuid', [ownerId, 'face']);
    await prune(later(60));
    const left = async (hash: string) =>
      (await sql(database, 'select from pictures where hash = $1::text', [hash])).length === 1;
    expect([await left('logo'), await left('face'), await left('former')]).toEqual([true, true, false]);
    await setOwnLogo(database, ownerId, clientId, null);
    await sql(database, 'delete from users where id = $1::uuid', [ownerId]);
    await keepPicture(database, picture('face'), later(120));
    await prune(later(60));
    expect([await left('logo'), await left('face')], 'saved a moment ago: it may be on its way').toEqual([
      false,
      true,
    ]);
  });

  test('go in batches of a thousand', async () => {
    const text = `insert into pictures (hash, content, type, used_at)
      select 'many-' || n, '', 'image/webp', $1::timestamptz from generate_series(1, 2500) n`;
    await sql(database, text, [NOW]);
    await prune(later(60));
    expect(await sql(database, `select from pictures where hash like 'many-%'`)).toEqual([]);
  });
});

describe('one-use tokens', () => {
  const key = (name: string) => Buffer.from(name);

  test('are used once', async () => {
    expect(await spendToken(database, { key: key('one'), until: later(60) })).toBe(true);
    expect(await spendToken(database, { key: key('one'), until: later(60) })).toBe(false);
    expect(await spendToken(database, { key: key('two'), until: later(60) })).toBe(true);
  });

  test('are not used when what they did is rolled back', async () => {
    const failing = database.transaction(async (transaction) => {
      await spendToken(transaction, { key: key('rolled back'), until: later(60) });
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    expect(await spendToken(database, { key: key('rolled back'), until: later(60) })).toBe(true);
  });

  test('of two uses at once, the second waits for the first and finds it used', async () => {
    let go = () => {};
    const goOn = new Promise<void>((resolve) => {
      go = resolve;
    });
    let entered = () => {};
    const firstIsIn = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const first = database.transaction(async (transaction) => {
      const used = await spendToken(transaction, { key: key('race'), until: later(60) });
      entered();
      await goOn;
      return used;
    });
    await firstIsIn;
    const second = spendToken(database, { key: key('race'), until: later(60) });
    go();
    expect([await first, await second]).toEqual([true, false]);
  });

  test('are forgotten when their session can no longer be', async () => {
    await spendToken(database, { key: key('old'), until: later(60) });
    await prune(later(60));
    expect(await sql(database, 'select from spent_tokens where key = $1::bytea', [key('old')])).toHaveLength(
      1,
    );
    await prune(later(61));
    expect(await sql(database, 'select from spent_tokens where key = $1::bytea', [key('old')])).toEqual([]);
  });
});
