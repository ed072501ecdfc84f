// Transactional outbox: stores emails in a transaction and delivers them in the background.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Sealer } from '../oauth/seal.ts';
import type { Database, Queryable } from '../store/database.ts';
import { NIL_USER_ID } from '../store/nil-user-id.ts';
import {
  type ClaimedEmail,
  claimEmailToSend,
  deleteEmail,
  type EmailKey,
  findDueEmails,
  postponeEmail,
  queueEmail,
  replaceEmail,
} from '../store/outbox.ts';
import type { Email, RenderedEmail } from './email.ts';
import { createLogoLoader } from './logo.ts';
import {
  type DeferredEmail,
  getSendTtl,
  type OutboxContent,
  openContent,
  sealContent,
} from './outbox-content.ts';
import { renderEmail, type Sender } from './render-email.ts';
import { createSmtpDelivery, type DeliverEmail, DeliveryError } from './smtp.ts';

const CONCURRENCY = 4;
const BATCH_SIZE = 20;
const LEASE_DURATION = 10_000;
const LEASE_EXTENSION_INTERVAL = 3_000;
/** Seconds. The last delay repeats until the email expires. */
const RETRY_DELAYS = [2, 15, 60, 300, 900, 3600];
const CLOSE_TIMEOUT = 3_000;

/**
 * Resolves to undefined if no email should be sent. The returned function composes the email in the transaction that
 * stores it.
 */
export type EmailComposer = (
  email: DeferredEmail,
  now: Date,
) => Promise<((transaction: Queryable) => Promise<Email>) | undefined>;

export interface Mailer {
  /** If false, pages hide features that require email. */
  available: boolean;
  /**
   * Stores an email in the outbox. The email is sent after the commit.
   * @param userId the account that the email concerns
   * @param within the transaction that makes the change that the email describes
   */
  send(content: OutboxContent, userId?: string, within?: Queryable): Promise<void>;
  /** Delivers due emails before the next poll. */
  wake(): void;
  logFailure(error: unknown): void;
  captured: EmailCapture | undefined;
  idle(): Promise<void>;
  /** Delivers due emails for up to three seconds. Remaining emails stay in the outbox. */
  close(): Promise<void>;
}

interface MailerDependencies {
  database: Database;
  sealer: () => Promise<Sealer>;
  now: () => Date;
  compose: EmailComposer;
  /** False for CLI commands because the running service captures their emails. */
  capturesEmails?: boolean;
}

/** Without SMTP, verified email addresses can't be required. */
export const isMailConfigured = (config: Pick<Config, 'smtpUrl'>): boolean => config.smtpUrl !== undefined;

/** Without SMTP_URL, emails are captured in memory, or discarded in production. */
export function createMailer(
  config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'production' | 'logo'> & Omit<Sender, 'mailFrom'>,
  logger: Logger,
  { database, sealer, now, compose, capturesEmails = true }: MailerDependencies,
): Mailer {
  const { smtpUrl, mailFrom = 'no-reply@localhost' } = config;
  const available = smtpUrl !== undefined || !config.production;
  const capture = smtpUrl === undefined && available && capturesEmails ? captureEmails(now) : undefined;
  const deliver: DeliverEmail | undefined =
    smtpUrl === undefined ? capture?.deliver : createSmtpDelivery(smtpUrl, new URL(config.baseUrl).hostname);
  // Captured emails are delivered one at a time to keep their order.
  const [concurrency, batchSize] = capture === undefined ? [CONCURRENCY, BATCH_SIZE] : [1, 1];
  const logo = createLogoLoader(config, (error) =>
    logger.error({ err: error }, 'logo conversion failed; emails are sent without the logo'),
  );
  const running = new Set<Promise<void>>();
  let due: EmailKey[] = [];
  let closed = false;

  const wake = () => {
    if (deliver === undefined || closed || running.size >= concurrency) return;
    const work = sendDueEmails(deliver)
      .catch((error) => logger.warn({ err: error }, 'could not query the outbox; retrying'))
      .finally(() => running.delete(work));
    running.add(work);
  };
  const idle = async () => {
    // Run twice because the current run may have missed the last email.
    for (let i = 0; i < 2; i++) {
      await Promise.all(running);
      wake();
    }
    await Promise.all(running);
  };

  return {
    available,
    captured: capture,
    wake,
    idle,
    send: async (content, userId = NIL_USER_ID, within = database) => {
      if (!available) return;
      const [id, createdAt] = [randomUUID(), now()];
      const expiresAt = new Date(createdAt.getTime() + getSendTtl(content));
      const sealed = sealContent(await sealer(), id, content);
      await queueEmail(within, { userId, id, sealed, createdAt, expiresAt });
      // Delivery starts in a later tick so that it doesn't delay the response.
      setImmediate(wake);
    },
    logFailure: (error) => logger.error({ err: error }, 'could not store an email in the outbox'),
    close: async () => {
      const timeout = new Promise<'timeout'>((resolve) =>
        setTimeout(resolve, CLOSE_TIMEOUT, 'timeout').unref(),
      );
      if ((await Promise.race([idle(), timeout])) === 'timeout')
        logger.warn('unsent emails stay in the outbox');
      closed = true;
    },
  };

  async function sendDueEmails(deliver: DeliverEmail): Promise<void> {
    while (!closed) {
      const mail = await claimDueEmail();
      if (mail === undefined) return;
      const extension = setInterval(() => {
        postponeEmail(database, mail, addMilliseconds(now(), LEASE_DURATION)).catch((error) =>
          logger.warn({ err: error }, 'could not extend the lease on an email; it may be sent twice'),
        );
      }, LEASE_EXTENSION_INTERVAL);
      try {
        await sendOne(mail, deliver);
      } finally {
        clearInterval(extension);
      }
    }
  }

  async function claimDueEmail(): Promise<ClaimedEmail | undefined> {
    for (;;) {
      const at = now();
      if (due.length === 0) due = await findDueEmails(database, at, batchSize);
      const next = due.pop();
      if (next === undefined) return undefined;
      const mail = await claimEmailToSend(database, next, at, addMilliseconds(at, LEASE_DURATION));
      if (mail !== undefined) return mail;
    }
  }

  async function sendOne(mail: ClaimedEmail, deliver: DeliverEmail): Promise<void> {
    let outcome: 'finished' | 'retry';
    try {
      const email = await openEmail(mail);
      if (email !== undefined)
        await deliver(
          renderEmail(email, { ...config, mailFrom }, await logo(), mail.createdAt),
          createMessageId(mail),
        );
      outcome = 'finished';
    } catch (error) {
      outcome = logFailedDelivery(mail, error);
    }
    if (outcome === 'finished') await deleteEmail(database, mail);
    else await postponeEmail(database, mail, addMilliseconds(now(), getRetryDelay(mail)));
  }

  /** A deferred email is composed and stored in one transaction so that it is composed only once. */
  async function openEmail(mail: ClaimedEmail): Promise<Email | undefined> {
    const { id, sealed } = mail;
    const currentSealer = await sealer();
    const content = openContent(currentSealer, id, sealed);
    if (content === undefined) throw new Error('an email in the outbox is encrypted with another SECRET_KEY');
    if (content.kind !== 'deferred') return content;
    const createEmail = await compose(content, now());
    if (createEmail === undefined) return undefined;
    return database.transaction(async (transaction) => {
      const email = await createEmail(transaction);
      await replaceEmail(transaction, mail, sealContent(currentSealer, id, email));
      return email;
    });
  }

  function logFailedDelivery(mail: ClaimedEmail, error: unknown): 'finished' | 'retry' {
    const delay = getRetryDelay(mail);
    const isFinal =
      (error instanceof DeliveryError && error.permanent) || addMilliseconds(now(), delay) >= mail.expiresAt;
    const cause =
      error instanceof DeliveryError ? { code: error.code, reason: error.reason } : { err: error };
    if (isFinal) logger.error(cause, 'could not send an email');
    else logger.warn({ ...cause, retryInMs: delay }, 'could not send an email; retrying');
    return isFinal ? 'finished' : 'retry';
  }
}

const addMilliseconds = (time: Date, milliseconds: number): Date => new Date(time.getTime() + milliseconds);

const getRetryDelay = ({ attempts }: ClaimedEmail): number =>
  1_000 * (RETRY_DELAYS[attempts - 1] ?? RETRY_DELAYS.at(-1) ?? 0);

/** The Message-ID is the same for every attempt so that mail servers can drop duplicates. */
const createMessageId = ({ id, createdAt }: ClaimedEmail): string =>
  createHash('sha256').update(`${id} ${createdAt.toISOString()}`).digest('hex').slice(0, 32);

const MAX_CAPTURED_EMAILS = 100;

export interface CapturedEmail extends RenderedEmail {
  id: string;
  capturedAt: Date;
}

interface EmailCapture {
  deliver: DeliverEmail;
  list(): readonly CapturedEmail[];
}

function captureEmails(now: () => Date): EmailCapture {
  const emails: CapturedEmail[] = [];
  return {
    deliver: async (mail) => {
      emails.unshift({ ...mail, id: randomBytes(8).toString('hex'), capturedAt: now() });
      emails.splice(MAX_CAPTURED_EMAILS);
    },
    list: () => emails,
  };
}
