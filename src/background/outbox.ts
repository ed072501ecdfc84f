// Polls the outbox for due emails.
import type { Mailer } from '../mail/mailer.ts';
import { type BackgroundJob, repeat } from './repeat.ts';

const POLL_INTERVAL = 2_000;

/** Stopping the job doesn't wait for running deliveries, but closing the mailer does. */
export const startOutboxPoller = ({ mailer }: { mailer: Mailer }): BackgroundJob =>
  repeat(async () => {
    mailer.wake();
    return POLL_INTERVAL;
  }, POLL_INTERVAL);
