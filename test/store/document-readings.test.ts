// Places in which agents' documents are read: a process that dies holding one keeps it from nobody for long.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { takePlaceToRead } from '../../src/store/document-readings.ts';
import { statement } from '../../src/store/statement.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const take = () =>
  takePlaceToRead(service.parts.database, { asker: randomBytes(32), pushed: false }, 60, service.clock.now());
const taken = async () =>
  (
    await service.parts.database.query(
      statement('test_taken', 'select place from document_readings where taken_until > $1'),
      [service.clock.now()],
    )
  ).length;

test('a place that nobody gave back is free after its time; who comes back too late frees nobody else’s', async () => {
  const dead = await take();
  service.clock.advance(61);
  for (let times = 0; times < 10; times++) expect(await take(), `the place ${times}`).toBeDefined();
  expect(await take()).toBeUndefined();
  await dead?.();
  expect([await take(), await taken()]).toEqual([undefined, 10]);
});
