// Rotates signing keys on schedule and reloads keys that another process has changed.

import type { Logger } from 'pino';
import { getKeyRotation, type KeySettings } from '../keys/rotation.ts';
import { maintainSigningKeys, refreshSigningKeys } from '../keys/signing-keys.ts';
import type { SigningKeys } from '../keys/tokens.ts';
import type { Sealer } from '../oauth/seal.ts';
import { SIGNING_ALGORITHMS } from '../oauth/signing-algorithms.ts';
import { type Database, isUnavailable } from '../store/database.ts';
import { type BackgroundJob, repeat } from './repeat.ts';

/** Milliseconds. Processes must stop using replaced keys within ten seconds. */
const CHECK_INTERVAL = 8_000;

interface KeyRotationServices {
  config: KeySettings;
  database: Database;
  sealer: Sealer;
  keys: SigningKeys;
  now: () => Date;
}

export function startKeyRotation(
  { config, database, sealer, keys, now }: KeyRotationServices,
  logger: Logger,
): BackgroundJob {
  let hasLoggedError = false;
  return repeat(async () => {
    try {
      if (await maintainSigningKeys(database, sealer, getKeyRotation(config), now()))
        logger.info('signing keys rotated on schedule');
      if (await refreshSigningKeys(database, sealer, keys, now()))
        logger.warn({ kids: SIGNING_ALGORITHMS.map((name) => keys[name].kid) }, 'signing keys changed');
      hasLoggedError = false;
    } catch (error) {
      // If the database is available, the usual cause is a wrong SECRET_KEY.
      const level = isUnavailable(error) ? 'warn' : 'error';
      if (!hasLoggedError)
        logger[level](
          { err: error },
          'cannot load signing keys, keeping the current keys; check that all processes have the same SECRET_KEY',
        );
      hasLoggedError = true;
    }
    return CHECK_INTERVAL;
  }, CHECK_INTERVAL);
}
