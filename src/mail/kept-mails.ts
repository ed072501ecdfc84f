// Mails that are kept in the process instead of being sent, outside production: the latest hundred.
import { randomBytes } from 'node:crypto';
import type { Mail } from './letter.ts';
import type { Delivery } from './smtp.ts';

const KEPT = 100;

export interface KeptMail extends Mail {
  id: string;
  keptAt: Date;
}

export interface KeptMails {
  deliver: Delivery;
  /** Latest first. */
  list(): readonly KeptMail[];
}

export function keepMails(now: () => Date): KeptMails {
  const mails: KeptMail[] = [];
  return {
    deliver: async (mail) => {
      mails.unshift({ ...mail, id: randomBytes(8).toString('hex'), keptAt: now() });
      mails.splice(KEPT);
    },
    list: () => mails,
  };
}
