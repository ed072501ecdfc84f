// Lines: work of one key in the order in which it came, so much at a time; a line that is too long says so.
import { expect, test } from 'vitest';
import { openLine } from '../../src/accounts/lines.ts';

const aside = <Result>(work: () => Promise<Result>) => work();

/** Work that is over when it is told so. */
function work(begun: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const run = () => {
    begun.push(name);
    return promise;
  };
  return { run, end: () => resolve(name), fail: () => reject(new Error(name)) };
}

test('so much at a time, in the order in which it came, also after work that fails', async () => {
  const begun: string[] = [];
  const line = openLine(2, 10);
  const all = ['a', 'b', 'c', 'd'].map((name) => work(begun, name));
  const taken = all.map(({ run }) => line('', aside, run));
  expect(begun).toEqual(['a', 'b']);
  all[1]?.fail();
  await expect(taken[1]).rejects.toThrow('b');
  expect(begun).toEqual(['a', 'b', 'c']);
  for (const one of all) one.end();
  expect(await Promise.all(taken.toSpliced(1, 1))).toEqual(['a', 'c', 'd']);
});

test('only what waits is set aside, until its turn', async () => {
  const waiting: string[] = [];
  const line = openLine(1, 1);
  const all = ['a', 'b'].map((name) => work([], name));
  const taken = all.map(({ run }, n) =>
    line(
      '',
      async (wait) => {
        waiting.push(`${n} waits`);
        const result = await wait();
        waiting.push(`${n} does not`);
        return result;
      },
      run,
    ),
  );
  expect(waiting).toEqual(['1 waits']);
  for (const one of all) one.end();
  expect(await Promise.all(taken)).toEqual(['a', 'b']);
  expect(waiting).toEqual(['1 waits', '1 does not']);
});

test('who finds a line too long is told so, and a line that was left begins anew', async () => {
  const begun: string[] = [];
  const line = openLine(1, 1);
  const all = ['a', 'b', 'c', 'd'].map((name) => work(begun, name));
  const [first, second] = all.slice(0, 2).map(({ run }) => line('one', aside, run));
  await expect(line('one', aside, async () => 'never')).rejects.toMatchObject({ status: 503 });
  const other = line('other', aside, all[2]?.run as () => Promise<string>);
  expect(begun).toEqual(['a', 'c']);
  for (const one of all) one.end();
  expect(await Promise.all([first, second, other])).toEqual(['a', 'b', 'c']);
  expect(await line('one', aside, all[3]?.run as () => Promise<string>)).toBe('d');
});
