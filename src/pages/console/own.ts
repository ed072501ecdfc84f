// What the console's pages of applications stand on: whose application an address names, who acts, and who has to verify first.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Owner } from '../../applications/owner.ts';
import type { Config } from '../../config.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { isSafe } from '../../http/safe-methods.ts';
import type { Messages } from '../../i18n/index.ts';
import { mailConfigured } from '../../mail/mailer.ts';
import { notFound } from '../../oauth/errors.ts';
import { isClientIdShaped } from '../../oauth/secrets.ts';
import { findOwnApplication, type OwnApplication } from '../../store/applications.ts';
import { copyScriptPath } from '../../web/html/asset-paths.ts';
import { memberOf } from '../../web/member.ts';
import { type SecretView, secretView } from './secret-view.ts';
import { verifyFirstView } from './verify-first-view.ts';

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

/**
 * What whoever cannot be reached by mail is answered, where there is mail: they get no application, neither a new one nor
 * somebody else's. Undefined for everybody else.
 */
export function askToVerify(
  request: FastifyRequest,
  reply: FastifyReply,
  config: Config,
): (() => FastifyReply) | undefined {
  const member = memberOf(request);
  if (!mailConfigured(config) || member.emailVerified) return undefined;
  return () =>
    reply.page({
      status: isSafe(request) ? 200 : 403,
      title: (messages) => messages.applications.create.verifyEmail,
      main: (messages) => verifyFirstView(messages, member.email),
    });
}

/**
 * The answer to the form that made a secret, which nothing else ever shows (contract §1.3).
 * @param shown `clientSecret` is undefined for a public application; `title` chooses its words
 */
export const showSecret =
  (
    reply: FastifyReply,
    shown: Pick<SecretView, 'application' | 'clientSecret'> & { title: 'title' | 'rotatedTitle' },
  ) =>
  (): FastifyReply => {
    const title = ({ applications }: Messages) => applications.created[shown.title](shown.application.name);
    return reply.page({
      title,
      scripts: [copyScriptPath],
      main: (messages) => secretView({ ...shown, messages, title: title(messages) }),
    });
  };
