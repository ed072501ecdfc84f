// Write-behind buffers: merging by key, batches, failed writes.
import { expect, test } from 'vitest';
import { createWriteBehind } from '../../src/background/write-behind.ts';

const HOUR_IN_MS = 3_600_000;
const failOnError = () => {
  throw new Error('unexpected failure');
};

test('buffered entries with the same key are replaced or merged', async () => {
  const buffers = createWriteBehind(HOUR_IN_MS, failOnError);
  const written: unknown[] = [];
  const addText = buffers.addBuffer<string>(10, async (batch) => void written.push(batch));
  const addNumber = buffers.addBuffer<number>(
    10,
    async (batch) => void written.push(batch),
    (a, b) => a + b,
  );
  for (const text of ['first', 'second']) addText('key', text);
  for (const n of [1, 2, 3]) addNumber(n === 3 ? 'other' : 'key', n);
  expect(written).toEqual([]);
  await buffers.flush();
  await buffers.flush();
  expect(written).toEqual([['second'], [3, 3]]);
});

test('all buffered entries are written in one batch', async () => {
  const buffers = createWriteBehind(1, failOnError);
  const { promise, resolve } = Promise.withResolvers<string[]>();
  const add = buffers.addBuffer<string>(10, async (batch) => resolve(batch));
  for (const key of ['a', 'b']) add(key, key);
  expect(await promise).toEqual(['a', 'b']);
});

test.each([true, false])(
  'failed entries are retried only if onError returns true (%s)',
  async (isRetried) => {
    const buffers = createWriteBehind(HOUR_IN_MS, () => isRetried);
    const written: string[][] = [];
    let isUnavailable = true;
    const add = buffers.addBuffer<string>(
      3,
      async (batch) => {
        if (isUnavailable) {
          // This entry is added during the write.
          add('b', 'newer');
          add('d', 'one too many');
          throw new Error('unavailable');
        }
        written.push(batch);
      },
      (earlier, later) => `${earlier}, ${later}`,
    );
    for (const key of ['a', 'b', 'c']) add(key, 'older');
    await buffers.flush();
    isUnavailable = false;
    await buffers.close();
    expect(written).toEqual([isRetried ? ['older', 'older, newer', 'older'] : ['newer', 'one too many']]);
  },
);
