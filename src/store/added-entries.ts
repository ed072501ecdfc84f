// Records added redirect URIs and keys so that recent additions can be removed.

/**
 * SQL for a CTE that records added entries. Must be part of the statement that changes the list.
 * @param holder a client_id or api_id
 * @param before query for the current entries, in a column `entry`
 * @param after query for the new entries, in a column `entry`
 */
export const recordAddedEntriesSql = ({
  holder,
  before,
  after,
  now,
}: {
  holder: string;
  before: string;
  after: string;
  now: string;
}): string =>
  `insert into added_entries (holder, entry, added_at)
    select ${holder}::text, added.entry, ${now}::timestamptz
    from (${after} except ${before}) added
    on conflict (holder, entry) do update set added_at = excluded.added_at`;

export const selectUriEntriesSql = (list: string, from = ''): string =>
  `select unnest(${list}) as entry ${from}`;

export const selectKeyEntriesSql = (jwks: string, from = ''): string =>
  `select jsonb_array_elements(${jwks} -> 'keys')::text as entry ${from}`;

export const wasEntryAddedSinceSql = (
  resource: { id: string; createdAt: string },
  entry: string,
  since: string,
): string =>
  `(${resource.createdAt} >= ${since}::timestamptz or exists (select from added_entries e
    where e.holder = ${resource.id} and e.entry = ${entry} and e.added_at >= ${since}::timestamptz))`;
