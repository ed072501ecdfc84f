// Polls the outbox for due emails.
import type { Mailer } from '../mail/delivery.ts';
import { type BackgroundJob, repeat } from './repeat.ts';

const POLL_INTERVAL = 2_000;

/** Closing the mailer waits for running deliveries. Stopping this job doesn't. */
export const startOutboxPoller = ({ mailer }: { mailer: Mailer }): BackgroundJob =>
  repeat(async () => {
    mailer.wake();
    return POLL_INTERVAL;
  }, POLL_INTERVAL);
