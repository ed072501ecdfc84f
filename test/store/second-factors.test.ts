// What stands in for a second factor is used once, and by its account alone, whatever else there is (D39).
import { afterAll, expect, test } from 'vitest';
import {
  acceptStep,
  findFactors,
  replaceRecoveryCodes,
  setAuthenticatorApp,
  useRecoveryCode,
} from '../../src/store/second-factors.ts';
import { createUser, later, NOW, openTestDatabase } from '../support/populate.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

const hashOf = (text: string) => Buffer.from(text.padEnd(32));

test('a recovery code is used once, and by no other account, not even by its hash', async () => {
  const [ada, grace] = [await createUser(database), await createUser(database)];
  const hashes = ['one', 'two'].map(hashOf);
  await replaceRecoveryCodes(database, ada, hashes, NOW);
  const [one, two] = hashes as [Buffer, Buffer];
  expect(await useRecoveryCode(database, grace, one, later(1))).toBe(false);
  expect(await useRecoveryCode(database, ada, one, later(2))).toBe(true);
  expect(await useRecoveryCode(database, ada, one, later(3))).toBe(false);
  expect((await findFactors(database, ada)).recoveryCodes).toBe(1);
  await replaceRecoveryCodes(database, ada, [hashOf('three')], later(4));
  expect(await useRecoveryCode(database, ada, two, later(5))).toBe(false);
  expect((await findFactors(database, ada)).recoveryCodes).toBe(1);
});

test('a step is accepted once, later ones only, and none where there is no app, or another account’s', async () => {
  const [ada, grace] = [await createUser(database), await createUser(database)];
  expect(await acceptStep(database, ada, 100)).toBe(false);
  const app = { userId: ada, sealedSecret: 'sealed', step: 100 };
  expect(await setAuthenticatorApp(database, app, NOW)).toBe(true);
  expect(await setAuthenticatorApp(database, { ...app, sealedSecret: 'other' }, NOW)).toBe(false);
  for (const [step, accepted] of [
    [100, false],
    [99, false],
    [102, true],
    [102, false],
    [101, false],
    [103, true],
  ] as const)
    expect([step, await acceptStep(database, ada, step)]).toEqual([step, accepted]);
  expect(await acceptStep(database, grace, 200)).toBe(false);
});
