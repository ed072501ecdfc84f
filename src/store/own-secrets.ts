// The secrets of an application or an API: giving one; as its owner sees them, in statements that name the owner, since what is
// somebody else's is not there; and when those before end for a new secret, or for a new owner.
import { clientSecretHash } from '../oauth/digests.ts';
import { endingOf } from '../oauth/secrets.ts';
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

/** A new secret that may still be shown: made after a moment, and said by nobody to be copied. */
interface NewSecret {
  hash: Buffer;
  since: Date;
  /** The key of the form that says so. */
  copied: Buffer;
}

export type OwnSecrets = ReturnType<typeof secretsIn>;

/** @param holders the table of applications, or that of APIs: who has secrets, and by what */
function secretsIn({
  holders,
  secrets,
  id,
}: {
  holders: 'clients' | 'apis';
  secrets: 'client_secrets' | 'api_secrets';
  id: 'client_id' | 'api_id';
}) {
  const LIST = statement(
    `list_own_${secrets}`,
    `select s.number, s.ending, s.created_at as "createdAt", s.expires_at as "expiresAt",
      s.last_used_at as "lastUsedAt"
    from ${secrets} s join ${holders} c on c.${id} = s.${id}
    where c.owner_id = $1::uuid and c.${id} = $2::text
      and (s.expires_at is null or s.expires_at > $3::timestamptz)
    order by s.number desc, s.created_at desc`,
  );
  const END = statement(
    `end_one_of_own_${secrets}`,
    `update ${secrets} s set expires_at = $4::timestamptz from ${holders} c
    where c.${id} = s.${id} and c.owner_id = $1::uuid and c.${id} = $2::text and s.number = $3::int
      and (s.expires_at is null or s.expires_at > $4::timestamptz)
    returning s.number`,
  );
  const FIND_NEW = statement(
    `find_new_one_of_own_${secrets}`,
    `select s.number from ${secrets} s join ${holders} c on c.${id} = s.${id}
    where c.owner_id = $1::uuid and c.${id} = $2::text and s.secret_hash = $3::bytea
      and s.created_at > $4::timestamptz and (s.expires_at is null or s.expires_at > $5::timestamptz)
      and not exists (select from used_forms f where f.key = $6::bytea)`,
  );
  const EXPIRE_FORMER = statement(
    `expire_former_${secrets}`,
    `update ${secrets} s set expires_at = least(s.expires_at, case when s.number = (
        select max(l.number) from ${secrets} l
        where l.${id} = $1::text and l.number < $2::int
          and (l.expires_at is null or l.expires_at > $4::timestamptz))
      then $3::timestamptz else $4::timestamptz end)
    where s.${id} = $1::text and s.number < $2::int
      and (s.expires_at is null or s.expires_at > $4::timestamptz)`,
  );
  const LIST_ENDING = statement(
    `list_ending_${secrets}`,
    `select c.${id} as id, c.name, max(s.expires_at) as "endsAt"
    from ${holders} c join ${secrets} s on s.${id} = c.${id}
      and (s.expires_at is null or s.expires_at > $2::timestamptz)
    where c.owner_id = $1::uuid
    group by c.${id}, c.name
    having max(coalesce(s.expires_at, 'infinity')) < $3::timestamptz
    order by 3, 1`,
  );
  const LIST_IN_FORCE = statement(
    `list_${secrets}_in_force`,
    `select s.number, s.ending, s.created_at as "createdAt", s.expires_at as "expiresAt" from ${secrets} s
    where s.${id} = $1::text and (s.expires_at is null or s.expires_at > $2::timestamptz)
    order by s.number desc, s.created_at desc`,
  );
  const END_ALL = statement(
    `end_${secrets}`,
    `update ${secrets} s set expires_at = least(s.expires_at, $2::timestamptz)
    where s.${id} = $1::text and (s.expires_at is null or s.expires_at > $2::timestamptz)`,
  );
  const INSERT = statement(
    `insert_one_of_${secrets}`,
    `with holder as (
      update ${holders} set secrets_given = secrets_given + 1 where ${id} = $1::text returning ${id}, secrets_given
    )
    insert into ${secrets} (${id}, secret_hash, created_at, number, ending)
    select h.${id}, $2::bytea, $3::timestamptz, h.secrets_given, $4::text from holder h returning number`,
  );
  return {
    /** Gives an application or API one more secret. @returns its number: the first is 1, none comes again */
    async insert(database: Queryable, holder: string, secret: string, now: Date): Promise<number> {
      const values = [holder, clientSecretHash(secret), now, endingOf(secret)];
      const [row] = await database.query<{ number: number }>(INSERT, values);
      if (row === undefined) throw new Error(`${holder} is not there to be given a secret`);
      return row.number;
    },

    /** Those of an account whose last secret ends before a moment, the first to end first. */
    listEnding: (
      database: Queryable,
      ownerId: string,
      { now, before }: { now: Date; before: Date },
    ): Promise<{ id: string; name: string; endsAt: Date }[]> =>
      database.query(LIST_ENDING, [ownerId, now, before]),

    /** The live secrets of an application or API, latest first. */
    list: (database: Queryable, ownerId: string, holder: string, now: Date): Promise<OwnSecret[]> =>
      database.query(LIST, [ownerId, holder, now]),

    /** Ends a live secret at once. False when there is none of this number. */
    end: async (
      database: Queryable,
      ownerId: string,
      holder: string,
      number: number,
      now: Date,
    ): Promise<boolean> => (await database.query(END, [ownerId, holder, number, now])).length > 0,

    /** The number of a live secret that may still be shown. */
    async findNew(
      database: Queryable,
      ownerId: string,
      holder: string,
      { hash, since, copied }: NewSecret,
      now: Date,
    ): Promise<number | undefined> {
      const values = [ownerId, holder, hash, since, now, copied];
      const [row] = await database.query<{ number: number }>(FIND_NEW, values);
      return row?.number;
    },

    /**
     * Makes room for a secret that was just given: of those before it the latest that lives goes on until the given time,
     * unless it ends earlier, and the others end now. So two live at most.
     */
    async expireFormer(
      database: Queryable,
      holder: string,
      number: number,
      until: Date,
      now: Date,
    ): Promise<void> {
      await database.query(EXPIRE_FORMER, [holder, number, until, now]);
    },

    /** Those that a new owner would get, latest first. */
    listInForce: (database: Queryable, holder: string, now: Date): Promise<Omit<OwnSecret, 'lastUsedAt'>[]> =>
      database.query(LIST_IN_FORCE, [holder, now]),

    /** Every secret that there is ends at a time, unless it ends before. */
    async endAllAt(database: Queryable, holder: string, until: Date): Promise<void> {
      await database.query(END_ALL, [holder, until]);
    },
  };
}

export const ownSecrets = secretsIn({ holders: 'clients', secrets: 'client_secrets', id: 'client_id' });
export const ownApiSecrets = secretsIn({ holders: 'apis', secrets: 'api_secrets', id: 'api_id' });
