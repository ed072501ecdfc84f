// What the console's pages of applications stand on: whose application an address names, who acts, and who has to verify first.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Owner } from '../../applications/owner.ts';
import type { Config } from '../../config.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { pathOf } from '../../http/route-config.ts';
import { isSafe } from '../../http/safe-methods.ts';
import type { Messages } from '../../i18n/index.ts';
import { mailConfigured } from '../../mail/mailer.ts';
import { notFound } from '../../oauth/errors.ts';
import { isClientIdShaped } from '../../oauth/secrets.ts';
import { findOwnApplication, type OwnApplication } from '../../store/applications.ts';
import type { Fault } from '../../web/faults.ts';
import { wayToOperators } from '../../web/html/house.ts';
import type { Html } from '../../web/html/html.ts';
import { memberOf } from '../../web/member.ts';
import { way } from './parts-view.ts';
import { type VerifyFirstWords, verifyFirstView } from './verify-first-view.ts';

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

/** What such an answer says, and the way back from it. */
type VerifyFirst = { words: (messages: Messages) => VerifyFirstWords; way: (messages: Messages) => Html };

/**
 * What whoever cannot be reached by mail is answered, where there is mail: they get no application, neither a new one nor
 * somebody else's. Undefined for everybody else.
 */
export function askToVerify(
  request: FastifyRequest,
  reply: FastifyReply,
  config: Config,
  { words, way: wayBack }: VerifyFirst = { words: ({ applications }) => applications.create, way },
): (() => FastifyReply) | undefined {
  const member = memberOf(request);
  if (!mailConfigured(config) || member.emailVerified) return undefined;
  return () =>
    reply.page({
      status: isSafe(request) ? 200 : 403,
      title: (messages) => words(messages).verifyEmail,
      main: (messages) =>
        verifyFirstView(wayBack(messages), words(messages), { email: member.email, next: pathOf(request) }),
    });
}

/** That an account has as many applications as it may, and whom to ask for more. */
export function tooManyApplications(config: Config): { faults: Fault[] } {
  const link = wayToOperators(config);
  const text = ({ applications }: Messages) => applications.list.full(config.applicationsPerAccount);
  return { faults: [{ text, ...(link && { link }) }] };
}

/** The same where it has secrets. @throws OAuthError `not_found` for a public application, too */
export async function confidentialApplication(
  request: FastifyRequest,
  parts: Parts,
): Promise<OwnApplication> {
  const application = await ownApplication(request, parts);
  if (application.type !== 'confidential') throw notFound();
  return application;
}
