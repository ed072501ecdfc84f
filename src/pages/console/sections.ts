// The two parts of the console, applications and APIs, for pages that are the same in both.
import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { isApiIdShaped, isClientIdShaped } from '../../oauth/secrets.ts';
import type { Owner } from '../../ownership/owner.ts';
import { findOwnApplication, type OwnApplication } from '../../store/applications.ts';
import { findOwnApi, type OwnApi } from '../../store/own-apis.ts';
import type { Kind } from '../../store/owned.ts';
import { fromOf } from '../../web/browser.ts';
import type { Fault } from '../../web/faults.ts';
import { supportLink } from '../../web/html/house.ts';
import { memberOf } from '../../web/member.ts';
import { APIS, APPLICATIONS } from './frame-view.ts';

export interface Section {
  kind: Kind;
  /** The URL of the list. */
  list: string;
  /** The route of one application or API. */
  url: string;
  /** The id in the URL. @throws OAuthError `not_found` if it can't be one */
  idOf: (request: FastifyRequest) => string;
  /** What the URL names. @throws OAuthError `not_found` if it isn't the user's */
  find: (request: FastifyRequest, parts: Parts) => Promise<OwnApplication | OwnApi>;
}

export function clientIdOf(request: FastifyRequest): string {
  const { client_id: clientId = '' } = request.params as { client_id?: string };
  if (!isClientIdShaped(clientId)) throw notFound();
  return clientId;
}

export function apiIdOf(request: FastifyRequest): string {
  const { api_id: apiId = '' } = request.params as { api_id?: string };
  if (!isApiIdShaped(apiId)) throw notFound();
  return apiId;
}

/** The application that the URL names. @throws OAuthError `not_found` if it isn't the user's */
export async function ownApplication(request: FastifyRequest, { database }: Parts): Promise<OwnApplication> {
  const application = await findOwnApplication(database, memberOf(request).userId, clientIdOf(request));
  if (application === undefined) throw notFound();
  return application;
}

/** The API that the URL names. @throws OAuthError `not_found` if it isn't the user's */
export async function ownApi(request: FastifyRequest, { database }: Parts): Promise<OwnApi> {
  const api = await findOwnApi(database, memberOf(request).userId, apiIdOf(request));
  if (api === undefined) throw notFound();
  return api;
}

export const APPLICATION_SECTION: Section = {
  kind: 'application',
  list: APPLICATIONS,
  url: `${APPLICATIONS}/:client_id`,
  idOf: clientIdOf,
  find: ownApplication,
};

export const API_SECTION: Section = {
  kind: 'api',
  list: APIS,
  url: `${APIS}/:api_id`,
  idOf: apiIdOf,
  find: ownApi,
};

/** The error of a quota, with a link to the administrators where there is one. */
export function quotaReached({ kind }: Section, config: Config): { faults: Fault[] } {
  const link = supportLink(config);
  const text: Fault['text'] = ({ apis, applications }) =>
    (kind === 'api' ? apis : applications).list.full(config.registrationsPerAccount);
  return { faults: [{ text, ...(link && { link }) }] };
}

/** Who acts. */
export function ownerOf(request: FastifyRequest): Owner {
  const { userId, sid, startedAt: since } = memberOf(request);
  return { userId, sid, since, ...fromOf(request) };
}

/** An application that has secrets. @throws OAuthError `not_found`, for a public application too */
export async function confidentialApplication(
  request: FastifyRequest,
  parts: Parts,
): Promise<OwnApplication> {
  const application = await ownApplication(request, parts);
  if (application.type !== 'confidential') throw notFound();
  return application;
}
