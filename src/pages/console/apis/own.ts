// What the console's pages of APIs stand on: whose API an address names, and what is answered in place of a form.
import type { FastifyRequest } from 'fastify';
import type { ApiFault } from '../../../apis/settings-fields.ts';
import type { Config } from '../../../config.ts';
import type { Parts } from '../../../http/parts.ts';
import type { Messages } from '../../../i18n/index.ts';
import { spellingOf } from '../../../oauth/api-identifier.ts';
import { notFound } from '../../../oauth/errors.ts';
import { isApiIdShaped } from '../../../oauth/secrets.ts';
import { findOwnApi, type OwnApi } from '../../../store/own-apis.ts';
import type { Fault } from '../../../web/faults.ts';
import { wayToOperators } from '../../../web/html/house.ts';
import { memberOf } from '../../../web/member.ts';

/** The route's parameter. @throws OAuthError `not_found` when no API can have it */
export function apiIdOf(request: FastifyRequest): string {
  const { api_id: apiId = '' } = request.params as { api_id?: string };
  if (!isApiIdShaped(apiId)) throw notFound();
  return apiId;
}

/** The API that the address names. @throws OAuthError `not_found` when it is not the person's own */
export async function ownApi(request: FastifyRequest, { database }: Parts): Promise<OwnApi> {
  const api = await findOwnApi(database, memberOf(request).userId, apiIdOf(request));
  if (api === undefined) throw notFound();
  return api;
}

/** That an account has as many APIs as it may, and whom to ask for more. */
export function tooManyApis(config: Config): { faults: Fault[] } {
  const link = wayToOperators(config);
  const text = ({ apis }: Messages) => apis.list.full(config.apisPerAccount);
  return { faults: [{ text, ...(link && { link }) }] };
}

/** What is wrong with the fields of an API, in words. @param identifier as it was typed */
export const faultsInWords = (
  faults: readonly ApiFault[],
  { production }: Config,
  identifier = '',
): Fault[] =>
  faults.map(({ field, fault }) => ({
    field,
    text({ apis }) {
      if (fault === 'identifierNotHttps' && !production) return apis.notHttpsHere;
      if (fault === 'identifierSpelling') return `${apis.faults[fault]} ${spellingOf(identifier)}`;
      return apis.faults[fault];
    },
  }));
