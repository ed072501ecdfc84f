// Signs users up through an identity provider (ADR 24).
import { encodePicture } from '../accounts/pictures.ts';
import { saveUserPicture } from '../accounts/profile.ts';
import { maySendIdentitySignUpTo } from '../accounts/rate-limits.ts';
import type { Config } from '../config.ts';
import type { EmailComposer } from '../mail/delivery.ts';
import type { MailServices } from '../mail/links.ts';
import type { DeferredIdentitySignUpEmail } from '../mail/outbox-content.ts';
import type { ExternalProfile, IdentityProvider } from '../oauth/identity-provider.ts';
import { type ReleasedSlotProof, sendGuardedRequest } from '../outgoing/guarded-request.ts';
import { hasTrustedDomain } from '../providers/profile.ts';
import type { Database } from '../store/database.ts';
import { emailKey } from '../store/emails.ts';
import { findUserByEmail } from '../store/users.ts';

/** Whether the email address counts as verified without an emailed link. */
export const hasVerifiedEmail = (
  { trustedEmailDomains }: IdentityProvider,
  profile: ExternalProfile,
  email: string,
): boolean =>
  profile.emailVerified &&
  profile.email !== undefined &&
  emailKey(profile.email) === emailKey(email) &&
  hasTrustedDomain(profile.email, trustedEmailDomains); // trusted domains can change during the sign-up

export async function composeIdentitySignUpEmail(
  services: Pick<MailServices, 'config' | 'database' | 'sealer'>,
  { email, locale, link }: DeferredIdentitySignUpEmail,
  now: Date,
): ReturnType<EmailComposer> {
  const owner = await findUserByEmail(services.database, email);
  if (!(await maySendIdentitySignUpTo(services, email, now))) return undefined;
  if (owner === undefined || !(owner.emailVerified || owner.suspended))
    return async () => ({ kind: 'identity_sign_up', to: { name: '', email }, locale, link });
  const to = { name: owner.emailVerified ? owner.name : '', email: owner.email };
  const signInLink = `${services.config.baseUrl}/signin?next=%2Faccount%2Fsecurity`;
  return async () => ({ kind: 'identity_sign_up_taken', to, locale, link: signInLink });
}

const PICTURE_TIMEOUT = 3_000;
const MAX_PICTURE_BYTES = 2_000_000;

/** @throws OutgoingError if the download fails */
export async function copyPicture(
  { database, config }: { database: Database; config: Pick<Config, 'production'> },
  { userId, ip, url }: { userId: string; ip: string; url: string },
  slotProof: ReleasedSlotProof,
  now: Date,
): Promise<boolean> {
  const limits = { timeout: PICTURE_TIMEOUT, maxBytes: MAX_PICTURE_BYTES, encoding: 'latin1' } as const;
  const { production } = config;
  const policy = { production, allowLoopback: !production };
  const { status, body } = await sendGuardedRequest(url, limits, policy, slotProof);
  const picture = status === 200 ? await encodePicture(Buffer.from(body, 'latin1')) : undefined;
  return picture !== undefined && saveUserPicture(database, { userId, ip }, picture, now);
}
