// APIs as whoever may watch them reads them: their owner, and every operator.
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** As the pages show it that both may see. */
export interface WatchedApi {
  apiId: string;
  identifier: string;
  name: string;
  /** Whether it belongs to whoever looks. */
  own: boolean;
}

const FIND = statement(
  'find_watched_api',
  `select a.api_id as "apiId", a.identifier, a.name, a.owner_id = $2::uuid as own from apis a
  where a.api_id = $1::text
    and (a.owner_id = $2::uuid or exists (select from users u where u.id = $2::uuid and u.operator))`,
);

/** The API, if it is the person's own or the person is an operator. */
export async function findWatchedApi(
  database: Queryable,
  apiId: string,
  userId: string,
): Promise<WatchedApi | undefined> {
  const [row] = await database.query<WatchedApi>(FIND, [apiId, userId]);
  return row;
}
