// Secrets of clients and APIs. Statements for an owner name the owner.
import { clientSecretHash } from '../oauth/digests.ts';
import { endingOf } from '../oauth/secrets.ts';
import type { Queryable } from './database.ts';
import { forKinds, type Kind } from './owned.ts';
import { affects, execute, findAll, findValue } from './query.ts';

/** A live secret, by what its owner can tell it from the others. */
export interface OwnSecret {
  number: number;
  /** Its last four characters. */
  ending: string;
  createdAt: Date;
  /** When it ends; null while nothing says so. */
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

const takeNumber = forKinds(({ kind, table, id }) =>
  findValue<number, [holder: string]>(
    `take_secret_number_of_${kind}`,
    `update ${table} set secrets_given = secrets_given + 1 where ${id} = $1::text returning secrets_given`,
  ),
);
const insert = forKinds(({ kind, id }) =>
  execute<[holder: string, secret: string, number: number, now: Date]>(
    `insert_secret_of_${kind}`,
    `insert into secrets (${id}, secret_hash, created_at, number, ending)
    values ($1::text, $2::bytea, $3::timestamptz, $4::int, $5::text)`,
    (holder, secret, number, now) => [holder, clientSecretHash(secret), now, number, endingOf(secret)],
  ),
);

/** Gives a client or an API one more secret. @returns its number: the first is 1, and numbers are not reused */
export async function insertSecret(
  transaction: Queryable,
  kind: Kind,
  holder: string,
  secret: string,
  now: Date,
): Promise<number> {
  const number = await takeNumber(transaction, kind, holder);
  if (number === undefined) throw new Error(`there is no ${holder} to be given a secret`);
  await insert(transaction, kind, holder, secret, number, now);
  return number;
}

const LIVE = (now: string) => `(s.expires_at is null or s.expires_at > ${now}::timestamptz)`;
const OWN = `s.holder = $2::text and (exists (select from clients c where c.client_id = s.client_id and c.owner_id = $1::uuid)
    or exists (select from apis a where a.api_id = s.api_id and a.owner_id = $1::uuid))`;

export const listSecrets = findAll<OwnSecret, [ownerId: string, holder: string, now: Date]>(
  'list_own_secrets',
  `select s.number, s.ending, s.created_at as "createdAt", s.expires_at as "expiresAt", s.last_used_at as "lastUsedAt"
  from secrets s where ${OWN} and ${LIVE('$3')} order by s.number desc, s.created_at desc`,
);

/** Ends a live secret now. Returns false if there is none of this number. */
export const endOwnSecret = affects<[ownerId: string, holder: string, number: number, now: Date]>(
  'end_own_secret',
  `update secrets s set expires_at = $4::timestamptz where ${OWN} and s.number = $3::int and ${LIVE('$4')}
  returning s.number`,
);

/** Leaves at most one older secret live, the latest, until the given time at most. */
export const expireFormerSecrets = execute<[holder: string, number: number, until: Date, now: Date]>(
  'expire_former_secrets',
  `update secrets s set expires_at = least(s.expires_at, case when s.number = (
      select max(l.number) from secrets l
      where l.holder = $1::text and l.number < $2::int and (l.expires_at is null or l.expires_at > $4::timestamptz))
    then $3::timestamptz else $4::timestamptz end)
  where s.holder = $1::text and s.number < $2::int and ${LIVE('$4')}`,
);

export const endAllSecrets = execute<[holder: string, now: Date]>(
  'end_secrets',
  `update secrets s set expires_at = $2::timestamptz where s.holder = $1::text and ${LIVE('$2')}`,
);

/** The clients and APIs of an account whose last secret ends before a moment, the first to end first. */
export const listEndingSecrets = findAll<
  { kind: Kind; id: string; name: string; endsAt: Date },
  [ownerId: string, times: { now: Date; before: Date }]
>(
  'list_ending_secrets',
  `select case when o.is_api then 'api' else 'application' end as kind, o.id, o.name, max(s.expires_at) as "endsAt"
  from (select client_id as id, name, false as is_api from clients where owner_id = $1::uuid
    union all select api_id, name, true from apis where owner_id = $1::uuid) o
  join secrets s on s.holder = o.id and ${LIVE('$2')}
  group by o.id, o.name, o.is_api
  having max(coalesce(s.expires_at, 'infinity')) < $3::timestamptz
  order by o.is_api, 4, 2`,
  (ownerId, { now, before }) => [ownerId, now, before],
);
