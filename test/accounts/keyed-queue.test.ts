// Keyed queues: FIFO order, concurrency, maximum length.
import { expect, test } from 'vitest';
import { createKeyedQueue } from '../../src/accounts/keyed-queue.ts';

const keepSlot = <Result>(work: () => Promise<Result>) => work();

/** Creates a task that runs until the test calls `end` or `fail`. */
function createTask(started: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const run = () => {
    started.push(name);
    return promise;
  };
  return { run, end: () => resolve(name), fail: () => reject(new Error(name)) };
}

test('a queue runs tasks in FIFO order with limited concurrency', async () => {
  const started: string[] = [];
  const queue = createKeyedQueue(2, 10);
  const jobs = ['a', 'b', 'c', 'd'].map((name) => createTask(started, name));
  const results = jobs.map(({ run }) => queue('', keepSlot, run));
  expect(started).toEqual(['a', 'b']);
  jobs[1]?.fail();
  await expect(results[1]).rejects.toThrow('b');
  expect(started).toEqual(['a', 'b', 'c']);
  for (const { end } of jobs) end();
  expect(await Promise.all(results.toSpliced(1, 1))).toEqual(['a', 'c', 'd']);
});

test('a concurrency slot is released only while its task waits in the queue', async () => {
  const log: string[] = [];
  const queue = createKeyedQueue(1, 1);
  const jobs = ['a', 'b'].map((name) => createTask([], name));
  const results = jobs.map(({ run }, n) =>
    queue(
      '',
      async (wait) => {
        log.push(`${n} waits`);
        const result = await wait();
        log.push(`${n} runs`);
        return result;
      },
      run,
    ),
  );
  expect(log).toEqual(['1 waits']);
  for (const { end } of jobs) end();
  expect(await Promise.all(results)).toEqual(['a', 'b']);
  expect(log).toEqual(['1 waits', '1 runs']);
});

test('a full queue rejects new tasks with 503', async () => {
  const started: string[] = [];
  const queue = createKeyedQueue(1, 1);
  const jobs = ['a', 'b', 'c', 'd'].map((name) => createTask(started, name));
  const [first, second] = jobs.slice(0, 2).map(({ run }) => queue('key', keepSlot, run));
  await expect(queue('key', keepSlot, async () => 'never')).rejects.toMatchObject({ status: 503 });
  const unblocked = queue('otherKey', keepSlot, jobs[2]?.run as () => Promise<string>);
  expect(started).toEqual(['a', 'c']);
  for (const { end } of jobs) end();
  expect(await Promise.all([first, second, unblocked])).toEqual(['a', 'b', 'c']);
  expect(await queue('key', keepSlot, jobs[3]?.run as () => Promise<string>)).toBe('d');
});
