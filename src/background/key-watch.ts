// The background work of replacing signing keys in their turn, and of noticing that another process did.

import type { Logger } from 'pino';
import { type KeySettings, keyRotationOf } from '../keys/rotation.ts';
import { refreshSigningKeys, tendSigningKeys } from '../keys/signing-keys.ts';
import type { SigningKeys } from '../keys/tokens.ts';
import type { Sealer } from '../oauth/seal.ts';
import { SIGNING_ALGORITHMS } from '../oauth/signing-algorithms.ts';
import { type Database, isUnavailable } from '../store/database.ts';
import { type Repeated, repeat } from './repeat.ts';

/** Milliseconds between looks. What an emergency command replaced is out of use everywhere within ten seconds. */
const PAUSE = 8_000;

interface KeyWatchParts {
  config: KeySettings;
  database: Database;
  sealer: Sealer;
  keys: SigningKeys;
  now: () => Date;
}

/** Starts watching; stopping waits for a look that has begun. */
export function startKeyWatch(
  { config, database, sealer, keys, now }: KeyWatchParts,
  logger: Logger,
): Repeated {
  let complained = false;
  return repeat(async () => {
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
    return PAUSE;
  }, PAUSE);
}
