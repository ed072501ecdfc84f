// Load: chains of renewals and a stream of revocations over all processes, and a record of what was answered.
import { strict as assert } from 'node:assert';
import { renew, revoke, type Tokens, userinfo } from '../support/flow.ts';
import type { TestApplication } from '../support/service.ts';
import { until } from '../support/until.ts';
import { expectDead, type Instance, type World } from './instances.ts';

/** One application's worker that renews the tokens of one grant again and again. */
interface Chain {
  application: TestApplication;
  /** What the last renewal that was answered 200 gave. */
  tokens: Tokens;
  renewed: number;
  /** The last attempt was not answered, or with 503: whether it took effect is not known to the application. */
  unsure: boolean;
  /** Refused after such an attempt: a superseded token was used again, and the grant is dead (D15). */
  dead: boolean;
}

export interface Load {
  chains: Chain[];
  /** What revocations were answered 200 for. */
  revoked: Tokens[];
  /** How often 503, or nothing, was the answer. */
  refused: number;
  /** Waits until so many more renewals and revocations were answered 200. */
  progress(renewals: number, revocations: number): Promise<void>;
  stop(): Promise<void>;
}

const WORKERS = 12;

/** Starts it, on a stock of grants that are revoked one after the other; it is filled up for whoever waits for more. */
export async function startLoad(world: World, stock: number): Promise<Load> {
  const { instances, strict, patient } = world;
  const chains: Chain[] = [];
  for (const application of [strict, patient])
    for (const tokens of await world.tokens(WORKERS, application))
      chains.push({ application, tokens, renewed: 0, unsure: false, dead: false });
  const revocable = await world.tokens(stock);
  const load: Load = { chains, revoked: [], refused: 0, progress, stop };
  let running = true;
  let wanted = 0;
  let turn = 0;
  const next = (): Instance => instances[turn++ % instances.length] as Instance;
  const renewals = () => chains.reduce((sum, chain) => sum + chain.renewed, 0);

  async function renewOnce(chain: Chain): Promise<void> {
    const answer = await attempt(() => renew(next(), chain.application, chain.tokens.refreshToken));
    if (answer?.status === 200) {
      const { access_token, refresh_token } = answer.body;
      chain.tokens = {
        accessToken: String(access_token),
        refreshToken: String(refresh_token),
        idToken: undefined,
      };
      chain.renewed += 1;
      chain.unsure = false;
    } else if (answer === undefined || answer.status === 503) {
      load.refused += 1;
      chain.unsure = true;
    } else {
      assert.equal(answer.body.error, 'invalid_grant', `unexpected: ${answer.status} ${answer.text}`);
      assert(chain.unsure, 'a refresh token that a 200 gave was refused');
      assert.notEqual(chain.application, patient, 'refused within the grace');
      chain.dead = true;
    }
  }
  async function work(chain: Chain, index: number): Promise<void> {
    for (let round = index; running && !chain.dead; round++) {
      await renewOnce(chain);
      if (round % 4 === 0) await revokeOne();
    }
  }
  async function revokeOne(): Promise<void> {
    const tokens = revocable.pop() ?? (await oneMore());
    if (tokens === undefined) return;
    const token = turn % 2 === 0 ? tokens.accessToken : tokens.refreshToken;
    const answer = await attempt(() => revoke(next(), strict, token));
    if (answer?.status === 200) load.revoked.push(tokens);
    else {
      assert([undefined, 503].includes(answer?.status), `unexpected: ${answer?.status} ${answer?.text}`);
      load.refused += 1;
      revocable.unshift(tokens);
    }
  }

  // However long it went on before, whoever waits for revocations finds something to revoke.
  async function oneMore(): Promise<Tokens | undefined> {
    if (load.revoked.length >= wanted) return undefined;
    return (await attempt(() => world.tokens(1)))?.[0];
  }

  const ended = Promise.all(chains.map(work));
  let fault: unknown;
  ended.catch((error) => {
    fault = error;
    running = false;
  });
  async function progress(moreRenewals: number, moreRevocations: number): Promise<void> {
    const [renewed, revoked] = [renewals() + moreRenewals, load.revoked.length + moreRevocations];
    wanted = Math.max(wanted, revoked);
    await until(
      () => `${renewed} renewals (${renewals()}) and ${revoked} revocations (${load.revoked.length})`,
      () => {
        if (fault !== undefined) throw fault;
        return renewals() >= renewed && load.revoked.length >= revoked;
      },
    );
  }
  async function stop(): Promise<void> {
    running = false;
    await ended;
  }
  return load;
}

const attempt = <Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> =>
  ask().catch(() => undefined);

/** Whatever was answered 200 holds: no revocation is lost, and every renewal has a successor that can be used. */
export async function expectPromisesKept({ instances, strict }: World, load: Load): Promise<void> {
  await expectDead(instances, strict, load.revoked);
  for (const chain of load.chains) {
    const [instance] = instances;
    assert(instance);
    if (chain.dead) {
      await expectDead(instances, chain.application, [chain.tokens]);
      continue;
    }
    if (chain.unsure && chain.application === strict) continue; // its last attempt may have taken effect
    for (const each of instances) assert.equal((await userinfo(each, chain.tokens.accessToken)).status, 200);
    const { status, text } = await renew(instance, chain.application, chain.tokens.refreshToken);
    assert.equal(status, 200, `the successor of a renewal is refused: ${text}`);
  }
}
