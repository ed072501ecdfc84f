// Mail on its way: a row in the database first, sent in the background and tried again, never felt by a page.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Sealer } from '../oauth/seal.ts';
import type { Database, Queryable } from '../store/database.ts';
import {
  claimMail,
  type DueMail,
  deleteMail,
  findDueMails,
  insertMail,
  type MailKey,
  postponeMail,
  replaceMail,
} from '../store/mails.ts';
import { NO_USER } from '../store/no-user.ts';
import { type Content, openContent, sealContent, type Wish, worthSending } from './envelope.ts';
import type { Letter, Mail } from './letter.ts';
import { composeMail, type Sender } from './letters.ts';
import { logoOfMails } from './logo.ts';
import { type Delivery, DeliveryFault, openSmtp } from './smtp.ts';

const AT_A_TIME = 4;
/** Due mails that a process looks up at a time. */
const LOOKED_UP = 20;
/** A mail that a process is at is nobody else's for so long, in milliseconds; it says so again while it is. */
const LEASE = 10_000;
const RENEWAL = 3_000;
/** Pauses, in seconds, before a mail is tried again; the last one until it is too late for it. */
const PAUSES = [2, 15, 60, 300, 900, 3600];
const PATIENCE = 3_000;

/** Writes the letter that was wished for, in the transaction that goes with it; undefined: there is nobody to write to. */
export type Writer = (
  wish: Wish,
  now: Date,
) => Promise<((transaction: Queryable) => Promise<Letter>) | undefined>;

export interface Mailer {
  /** Whether mails can be sent at all: pages offer nothing that needs one otherwise. */
  available: boolean;
  /**
   * Puts a letter on its way: it is sent once the transaction is committed, whatever becomes of this process.
   * @param userId the account that it concerns, if it is known
   * @param within the transaction of what it tells of
   */
  send(content: Content, userId?: string, within?: Queryable): Promise<void>;
  /** Sends what is due in the background; without it some process finds it within seconds (background/outbox.ts). */
  wake(): void;
  /** A letter that could not be put on its way: only the log hears of it. */
  lost(error: unknown): void;
  /** The mails kept in this process; absent where they are really sent. */
  kept: KeptMails | undefined;
  /** Resolves when nothing that is due is left. */
  idle(): Promise<void>;
  /** Sends what is due, as far as that goes within three seconds; the rest stays for the next process. */
  close(): Promise<void>;
}

interface MailerParts {
  database: Database;
  sealer: () => Promise<Sealer>;
  now: () => Date;
  write: Writer;
  /** Whether this process keeps mails where none are sent: a command's would be gone with it. */
  keeps?: boolean;
}

/** Whether real mail is configured: then an address can be demanded to be verified. */
export const mailConfigured = (config: Pick<Config, 'smtpUrl'>): boolean => config.smtpUrl !== undefined;

/** With SMTP_URL mails are sent; without it they are kept in the process, in production there are none. */
export function createMailer(
  config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'production' | 'logo'> & Omit<Sender, 'mailFrom'>,
  logger: Logger,
  { database, sealer, now, write, keeps = true }: MailerParts,
): Mailer {
  const { smtpUrl, mailFrom = 'no-reply@localhost' } = config;
  const available = smtpUrl !== undefined || !config.production;
  const kept = smtpUrl === undefined && available && keeps ? keepMails(now) : undefined;
  const deliver: Delivery | undefined =
    smtpUrl === undefined ? kept?.deliver : openSmtp(smtpUrl, new URL(config.baseUrl).hostname);
  /** Kept ones lie in the order in which they were written. */
  const [atATime, lookedUp] = kept === undefined ? [AT_A_TIME, LOOKED_UP] : [1, 1];
  const logo = logoOfMails(config, (error) =>
    logger.error({ err: error }, 'the logo could not be drawn: mails go without it'),
  );
  const running = new Set<Promise<void>>();
  let due: MailKey[] = [];
  let closed = false;

  const wake = () => {
    if (deliver === undefined || closed || running.size >= atATime) return;
    const work = sendDue(deliver)
      .catch((error) => logger.warn({ err: error }, 'mails could not be looked for; it will be tried again'))
      .finally(() => running.delete(work));
    running.add(work);
  };
  const idle = async () => {
    // Those who look already may have looked too early.
    for (let i = 0; i < 2; i++) {
      await Promise.all(running);
      wake();
    }
    await Promise.all(running);
  };

  return {
    available,
    kept,
    wake,
    idle,
    send: async (content, userId = NO_USER, within = database) => {
      if (!available) return;
      const [id, createdAt] = [randomUUID(), now()];
      const expiresAt = new Date(createdAt.getTime() + worthSending(content));
      const sealed = sealContent(await sealer(), id, content);
      await insertMail(within, { userId, id, sealed, createdAt, expiresAt });
      // Not within the answer that is being made.
      setImmediate(wake);
    },
    lost: (error) => logger.error({ err: error }, 'a mail could not be prepared'),
    close: async () => {
      const outOfTime = new Promise<'late'>((resolve) => setTimeout(resolve, PATIENCE, 'late').unref());
      if ((await Promise.race([idle(), outOfTime])) === 'late')
        logger.warn('mails that were not sent yet wait for the next process');
      closed = true;
    },
  };

  async function sendDue(deliver: Delivery): Promise<void> {
    while (!closed) {
      const mail = await claimDue();
      if (mail === undefined) return;
      const renewal = setInterval(() => {
        postponeMail(database, mail, after(now(), LEASE)).catch((error) =>
          logger.warn({ err: error }, 'the lease of a mail could not be renewed: it may be sent twice'),
        );
      }, RENEWAL);
      try {
        await sendOne(mail, deliver);
      } finally {
        clearInterval(renewal);
      }
    }
  }

  /** Claims a due mail; another process may have claimed some of those that were found. */
  async function claimDue(): Promise<DueMail | undefined> {
    for (;;) {
      const at = now();
      if (due.length === 0) due = await findDueMails(database, at, lookedUp);
      const next = due.pop();
      if (next === undefined) return undefined;
      const mail = await claimMail(database, next, at, after(at, LEASE));
      if (mail !== undefined) return mail;
    }
  }

  async function sendOne(mail: DueMail, deliver: Delivery): Promise<void> {
    let outcome: 'over' | 'again';
    try {
      const letter = await letterOf(mail);
      if (letter !== undefined)
        await deliver(
          composeMail(letter, { ...config, mailFrom }, await logo(), mail.createdAt),
          messageId(mail),
        );
      outcome = 'over';
    } catch (error) {
      outcome = failed(mail, error);
    }
    if (outcome === 'over') await deleteMail(database, mail);
    else await postponeMail(database, mail, after(now(), pauseAfter(mail)));
  }

  /** What the mail says. A wish becomes a letter once: what it takes is made in the transaction that puts it in place. */
  async function letterOf(mail: DueMail): Promise<Letter | undefined> {
    const { id, sealed } = mail;
    const seal = await sealer();
    const content = openContent(seal, id, sealed);
    if (content === undefined) throw new Error('a mail was sealed with another SECRET_KEY');
    if (content.kind !== 'wish') return content;
    const writing = await write(content, now());
    if (writing === undefined) return undefined;
    return database.transaction(async (transaction) => {
      const letter = await writing(transaction);
      await replaceMail(transaction, mail, sealContent(seal, id, letter));
      return letter;
    });
  }

  function failed(mail: DueMail, error: unknown): 'over' | 'again' {
    const pause = pauseAfter(mail);
    const over = (error instanceof DeliveryFault && error.permanent) || after(now(), pause) >= mail.expiresAt;
    const what =
      error instanceof DeliveryFault ? { fault: error.fault, reason: error.reason } : { err: error };
    if (over) logger.error(what, 'a mail could not be sent');
    else logger.warn({ ...what, pause }, 'a mail could not be sent; it is tried again');
    return over ? 'over' : 'again';
  }
}

const after = (moment: Date, milliseconds: number): Date => new Date(moment.getTime() + milliseconds);

const pauseAfter = ({ attempts }: DueMail): number => 1_000 * (PAUSES[attempts - 1] ?? PAUSES.at(-1) ?? 0);

/** The same however often it is sent: a mailbox shows it once, should a process have died at the wrong moment. */
const messageId = ({ id, createdAt }: DueMail): string =>
  createHash('sha256').update(`${id} ${createdAt.toISOString()}`).digest('hex').slice(0, 32);

/** Mails kept in the process instead of being sent, outside production: the latest hundred. */
const KEPT = 100;

export interface KeptMail extends Mail {
  id: string;
  keptAt: Date;
}

interface KeptMails {
  deliver: Delivery;
  list(): readonly KeptMail[];
}

function keepMails(now: () => Date): KeptMails {
  const mails: KeptMail[] = [];
  return {
    deliver: async (mail) => {
      mails.unshift({ ...mail, id: randomBytes(8).toString('hex'), keptAt: now() });
      mails.splice(KEPT);
    },
    list: () => mails,
  };
}
