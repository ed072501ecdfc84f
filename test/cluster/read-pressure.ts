// Two processes flooded with readings of one token: from the moment its revocation is answered, none accepts it.
import { strict as assert } from 'node:assert';
import { revoke, userinfo } from '../support/flow.ts';
import { until } from '../support/until.ts';
import { expectAllAlive, openWorld, stopAll } from './instances.ts';
import { createServer } from './postgres.ts';
import type { Step } from './report.ts';

const ROUNDS = 20;
const READERS = 16;

export async function readPressure(step: Step, note: (text: string) => void): Promise<void> {
  const server = await createServer();
  const world = await openWorld(2, server.url);
  await step(`${ROUNDS} tokens, each revoked at one process while both are asked for it`, async () => {
    let [accepted, refused, late] = [0, 0, 0];
    for (const [round, { accessToken, refreshToken }] of (await world.tokens(ROUNDS)).entries()) {
      let revoked = false;
      let refusedAfter = 0;
      const readers = Array.from({ length: READERS }, async (_, reader) => {
        const instance = world.instances[reader % 2];
        assert(instance);
        // Until each reader has asked several times after the revocation was answered.
        for (let after = 0; after < 4; ) {
          const askedAfter = revoked;
          const { status } = await userinfo(instance, accessToken);
          if (askedAfter) {
            after += 1;
            refusedAfter += 1;
            if (status !== 401) late += 1;
          }
          if (status === 200) accepted += 1;
          else refused += 1;
        }
      });
      const before = accepted;
      await until('the token to be read', () => accepted >= before + 2 * READERS);
      const instance = world.instances[round % 2];
      assert(instance);
      const { status } = await revoke(instance, world.strict, round % 4 < 2 ? refreshToken : accessToken);
      revoked = true;
      assert.equal(status, 200);
      await Promise.all(readers);
      assert.equal(refusedAfter, 4 * READERS);
    }
    assert.equal(late, 0, `accepted ${late} times after the revocation was answered`);
    note(`${accepted} times accepted before, ${refused} times refused, never accepted after the answer`);
  });
  expectAllAlive(world.instances);
  await stopAll(world.instances);
}
