// « This was not me »: ends what somebody else has begun, and where they know the password, makes it worthless.

import { type Undone, undoChanges } from '../accounts/undoing.ts';
import type { MailParts } from '../mail/links.ts';
import { UNDOABLE_CHANGE } from '../oauth/lifetimes.ts';
import { randomSecret } from '../oauth/secrets.ts';
import { changeEmail, findMailbox } from '../store/credentials.ts';
import type { Queryable } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import { revokeGrantsOfSession } from '../store/grants.ts';
import {
  findToken,
  forgetLaterNotices,
  forgetTokens,
  hasAddressNotice,
  holdNotices,
  type LiveToken,
  useToken,
} from '../store/one-time-tokens.ts';
import { removePasskeysAdded } from '../store/passkeys.ts';
import { forgetDisownedCodes, removeDisownedApp } from '../store/second-factors.ts';
import { type Disowned, holdAllChanges, listDisowned } from '../store/session-changes.ts';
import { endDisownedSessions, endSessionsOfUser } from '../store/sessions.ts';
import { apiOffers, applicationOffers } from '../store/transfer-offers.ts';
import { forgetBrowsers, voidPassword } from '../store/users.ts';
import type { PasswordHasher } from './password-hashing.ts';
import { endFactorReset } from './second-factor-reset.ts';
import { isTakeover } from './security-notices.ts';

/**
 * - `session`: one session, those entered since, and what they led to
 * - `everything`: every session and grant, the password with them; a change of address is undone
 */
export type Disowning = 'session' | 'everything';

/** What saying « this was not me » to a mail ends. */
export const disowningOf = ({ detail }: Pick<LiveToken, 'detail'>): Disowning =>
  isTakeover(detail.notice ?? '') || detail.sid === undefined ? 'everything' : 'session';

/** The changes that saying it undoes. */
export const disownedBy = (token: LiveToken): Disowned => ({
  userId: token.userId,
  sid: token.detail.sid,
  since: token.createdAt,
  everything: disowningOf(token) === 'everything',
});

/**
 * Uses up the token of the mail, and ends what it tells of. What is being changed in the account at this moment is
 * waited for, and undone with the rest.
 * @returns what was ended and undone; `dead` when the link is not good any more, `taken` when the former address
 *   belongs to another account by now: nothing has changed then
 */
export async function disown(
  { database, hasher }: Pick<MailParts, 'database'> & { hasher: PasswordHasher },
  hash: Buffer,
  address: string,
  now: Date,
): Promise<{ ended: Disowning; undone: Undone[] } | 'dead' | 'taken'> {
  // Hashing is what everybody who signs in waits for: only a link that is good is worth it.
  if ((await findToken(database, hash, ['not_me'], now)) === undefined) return 'dead';
  // Nobody knows this one: the way back in is the mail of « forgotten password ».
  const unknownPassword = await hasher.hash(randomSecret());
  try {
    return await database.transaction(async (transaction) => {
      await holdNotices(transaction, hash);
      const token = await useToken(transaction, hash, ['not_me'], now);
      if (token === undefined) return 'dead';
      const { userId, detail } = token;
      const ended = disowningOf(token);
      await holdAllChanges(transaction, userId);
      // Begun in that session, perhaps, and still to come true. Somebody may be accepting an offer: this waits for them.
      await forgetTokens(transaction, userId, 'change_email');
      await applicationOffers.cancelAll(transaction, userId);
      await apiOffers.cancelAll(transaction, userId);
      const undone: Undone[] = [];
      // What has been undone is forgotten, which makes room for the next.
      for (;;) {
        const changes = await listDisowned(transaction, disownedBy(token));
        if (changes.length === 0) break;
        undone.push(...(await undoChanges(transaction, { userId, address }, changes, now)));
      }
      await forgetBrowsers(transaction, userId);
      // What the session added longer ago stays, as with every other change: it is the owner's, or they were told of it long ago. The
      // link of a later mail must not take it away (D40).
      const after = new Date(now.getTime() - UNDOABLE_CHANGE * 1000);
      // What an intruder has set up would keep the owner out, or let the intruder in: whoever is coming in by it at this moment
      // is waited for, and then in a session that is ended.
      const added = { sid: detail.sid, after, since: token.createdAt };
      await removeDisownedApp(transaction, userId, added);
      await forgetDisownedCodes(transaction, userId, added);
      await removePasskeysAdded(transaction, userId, added);
      if (ended === 'everything') await endEverything(transaction, token, unknownPassword, now);
      else await endSessions(transaction, token, now);
      if (ended === 'everything') await endFactorReset(transaction, { userId, address }, now);
      await recordEvent(
        transaction,
        { kind: 'change_disowned', userId, address, detail: { notice: detail.notice ?? '', ended } },
        now,
      );
      return { ended, undone };
    });
  } catch (error) {
    if (error instanceof Taken) return 'taken';
    throw error;
  }
}

/**
 * Ends the session, and those that were entered since: whoever is in knows how to come in again, and only the first
 * sign-in of a browser is told of.
 */
async function endSessions(
  transaction: Queryable,
  { userId, createdAt, detail: { sid } }: LiveToken,
  now: Date,
): Promise<void> {
  if (sid === undefined) return;
  const ended = await endDisownedSessions(transaction, { userId, sid, since: createdAt }, now);
  for (const one of new Set([sid, ...ended]))
    await revokeGrantsOfSession(transaction, { userId, sid: one }, now);
}

class Taken extends Error {}

async function endEverything(
  transaction: Queryable,
  { userId, email, createdAt, detail }: LiveToken,
  unknownPassword: string,
  now: Date,
): Promise<void> {
  await endSessionsOfUser(transaction, userId, now);
  await voidPassword(transaction, userId, unknownPassword);
  // Whichever of the mails to this mailbox is answered, the address goes back to it if one of them says so: asked before
  // the later ones are forgotten.
  const restores =
    detail.notice?.startsWith('email_change') === true ||
    (await hasAddressNotice(transaction, userId, email, now));
  // The former owner's word stands against all that came after it, the links in later mails included.
  await forgetLaterNotices(transaction, userId, createdAt);
  if (!restores) return;
  const present = await findMailbox(transaction, userId);
  if (present?.email !== email && !(await changeEmail(transaction, userId, email, now))) throw new Taken();
}
