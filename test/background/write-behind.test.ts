// Write-behind: what is noted is merged by key, written together, kept or dropped where that fails.
import { expect, test } from 'vitest';
import { writeBehind } from '../../src/background/write-behind.ts';

const HOUR = 3_600_000;
const never = () => {
  throw new Error('nothing fails here');
};

test('entries of one key are one, the latest or what merging makes of them, and written once', async () => {
  const behind = writeBehind(HOUR, never);
  const written: unknown[] = [];
  const seen = behind.gather<string>(10, async (all) => void written.push(all));
  const counted = behind.gather<number>(
    10,
    async (all) => void written.push(all),
    (a, b) => a + b,
  );
  for (const word of ['first', 'second']) seen('key', word);
  for (const n of [1, 2, 3]) counted(n === 3 ? 'other' : 'key', n);
  expect(written).toEqual([]);
  await behind.flush();
  await behind.flush();
  expect(written).toEqual([['second'], [3, 3]]);
});

test('what was noted is written by itself after the period, all of it together', async () => {
  const behind = writeBehind(1, never);
  const { promise, resolve } = Promise.withResolvers<string[]>();
  const note = behind.gather<string>(10, async (all) => resolve(all));
  for (const key of ['a', 'b']) note(key, key);
  expect(await promise).toEqual(['a', 'b']);
});

test.each([true, false])('what could not be written is kept: %s', async (kept) => {
  const behind = writeBehind(HOUR, () => kept);
  const written: string[][] = [];
  let away = true;
  const note = behind.gather<string>(
    3,
    async (all) => {
      if (away) {
        note('b', 'newer'); // arrives while the others are written
        note('d', 'one too many');
        throw new Error('away');
      }
      written.push(all);
    },
    (earlier, later) => `${earlier}, ${later}`,
  );
  for (const key of ['a', 'b', 'c']) note(key, 'older');
  await behind.flush();
  away = false;
  await behind.close();
  expect(written).toEqual([kept ? ['older', 'older, newer', 'older'] : ['newer', 'one too many']]);
});
