// Describes applications and APIs for the console pages that both have, such as /secrets.
import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import type { Services } from '../../http/services.ts';
import { notFound } from '../../oauth/errors.ts';
import { isWellFormedApiId, isWellFormedClientId } from '../../oauth/secrets.ts';
import type { Owner } from '../../ownership/owner.ts';
import { findOwnedApi, type OwnedApi } from '../../store/owned-apis.ts';
import { findOwnedClient, type OwnedClient } from '../../store/owned-clients.ts';
import type { ResourceKind } from '../../store/owned-resources.ts';
import { requestContext } from '../../web/browser.ts';
import type { ValidationError } from '../../web/form-errors.ts';
import { supportLink } from '../../web/html/branding.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { APIS_URL, APPLICATIONS_URL } from './layout.ts';

export interface ConsoleSection {
  kind: ResourceKind;
  listUrl: string;
  path: string;
  /** @throws OAuthError `not_found` if the id in the URL is malformed */
  idOf: (request: FastifyRequest) => string;
  /** @throws OAuthError `not_found` if the user isn't the owner */
  find: (request: FastifyRequest, services: Services) => Promise<OwnedClient | OwnedApi>;
}

export function clientIdOf(request: FastifyRequest): string {
  const { client_id: clientId = '' } = request.params as { client_id?: string };
  if (!isWellFormedClientId(clientId)) throw notFound();
  return clientId;
}

export function apiIdOf(request: FastifyRequest): string {
  const { api_id: apiId = '' } = request.params as { api_id?: string };
  if (!isWellFormedApiId(apiId)) throw notFound();
  return apiId;
}

/** @throws OAuthError `not_found` if the user isn't the owner */
export async function requireOwnedClient(
  request: FastifyRequest,
  { database }: Services,
): Promise<OwnedClient> {
  const application = await findOwnedClient(database, signedInUser(request).userId, clientIdOf(request));
  if (application === undefined) throw notFound();
  return application;
}

/** @throws OAuthError `not_found` if the user isn't the owner */
export async function requireOwnedApi(request: FastifyRequest, { database }: Services): Promise<OwnedApi> {
  const api = await findOwnedApi(database, signedInUser(request).userId, apiIdOf(request));
  if (api === undefined) throw notFound();
  return api;
}

export const APPLICATION_SECTION: ConsoleSection = {
  kind: 'application',
  listUrl: APPLICATIONS_URL,
  path: `${APPLICATIONS_URL}/:client_id`,
  idOf: clientIdOf,
  find: requireOwnedClient,
};

export const API_SECTION: ConsoleSection = {
  kind: 'api',
  listUrl: APIS_URL,
  path: `${APIS_URL}/:api_id`,
  idOf: apiIdOf,
  find: requireOwnedApi,
};

export function quotaError({ kind }: ConsoleSection, config: Config): { errors: ValidationError[] } {
  const link = supportLink(config);
  const text: ValidationError['text'] = ({ apis, applications }) =>
    (kind === 'api' ? apis : applications).list.full(config.registrationsPerAccount);
  return { errors: [{ text, ...(link && { link }) }] };
}

export function ownerOf(request: FastifyRequest): Owner {
  const { userId, sid, startedAt: since } = signedInUser(request);
  return { userId, sid, since, ...requestContext(request) };
}

/** @throws OAuthError `not_found` if the application is public or the user isn't the owner */
export async function requireConfidentialClient(
  request: FastifyRequest,
  services: Services,
): Promise<OwnedClient> {
  const application = await requireOwnedClient(request, services);
  if (application.type !== 'confidential') throw notFound();
  return application;
}
