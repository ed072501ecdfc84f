// The secrets of an application as its owner sees them. Every statement names the owner: what is somebody else's is not there.
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** A secret that authenticates, by what its owner can tell it from the others. */
export interface OwnSecret {
  number: number;
  /** Its last four characters; null where it was given before they were kept. */
  ending: string | null;
  createdAt: Date;
  /** When it ends; null while nothing says so. */
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

const LIST_SECRETS = statement(
  'list_own_secrets',
  `select s.number, s.ending, s.created_at as "createdAt", s.expires_at as "expiresAt",
    s.last_used_at as "lastUsedAt"
  from client_secrets s join clients c on c.client_id = s.client_id
  where c.owner_id = $1::uuid and c.client_id = $2::text
    and (s.expires_at is null or s.expires_at > $3::timestamptz)
  order by s.number desc, s.created_at desc`,
);

/** The live secrets of an application, latest first. */
export const listOwnSecrets = (
  database: Queryable,
  ownerId: string,
  clientId: string,
  now: Date,
): Promise<OwnSecret[]> => database.query(LIST_SECRETS, [ownerId, clientId, now]);

const LIST_ENDING = statement(
  'list_ending_secrets',
  `select c.client_id as "clientId", c.name, max(s.expires_at) as "endsAt"
  from clients c join client_secrets s on s.client_id = c.client_id
    and (s.expires_at is null or s.expires_at > $2::timestamptz)
  where c.owner_id = $1::uuid
  group by c.client_id, c.name
  having max(coalesce(s.expires_at, 'infinity')) < $3::timestamptz
  order by 3, 1`,
);

/** The applications of an account whose last secret ends before a moment, the first to end first. */
export const listEndingSecrets = (
  database: Queryable,
  ownerId: string,
  { now, before }: { now: Date; before: Date },
): Promise<{ clientId: string; name: string; endsAt: Date }[]> =>
  database.query(LIST_ENDING, [ownerId, now, before]);

const END_SECRET = statement(
  'end_own_secret',
  `update client_secrets s set expires_at = $4::timestamptz from clients c
  where c.client_id = s.client_id and c.owner_id = $1::uuid and c.client_id = $2::text and s.number = $3::int
    and (s.expires_at is null or s.expires_at > $4::timestamptz)
  returning s.number`,
);

/** Ends a live secret at once. False when there is none of this number. */
export async function endOwnSecret(
  database: Queryable,
  ownerId: string,
  clientId: string,
  number: number,
  now: Date,
): Promise<boolean> {
  return (await database.query(END_SECRET, [ownerId, clientId, number, now])).length > 0;
}

const FIND_NEW_SECRET = statement(
  'find_new_secret',
  `select s.number from client_secrets s join clients c on c.client_id = s.client_id
  where c.owner_id = $1::uuid and c.client_id = $2::text and s.secret_hash = $3::bytea
    and s.created_at > $4::timestamptz and (s.expires_at is null or s.expires_at > $5::timestamptz)
    and not exists (select from used_forms f where f.key = $6::bytea)`,
);

/**
 * The number of a live secret that was made after a moment and that nobody has said to have copied yet.
 * @param copied the key of the form that says so
 */
export async function findNewSecret(
  database: Queryable,
  ownerId: string,
  clientId: string,
  secret: { hash: Buffer; since: Date; copied: Buffer },
  now: Date,
): Promise<number | undefined> {
  const values = [ownerId, clientId, secret.hash, secret.since, now, secret.copied];
  const [row] = await database.query<{ number: number }>(FIND_NEW_SECRET, values);
  return row?.number;
}
