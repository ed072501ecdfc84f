// Performs requested MFA resets after a delay.
import type { Logger } from 'pino';
import { runDueMfaReset } from '../credentials/mfa-reset.ts';
import type { MailServices } from '../mail/links.ts';
import { type BackgroundJob, repeat } from './repeat.ts';

const CHECK_INTERVAL = 60_000;

export const startMfaResets = (
  services: MailServices & { now: () => Date },
  logger: Logger,
  initialDelay = CHECK_INTERVAL,
): BackgroundJob =>
  repeat(async () => {
    try {
      return (await runDueMfaReset(services, services.now())) ? 0 : CHECK_INTERVAL;
    } catch (error) {
      logger.warn({ err: error }, 'MFA reset failed, will retry');
      return CHECK_INTERVAL;
    }
  }, initialDelay);
