// The background work of replacing signing keys in their turn, and of noticing that another process did.
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { SIGNING_ALGORITHMS } from './oauth/tokens.ts';
import type { Parts } from './parts.ts';
import { isUnavailable } from './store/database.ts';
import { type KeyRotation, refreshSigningKeys, tendSigningKeys } from './store/signing-keys.ts';

/** Milliseconds between looks. What an emergency command replaced is out of use everywhere within ten seconds. */
const PAUSE = 8_000;

const DAY = 24 * 3600;

/** How keys take turns under the settings in force. */
export const keyRotationOf = (config: Parts['config']): KeyRotation => ({
  every: config.signingKeyRotation,
  lead: Math.min(DAY, Math.floor(config.signingKeyRotation / 2)),
  // A session may end with the id_token that it began with as a hint.
  keep: Math.max(config.accessTokenTtl, config.sessionTtl) + DAY,
});

/** Starts watching; `stop` resolves when a look that has begun is over. */
export function startKeyWatch(parts: Parts, logger: Logger): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const running = run(parts, logger, stopped.signal);
  return {
    stop: () => {
      stopped.abort();
      return running;
    },
  };
}

async function run(
  { config, database, sealer, keys, now }: Parts,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  let complained = false;
  while (!signal.aborted) {
    await wait(PAUSE, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    try {
      if (await tendSigningKeys(database, sealer, keyRotationOf(config), now()))
        logger.info('signing keys were made or dropped in their turn');
      if (await refreshSigningKeys(database, sealer, keys, now()))
        logger.warn({ kids: SIGNING_ALGORITHMS.map((name) => keys[name].kid) }, 'the signing keys changed');
      complained = false;
    } catch (error) {
      // Keys that do not open need an operator: other processes have another SECRET_KEY by now. Said once.
      const level = isUnavailable(error) ? 'warn' : 'error';
      if (!complained) logger[level]({ err: error }, 'cannot read the signing keys; the present ones stay');
      complained = true;
    }
  }
}
