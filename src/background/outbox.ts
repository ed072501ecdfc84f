// The outbox: due mails are looked for every few seconds, those that other processes have left among them.
import type { Mailer } from '../mail/mailer.ts';
import { type Repeated, repeat } from './repeat.ts';

/** Milliseconds between looks; what this process puts there itself is sent at once. */
const PAUSE = 2_000;

/** Starts looking. What is on its way when this stops is the mailer's to wait for. */
export const startOutbox = ({ mailer }: { mailer: Mailer }): Repeated =>
  repeat(async () => {
    mailer.wake();
    return PAUSE;
  }, PAUSE);
