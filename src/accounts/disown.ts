// « This was not me »: ends what somebody else has begun, and where they know the password, makes it worthless.
import { randomSecret } from '../oauth/secrets.ts';
import { endOwnSecret } from '../store/applications.ts';
import { changeEmail, findMailbox } from '../store/credentials.ts';
import type { Queryable } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import { revokeGrantsOfSession } from '../store/grants.ts';
import {
  forgetLaterNotices,
  forgetTokens,
  type LiveToken,
  type Secret,
  useToken,
} from '../store/one-time-tokens.ts';
import { deleteSessionOfUser, endSessionsOfUser } from '../store/sessions.ts';
import { cancelOffersOfOwner } from '../store/transfer-offers.ts';
import { changePassword, forgetBrowsers } from '../store/users.ts';
import type { MailParts } from './one-time-tokens.ts';
import type { PasswordHasher } from './password-hashing.ts';
import { isTakeover } from './security-notices.ts';

/**
 * - `session`: one session and what it led to
 * - `everything`: every session and grant, the password with them; a change of address is undone
 */
export type Disowning = 'session' | 'everything';

/** What saying « this was not me » to a mail ends. */
export const disowningOf = ({ detail }: Pick<LiveToken, 'detail'>): Disowning =>
  isTakeover(detail.notice ?? '') || detail.sid === undefined ? 'everything' : 'session';

/**
 * Uses up the token of the mail, and ends what it tells of.
 * @returns what was ended; `dead` when the link is not good any more, `taken` when the former address belongs to
 *   another account by now: nothing has changed then
 */
export async function disown(
  { database, hasher }: Pick<MailParts, 'database'> & { hasher: PasswordHasher },
  hash: Buffer,
  address: string,
  now: Date,
): Promise<Disowning | 'dead' | 'taken'> {
  // Nobody knows this one: the way back in is the mail of « forgotten password ».
  const unknownPassword = await hasher.hash(randomSecret());
  try {
    return await database.transaction(async (transaction) => {
      const token = await useToken(transaction, hash, ['not_me'], now);
      if (token === undefined) return 'dead';
      const { userId, detail } = token;
      const ended = disowningOf(token);
      if (ended === 'everything') await endEverything(transaction, token, unknownPassword, now);
      else if (detail.sid !== undefined) {
        await deleteSessionOfUser(transaction, userId, detail.sid, now);
        await revokeGrantsOfSession(transaction, { userId, sid: detail.sid }, now);
      }
      await forgetBrowsers(transaction, userId);
      // Begun in that session, perhaps, and still to come true.
      await forgetTokens(transaction, userId, 'change_email');
      await cancelOffersOfOwner(transaction, userId);
      if (detail.secret !== undefined) await endSecretOf(transaction, userId, detail.secret, address, now);
      await recordEvent(
        transaction,
        { kind: 'change_disowned', userId, address, detail: { notice: detail.notice ?? '', ended } },
        now,
      );
      return ended;
    });
  } catch (error) {
    if (error instanceof Taken) return 'taken';
    throw error;
  }
}

class Taken extends Error {}

/** Whoever created a secret knows it. */
async function endSecretOf(
  transaction: Queryable,
  userId: string,
  { clientId, number }: Secret,
  address: string,
  now: Date,
): Promise<void> {
  if (!(await endOwnSecret(transaction, userId, clientId, number, now))) return;
  const detail = { number };
  await recordEvent(transaction, { kind: 'secret_ended', userId, clientId, address, detail }, now);
}

async function endEverything(
  transaction: Queryable,
  { userId, email, createdAt, detail }: LiveToken,
  unknownPassword: string,
  now: Date,
): Promise<void> {
  await endSessionsOfUser(transaction, userId, now);
  await changePassword(transaction, userId, unknownPassword);
  // The former owner's word stands against all that came after it, the links in later mails included.
  await forgetLaterNotices(transaction, userId, createdAt);
  if (!detail.notice?.startsWith('email_change')) return;
  const present = await findMailbox(transaction, userId);
  if (present?.email !== email && !(await changeEmail(transaction, userId, email, now))) throw new Taken();
}
