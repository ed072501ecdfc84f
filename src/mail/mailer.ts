// Mail on its way: a bounded queue in the process, sent in the background and tried again, never felt by a page.
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Letter } from './letter.ts';
import { composeMail } from './letters.ts';
import { type Outbox, openOutbox } from './outbox.ts';
import { type Delivery, DeliveryFault, openSmtp } from './smtp.ts';

/** Mails that wait for their turn, at most; more are dropped, and the log says so. */
const WAITING_LIMIT = 1000;
const AT_A_TIME = 4;
/** Pauses, in milliseconds, before a mail is tried again. */
const PAUSES = [2_000, 15_000, 60_000];
/** How long closing waits for what is on its way. */
const PATIENCE = 3_000;

export interface Mailer {
  /** Whether mails can be sent at all: pages offer nothing that needs one otherwise. */
  available: boolean;
  /**
   * Has a letter sent some time soon; says nothing about whether it is. A function is called in the background, for
   * what may not be felt in the answer's time; it gives undefined when there is nothing to send.
   */
  send(letter: Letter | (() => Promise<Letter | undefined>)): void;
  /** The mails kept in this process; absent where they are really sent. */
  outbox: Outbox | undefined;
  /** Resolves when nothing is on its way any more. */
  idle(): Promise<void>;
  /** Sends what is on its way, as far as that goes within three seconds. */
  close(): Promise<void>;
}

/** Whether real mail is configured: then an address can be demanded to be verified. */
export const mailConfigured = (config: Pick<Config, 'smtpUrl'>): boolean => config.smtpUrl !== undefined;

/** With SMTP_URL mails are sent; without it they are kept in the process, in production there are none. */
export function createMailer(
  config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'production' | 'baseUrl' | 'serviceName'>,
  logger: Logger,
  { now, wait }: { now: () => Date; wait: (milliseconds: number) => Promise<void> },
): Mailer {
  const { smtpUrl, serviceName, mailFrom = `${serviceName} <no-reply@localhost>` } = config;
  const outbox = smtpUrl === undefined && !config.production ? openOutbox(now) : undefined;
  const deliver: Delivery | undefined = smtpUrl === undefined ? outbox?.deliver : openSmtp(smtpUrl);
  const waiting: (() => Promise<void>)[] = [];
  let running = 0;
  let whenIdle: (() => void)[] = [];
  const closing = new AbortController();

  const next = () => {
    const job = running < AT_A_TIME ? waiting.shift() : undefined;
    if (job !== undefined) {
      running += 1;
      void job().finally(() => {
        running -= 1;
        next();
      });
      next();
    } else if (running === 0) {
      for (const resolve of whenIdle) resolve();
      whenIdle = [];
    }
  };
  const idle = () =>
    new Promise<void>((resolve) => {
      whenIdle.push(resolve);
      next();
    });

  return {
    available: deliver !== undefined,
    outbox,
    idle,
    send: (letter) => {
      if (deliver === undefined) return;
      if (waiting.length >= WAITING_LIMIT) {
        logger.error('too many mails wait to be sent: one was dropped');
        return;
      }
      waiting.push(async () => {
        try {
          const made = typeof letter === 'function' ? await letter() : letter;
          if (made !== undefined)
            await deliverPatiently(() => deliver(composeMail(made, { ...config, mailFrom }, now())));
        } catch (error) {
          // A server's answer may repeat the mailbox; what kind of fault it was is enough.
          if (error instanceof DeliveryFault)
            logger.error({ fault: error.fault }, 'a mail could not be sent');
          else logger.error({ err: error }, 'a mail could not be prepared');
        }
      });
      // Not within the answer that is being made.
      setImmediate(next);
    },
    close: async () => {
      closing.abort();
      const outOfTime = new Promise<'late'>((resolve) => setTimeout(resolve, PATIENCE, 'late').unref());
      if ((await Promise.race([idle(), outOfTime])) === 'late')
        logger.warn({ mails: running + waiting.length }, 'mails that were not sent yet are lost');
      waiting.length = 0;
    },
  };

  /** Tries, and tries again after pauses, unless the server has refused for good. Closing cuts the pauses short. */
  async function deliverPatiently(attempt: () => Promise<void>): Promise<void> {
    for (const pause of PAUSES) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof DeliveryFault) || error.permanent || closing.signal.aborted) throw error;
        logger.warn({ fault: error.fault, pause }, 'a mail could not be sent; it is tried again');
      }
      await Promise.race([wait(pause), aborted(closing.signal)]);
    }
    await attempt();
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
