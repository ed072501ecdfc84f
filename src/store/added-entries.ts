// When redirect URIs and keys were added to a client or an API, so that a report of unauthorized activity can remove them.

/**
 * Records the entries of a list that were not in it before, as part of the statement that changes the list.
 * @param holder the client_id or api_id
 * @param before a set of rows with the column `entry`: the list as it is
 * @param after the same: the list as it will be
 */
export const recordingAdded = ({
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
    select ${holder}::text, one.entry, ${now}::timestamptz
    from (${after} except ${before}) one
    on conflict (holder, entry) do update set added_at = excluded.added_at`;

/** The entries of a `text[]`, as rows. */
export const urisOf = (list: string, from = ''): string => `select unnest(${list}) as entry ${from}`;

/** The keys of a JWK Set in jsonb, as rows. */
export const keysOf = (jwks: string, from = ''): string =>
  `select jsonb_array_elements(${jwks} -> 'keys')::text as entry ${from}`;

/**
 * The condition that an entry was added since a time: after registration, or with it.
 * @param of the holder: its id and when it was created
 */
export const addedSince = (of: { id: string; createdAt: string }, entry: string, since: string): string =>
  `(${of.createdAt} >= ${since}::timestamptz or exists (select from added_entries e
    where e.holder = ${of.id} and e.entry = ${entry} and e.added_at >= ${since}::timestamptz))`;
