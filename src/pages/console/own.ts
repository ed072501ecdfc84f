// What the console's pages of applications share: the application that a URL names, and who acts.
import type { FastifyRequest } from 'fastify';
import type { Owner } from '../../applications/owner.ts';
import type { Config } from '../../config.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import type { Messages } from '../../i18n/index.ts';
import { notFound } from '../../oauth/errors.ts';
import { isClientIdShaped } from '../../oauth/secrets.ts';
import { findOwnApplication, type OwnApplication } from '../../store/applications.ts';
import type { Fault } from '../../web/faults.ts';
import { wayToOperators } from '../../web/html/house.ts';
import { memberOf } from '../../web/member.ts';

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
