// Applications as whoever may watch them reads them: their owner, and every operator.

import type { ClientType } from '../oauth/redirect-uri.ts';
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** As its pages of diagnostics and activity show it. */
export interface WatchedApplication {
  clientId: string;
  name: string;
  type: ClientType;
  redirectUris: string[];
  scopes: string[];
  standard: boolean;
  createdAt: Date;
  /** Whether it belongs to whoever looks. */
  own: boolean;
}

const FIND = statement(
  'find_watched_application',
  `select c.client_id as "clientId", c.name, c.type, c.redirect_uris as "redirectUris", c.scopes, c.standard,
    c.created_at as "createdAt", c.owner_id = $2::uuid as own
  from clients c
  where c.client_id = $1::text
    and (c.owner_id = $2::uuid or exists (select from users u where u.id = $2::uuid and u.operator))`,
);

/** The application, if it is the person's own or the person is an operator. */
export async function findWatchedApplication(
  database: Queryable,
  clientId: string,
  userId: string,
): Promise<WatchedApplication | undefined> {
  const [row] = await database.query<WatchedApplication>(FIND, [clientId, userId]);
  return row;
}
