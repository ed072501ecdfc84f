// Clients and APIs as their pages of diagnostics and activity show them: to their owner, and to every administrator.
import type { ClientType } from '../oauth/redirect-uri.ts';
import { findOne } from './query.ts';

/** The columns that both have, and the condition: `$1` is the id, `$2` the user. */
const OWN = 'o.name, o.owner_id = $2::uuid as own';
const WATCHED = `(o.owner_id = $2::uuid or exists (select from users u where u.id = $2::uuid and u.operator))`;

export interface WatchedApplication {
  clientId: string;
  name: string;
  type: ClientType;
  redirectUris: string[];
  scopes: string[];
  standard: boolean;
  createdAt: Date;
  /** Whether it is the user's own. */
  own: boolean;
}

/** The application, if the user owns it or is an administrator. */
export const findWatchedApplication = findOne<WatchedApplication, [clientId: string, userId: string]>(
  'find_watched_application',
  `select o.client_id as "clientId", o.type, o.redirect_uris as "redirectUris", o.scopes, o.standard,
    o.created_at as "createdAt", ${OWN}
  from clients o where o.client_id = $1::text and ${WATCHED}`,
);

export interface WatchedApi {
  apiId: string;
  identifier: string;
  name: string;
  own: boolean;
}

/** The API, if the user owns it or is an administrator. */
export const findWatchedApi = findOne<WatchedApi, [apiId: string, userId: string]>(
  'find_watched_api',
  `select o.api_id as "apiId", o.identifier, ${OWN} from apis o where o.api_id = $1::text and ${WATCHED}`,
);
