// Who waits for what another request makes: how often it is looked for, by whom, and when that ends.
import { expect, test } from 'vitest';
import { openLookOuts } from '../../src/web/look-outs.ts';

const KEY = Buffer.from('a form');
const STAYS = new Promise<void>(() => {});
const BUSY = { error: 'temporarily_unavailable', headers: { 'retry-after': '2' } };

/** Look-outs whose pauses end when the test says so. */
function opened() {
  const looks: Buffer[] = [];
  const pauses: number[] = [];
  let answer: string | null | undefined = null;
  let goOn = () => {};
  const join = openLookOuts(
    async (key) => {
      looks.push(key);
      return answer;
    },
    (milliseconds) => {
      pauses.push(milliseconds);
      return new Promise((resolve) => {
        goOn = resolve;
      });
    },
  );
  /** All that can happen before the next pause ends has happened. */
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    join,
    looks,
    pauses,
    settled,
    is: (now: typeof answer) => {
      answer = now;
    },
    step: async () => {
      goOn();
      await settled();
    },
  };
}

test('one looks for all, and eight may wait for the same', async () => {
  const { join, looks, is, step, settled } = opened();
  const eight = Array.from({ length: 8 }, () => join(KEY, STAYS));
  await expect(join(KEY, STAYS)).rejects.toMatchObject(BUSY);
  await settled();
  expect(looks).toHaveLength(1);
  is('made');
  await step();
  expect(await Promise.all(eight)).toEqual(Array(8).fill('made'));
  expect(looks).toHaveLength(2);
});

test('ever more seldom, and not for ever', async () => {
  const { join, pauses, step, settled } = opened();
  let end: unknown;
  join(KEY, STAYS).catch((error) => {
    end = error;
  });
  await settled();
  while (end === undefined && pauses.length < 100) await step();
  expect(end).toMatchObject(BUSY);
  expect(pauses.slice(0, 6)).toEqual([50, 100, 200, 400, 800, 800]);
  expect(pauses.length).toBeLessThan(20);
});

test('whoever hangs up leaves the place to another, and nobody looks for them any more', async () => {
  const { join, looks, step, settled } = opened();
  let hangUp = () => {};
  const hungUp = new Promise<void>((resolve) => {
    hangUp = resolve;
  });
  const gone = [join(KEY, hungUp), join(KEY, hungUp), join(KEY, hungUp)].map((wait) =>
    expect(wait).rejects.toMatchObject(BUSY),
  );
  await settled();
  hangUp();
  await Promise.all(gone);
  await step();
  expect(looks).toHaveLength(1);
  const refused = await Promise.race([join(KEY, STAYS).catch(() => 'refused'), settled()]);
  expect(refused).toBeUndefined();
});
