// Links accounts to identities from identity providers, and unlinks them.
import { type Notification, notifyInTransaction } from '../accounts/notifications.ts';
import type { MailServices } from '../mail/links.ts';
import { type ExternalProfile, getIdentityLabel } from '../oauth/identity-provider.ts';
import { recordOwnEvent } from '../store/audit-log.ts';
import type { Queryable } from '../store/database.ts';
import {
  isLinkedTo,
  type LinkedIdentity,
  linkIdentity,
  unlinkIdentityOfUser,
} from '../store/external-identities.ts';
import { lockProvider } from '../store/identity-providers.ts';
import { lockAccountChanges, lockSession } from '../store/session-locks.ts';
import { endSessions } from '../store/sessions.ts';
import type { Actor } from './mfa-setup.ts';

export const describeIdentity = (providerName: string, label: string): string => `${providerName} (${label})`;

export type LinkOutcome = 'linked' | 'repeated' | 'taken' | 'disabled' | 'ended';

/** @returns `repeated` if the identity is already linked to this account, `taken` if it is linked to another account */
export async function linkOwnIdentity(
  services: MailServices,
  { userId, sid, ip, ...sessionContext }: Omit<Actor, 'idHash'>,
  profile: ExternalProfile,
  now: Date,
): Promise<LinkOutcome> {
  const outcome = await services.database.transaction(async (transaction): Promise<LinkOutcome> => {
    if (!(await lockSession(transaction, { userId, sid }, now))) return 'ended';
    const provider = await lockProvider(transaction, profile.providerId);
    if (provider === undefined || provider.disabledAt !== null) return 'disabled';
    const { issuer, subject, providerId } = profile;
    const label = getIdentityLabel(profile);
    if (!(await linkIdentity(transaction, userId, { issuer, subject, providerId, label }, now)))
      return (await isLinkedTo(transaction, userId, profile)) ? 'repeated' : 'taken';
    const detail = { name: describeIdentity(provider.name, label) };
    await recordOwnEvent(transaction, { kind: 'identity_linked', userId, ip, detail }, now);
    const alert = {
      kind: 'identity_linked',
      account: userId,
      ip,
      ...sessionContext,
      subject: provider.name,
    } as const satisfies Notification;
    await notifyInTransaction(services, transaction, alert, now);
    return 'linked';
  });
  services.mailer.wake();
  return outcome;
}

/**
 * Unlinks an identity and ends all other sessions that were started through an identity provider. Sessions don't record
 * which identity was used.
 * @returns `needed` if an account without a password would have fewer than two sign-in methods. The caller must then
 *   roll back.
 */
export async function removeOwnIdentity(
  transaction: Queryable,
  { userId, sid, idHash, ip }: Actor,
  identity: Pick<LinkedIdentity, 'issuer' | 'subject' | 'label' | 'providerName'>,
  now: Date,
): Promise<'unlinked' | 'notFound' | 'needed'> {
  await lockAccountChanges(transaction, userId);
  if (!(await lockSession(transaction, { userId, sid }, now))) return 'notFound';
  const outcome = await unlinkIdentityOfUser(transaction, userId, identity);
  if (outcome !== 'unlinked') return outcome;
  const sessions = await endSessions(transaction, userId, now, { exceptIdHash: idHash, identityOnly: true });
  const detail = { name: describeIdentity(identity.providerName, identity.label) };
  await recordOwnEvent(transaction, { kind: 'identity_unlinked', userId, ip, detail }, now);
  if (sessions > 0)
    await recordOwnEvent(transaction, { kind: 'sessions_ended', userId, ip, detail: { sessions } }, now);
  return outcome;
}
