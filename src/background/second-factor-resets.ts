// Second factors that operators were asked to take away: those that nobody has stopped are carried out when they are due.
import type { Logger } from 'pino';
import { carryOutDueReset } from '../credentials/second-factor-reset.ts';
import type { MailParts } from '../mail/links.ts';
import { type Repeated, repeat } from './repeat.ts';

/** Milliseconds between looks: somebody waits for a day. */
const PAUSE = 60_000;

/**
 * Starts carrying them out, one after the other; several processes may.
 * @param first milliseconds until the first look: a process that starts has more urgent uses for its connections
 */
export const startFactorResets = (
  parts: MailParts & { now: () => Date },
  logger: Logger,
  first = PAUSE,
): Repeated =>
  repeat(async () => {
    try {
      return (await carryOutDueReset(parts, parts.now())) ? 0 : PAUSE;
    } catch (error) {
      logger.warn({ err: error }, 'resetting a second factor failed; it will be tried again');
      return PAUSE;
    }
  }, first);
