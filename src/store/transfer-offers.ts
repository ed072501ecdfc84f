// Applications and APIs on offer to another account: nothing changes hands until that account accepts.
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';
import { emailKey } from './users.ts';

/** An offer to be made. */
interface NewOffer {
  ownerId: string;
  email: string;
  now: Date;
  expiresAt: Date;
}

/** Who offers what is on offer to an account. */
interface Offered {
  name: string;
  ownerId: string;
  ownerName: string;
  ownerEmail: string;
  offeredAt: Date;
  expiresAt: Date;
}

/** An application that somebody offers to an account. */
export type ReceivedOffer = Offered & { clientId: string; redirectUris: string[] };

/** An API that somebody offers to an account. */
export type ReceivedApiOffer = Offered & { apiId: string; identifier: string };

/** When an offer stands as far as the account goes that made it: needs the offer as `t` and its owner as `u`. */
const STANDS = 'u.suspended_at is null and t.owner_epoch = u.epoch';

/** @param columns what is offered, beside what is the same of all */
function offersIn<Received extends Offered>({
  offers,
  things,
  id,
  columns,
}: {
  offers: 'transfer_offers' | 'api_transfer_offers';
  things: 'clients' | 'apis';
  id: 'client_id' | 'api_id';
  columns: string;
}) {
  const WITH_OWNER = `${offers} t join ${things} c on c.${id} = t.${id} join users u on u.id = c.owner_id and ${STANDS}`;
  const TO_RECIPIENT = `from ${WITH_OWNER}
    where t.recipient_id = $1::uuid and t.expires_at > $2::timestamptz`;
  const RECEIVED = `select ${columns}, c.name, c.owner_id as "ownerId", u.name as "ownerName",
      u.email as "ownerEmail", t.offered_at as "offeredAt", t.expires_at as "expiresAt"
    ${TO_RECIPIENT}`;

  // What is offered is held: whoever offers it while it changes hands waits, and is its owner no more.
  const OFFER = statement(
    `offer_one_of_${things}`,
    `insert into ${offers} (${id}, email, recipient_id, offered_at, expires_at, owner_epoch)
    select c.${id}, $3::text,
      (select u.id from users u where u.email_key = $4::text and u.suspended_at is null), $5::timestamptz,
      $6::timestamptz, o.epoch
    from ${things} c join users o on o.id = c.owner_id
    where c.owner_id = $1::uuid and c.${id} = $2::text for no key update of c
    on conflict (${id}) do update set email = excluded.email, recipient_id = excluded.recipient_id,
      offered_at = excluded.offered_at, expires_at = excluded.expires_at,
      owner_epoch = excluded.owner_epoch
    returning ${id}`,
  );
  const FIND_OWN = statement(
    `find_own_offer_of_${things}`,
    `select t.email, t.expires_at as "expiresAt" from ${WITH_OWNER}
    where c.owner_id = $1::uuid and c.${id} = $2::text and t.expires_at > $3::timestamptz`,
  );
  const CANCEL = statement(
    `cancel_own_offer_of_${things}`,
    `delete from ${offers} t using ${things} c
    where c.${id} = t.${id} and c.owner_id = $1::uuid and c.${id} = $2::text returning t.${id}`,
  );
  const LIST_RECEIVED = statement(
    `list_received_${offers}`,
    `${RECEIVED} order by t.offered_at desc, c.${id}`,
  );
  const FIND_RECIPIENT = statement(
    `find_recipient_of_${offers}`,
    `select t.recipient_id as "recipientId" from ${WITH_OWNER}
    where t.${id} = $1::text and t.email = $2::text and t.expires_at > $3::timestamptz`,
  );
  const FIND_RECEIVED = statement(`find_received_${offers}`, `${RECEIVED} and c.${id} = $3::text`);
  const TAKE = statement(
    `take_received_${offers}`,
    `delete from ${offers} t using ${things} c join users u on u.id = c.owner_id
    where c.${id} = t.${id} and t.${id} = $2::text and t.recipient_id = $1::uuid
      and t.expires_at > $3::timestamptz and ${STANDS}
    returning c.name, c.owner_id as "ownerId"`,
  );

  return {
    /** How many are on offer to an account: the whole of a select. */
    count: `select count(*)::int ${TO_RECIPIENT}`,

    /**
     * Offers it to whoever has an email, in place of an earlier offer. Whether anybody has it makes no difference to the
     * answer: false only when it is not theirs, or not there.
     */
    async offer(database: Queryable, thing: string, offer: NewOffer): Promise<boolean> {
      const { ownerId, email, now, expiresAt } = offer;
      const values = [ownerId, thing, email, emailKey(email), now, expiresAt];
      return (await database.query(OFFER, values)).length === 1;
    },

    /** To whom it is on offer, for its owner. */
    async findOwn(
      database: Queryable,
      ownerId: string,
      thing: string,
      now: Date,
    ): Promise<{ email: string; expiresAt: Date } | undefined> {
      const [row] = await database.query<{ email: string; expiresAt: Date }>(FIND_OWN, [ownerId, thing, now]);
      return row;
    },

    /** Takes an offer back. False when there was none. */
    cancelOwn: async (database: Queryable, ownerId: string, thing: string): Promise<boolean> =>
      (await database.query(CANCEL, [ownerId, thing])).length === 1,

    /** What is on offer to an account. */
    listReceived: (database: Queryable, recipientId: string, now: Date): Promise<Received[]> =>
      database.query<Received>(LIST_RECEIVED, [recipientId, now]),

    /** Whom it is on offer to at an email, as it was typed; undefined when it is not, or nobody has that. */
    async findRecipient(
      database: Queryable,
      thing: string,
      email: string,
      now: Date,
    ): Promise<string | undefined> {
      const values = [thing, email, now];
      const [row] = await database.query<{ recipientId: string | null }>(FIND_RECIPIENT, values);
      return row?.recipientId ?? undefined;
    },

    /** One offer to an account; undefined when there is none (any more). */
    async findReceived(
      database: Queryable,
      recipientId: string,
      thing: string,
      now: Date,
    ): Promise<Received | undefined> {
      const [row] = await database.query<Received>(FIND_RECEIVED, [recipientId, now, thing]);
      return row;
    },

    /** Uses an offer up, once; undefined when there is none (any more). */
    async take(
      database: Queryable,
      recipientId: string,
      thing: string,
      now: Date,
    ): Promise<Pick<Offered, 'name' | 'ownerId'> | undefined> {
      const values = [recipientId, thing, now];
      const [row] = await database.query<Pick<Offered, 'name' | 'ownerId'>>(TAKE, values);
      return row;
    },
  };
}

export const applicationOffers = offersIn<ReceivedOffer>({
  offers: 'transfer_offers',
  things: 'clients',
  id: 'client_id',
  columns: 'c.client_id as "clientId", c.redirect_uris as "redirectUris"',
});

export const apiOffers = offersIn<ReceivedApiOffer>({
  offers: 'api_transfer_offers',
  things: 'apis',
  id: 'api_id',
  columns: 'c.api_id as "apiId", c.identifier',
});

const COUNT_RECEIVED = statement(
  'count_received_offers',
  `select (${applicationOffers.count}) as applications, (${apiOffers.count}) as apis`,
);

/** How many applications and APIs are on offer to an account. */
export async function countReceivedOffers(
  database: Queryable,
  recipientId: string,
  now: Date,
): Promise<{ applications: number; apis: number }> {
  const [row] = await database.query<{ applications: number; apis: number }>(COUNT_RECEIVED, [
    recipientId,
    now,
  ]);
  return row ?? { applications: 0, apis: 0 };
}
