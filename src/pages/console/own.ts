// What the console's pages of applications stand on: whose application an address names, faults, and the confirmation.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Owner } from '../../applications/owner.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { mailConfigured } from '../../mail/mailer.ts';
import { notFound } from '../../oauth/errors.ts';
import { isClientIdShaped } from '../../oauth/secrets.ts';
import { findOwnApplication, type OwnApplication } from '../../store/applications.ts';
import type { Fault } from '../../web/faults.ts';
import { confirmation, isRecent, memberOf } from '../../web/member.ts';
import { type Page, sendPage } from '../../web/page.ts';
import { verifyFirstView } from './register-view.ts';

/** The route's parameter. @throws OAuthError `not_found` when no application can have it */
export function clientIdOf(request: FastifyRequest): string {
  const { client_id: clientId = '' } = request.params as { client_id?: string };
  if (!isClientIdShaped(clientId)) throw notFound();
  return clientId;
}

/** The application that the address names. @throws OAuthError `not_found` when it is not the person's own */
export async function ownApplication(request: FastifyRequest, { database }: Parts): Promise<OwnApplication> {
  const application = await findOwnApplication(database, memberOf(request).userId, clientIdOf(request));
  if (application === undefined) throw notFound();
  return application;
}

/** Who acts, for the audit log. */
export const ownerOf = (request: FastifyRequest): Owner => ({
  userId: memberOf(request).userId,
  sid: memberOf(request).sid,
  address: addressOf(request),
});

/** What is missing for a change that needs a recent sign-in; nothing when the person has just proved who they are. */
export async function confirmationFaults(request: FastifyRequest, parts: Parts): Promise<Fault[]> {
  const confirmed = await confirmation(request, parts);
  if (confirmed === 'confirmed') return [];
  return [{ field: 'current_password', text: ({ applications }) => applications.problems[confirmed] }];
}

/** Whoever cannot be reached by mail gets no application, where there is mail: neither a new one nor somebody else's. */
export const mustVerify = (request: FastifyRequest, { config }: Parts): boolean =>
  mailConfigured(config) && !memberOf(request).emailVerified;

export function askToVerify(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  status: number,
): FastifyReply {
  const member = memberOf(request);
  return sendPage(request, reply, parts, {
    status,
    title: (messages) => messages.applications.create.verifyEmail,
    account: member,
    wide: true,
    main: (messages) => verifyFirstView(messages, member.email),
  });
}

/** What the pages that ask before something is done have in common. */
export const asking = (
  request: FastifyRequest,
  faults: readonly Fault[],
): Pick<Page, 'status' | 'account' | 'wide' | 'hasErrors'> => ({
  status: faults.length > 0 ? 400 : 200,
  account: memberOf(request),
  wide: true,
  hasErrors: faults.length > 0,
});

/** What their views have in common. */
export function asked(request: FastifyRequest, { now }: Parts): { csrf: string; recent: boolean } {
  const member = memberOf(request);
  return { csrf: member.csrf, recent: isRecent(member, now()) };
}
