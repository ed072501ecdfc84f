// Delays of password, recovery code and MFA code attempts after failures (ADR 4).

/**
 * Failed attempts before throttling starts. Each further failure doubles the delay. The limit per network is higher
 * because a whole office may share one network.
 */
export const FREE_ATTEMPTS = { account: 4, network: 30 };
/** Milliseconds. */
const MAX_DELAY = 8_000;

/** Returns the delay in milliseconds. */
export const getAttemptDelay = (failures: number, freeAttempts: number): number =>
  failures < freeAttempts ? 0 : Math.min(MAX_DELAY, 500 * 2 ** (failures - freeAttempts));
