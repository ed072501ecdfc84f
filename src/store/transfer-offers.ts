// Applications on offer to another account: nothing changes hands until that account accepts.
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';
import { emailKey } from './users.ts';

// The application is held: whoever offers it while it changes hands waits, and is its owner no more.
const OFFER = statement(
  'offer_application',
  `insert into transfer_offers (client_id, email, recipient_id, offered_at, expires_at, sid, owner_epoch)
  select c.client_id, $3::text,
    (select u.id from users u where u.email_key = $4::text and u.suspended_at is null), $5::timestamptz, $6::timestamptz,
    $7::uuid, o.epoch
  from clients c join users o on o.id = c.owner_id
  where c.owner_id = $1::uuid and c.client_id = $2::text for no key update of c
  on conflict (client_id) do update set email = excluded.email, recipient_id = excluded.recipient_id,
    offered_at = excluded.offered_at, expires_at = excluded.expires_at, sid = excluded.sid,
    owner_epoch = excluded.owner_epoch
  returning client_id`,
);

/**
 * Offers an application to whoever has an email, in place of an earlier offer. Whether anybody has it makes no
 * difference to the answer: false only when the application is not theirs, or not there.
 */
export async function offerApplication(
  database: Queryable,
  offer: {
    ownerId: string;
    /** The session that it is made in. */
    sid?: string | undefined;
    clientId: string;
    email: string;
    now: Date;
    expiresAt: Date;
  },
): Promise<boolean> {
  const { ownerId, sid, clientId, email, now, expiresAt } = offer;
  const values = [ownerId, clientId, email, emailKey(email), now, expiresAt, sid ?? null];
  return (await database.query(OFFER, values)).length === 1;
}

/** When an offer stands as far as the account goes that made it: needs `transfer_offers t` and its owner as `u`. */
const STANDS = 'u.suspended_at is null and t.owner_epoch = u.epoch';

const FIND_OWN = statement(
  'find_own_offer',
  `select t.email, t.expires_at as "expiresAt" from transfer_offers t join clients c on c.client_id = t.client_id
    join users u on u.id = c.owner_id and ${STANDS}
  where c.owner_id = $1::uuid and c.client_id = $2::text and t.expires_at > $3::timestamptz`,
);

/** To whom an application is on offer, for its owner. */
export async function findOwnOffer(
  database: Queryable,
  ownerId: string,
  clientId: string,
  now: Date,
): Promise<{ email: string; expiresAt: Date } | undefined> {
  const [row] = await database.query<{ email: string; expiresAt: Date }>(FIND_OWN, [ownerId, clientId, now]);
  return row;
}

const CANCEL = statement(
  'cancel_own_offer',
  `delete from transfer_offers t using clients c
  where c.client_id = t.client_id and c.owner_id = $1::uuid and c.client_id = $2::text returning t.client_id`,
);

/** Takes an offer back. False when there was none. */
export async function cancelOwnOffer(
  database: Queryable,
  ownerId: string,
  clientId: string,
): Promise<boolean> {
  return (await database.query(CANCEL, [ownerId, clientId])).length === 1;
}

const CANCEL_ALL = statement(
  'cancel_offers_of_owner',
  'delete from transfer_offers t using clients c where c.client_id = t.client_id and c.owner_id = $1::uuid',
);

/** Takes back everything that an account has on offer. */
export async function cancelOffersOfOwner(database: Queryable, ownerId: string): Promise<void> {
  await database.query(CANCEL_ALL, [ownerId]);
}

const TO_RECIPIENT = `from transfer_offers t join clients c on c.client_id = t.client_id join users u on u.id = c.owner_id
  where t.recipient_id = $1::uuid and t.expires_at > $2::timestamptz and ${STANDS}`;

/** An application that somebody offers to an account. */
export interface ReceivedOffer {
  clientId: string;
  name: string;
  redirectUris: string[];
  ownerId: string;
  ownerName: string;
  ownerEmail: string;
  /** The session that it was made in. */
  sid: string | null;
  expiresAt: Date;
}

const RECEIVED = `select c.client_id as "clientId", c.name, c.redirect_uris as "redirectUris", c.owner_id as "ownerId",
    u.name as "ownerName", u.email as "ownerEmail", t.sid, t.expires_at as "expiresAt"
  ${TO_RECIPIENT}`;

const LIST_RECEIVED = statement(
  'list_received_offers',
  `${RECEIVED} order by t.offered_at desc, c.client_id`,
);

/** What is on offer to an account. */
export const listReceivedOffers = (
  database: Queryable,
  recipientId: string,
  now: Date,
): Promise<ReceivedOffer[]> => database.query(LIST_RECEIVED, [recipientId, now]);

const COUNT_RECEIVED = statement('count_received_offers', `select count(*)::int as number ${TO_RECIPIENT}`);

/** How many applications are on offer to an account. */
export async function countReceivedOffers(
  database: Queryable,
  recipientId: string,
  now: Date,
): Promise<number> {
  const [row] = await database.query<{ number: number }>(COUNT_RECEIVED, [recipientId, now]);
  return row?.number ?? 0;
}

const FIND_RECIPIENT = statement(
  'find_recipient_of_offer',
  `select t.recipient_id as "recipientId" from transfer_offers t join clients c on c.client_id = t.client_id
    join users u on u.id = c.owner_id and ${STANDS}
  where t.client_id = $1::text and t.email = $2::text and t.expires_at > $3::timestamptz`,
);

/** Whom an application is on offer to at an email, as it was typed; undefined when it is not, or nobody has that. */
export async function findRecipient(
  database: Queryable,
  clientId: string,
  email: string,
  now: Date,
): Promise<string | undefined> {
  const [row] = await database.query<{ recipientId: string | null }>(FIND_RECIPIENT, [clientId, email, now]);
  return row?.recipientId ?? undefined;
}

const FIND_RECEIVED = statement('find_received_offer', `${RECEIVED} and c.client_id = $3::text`);

/** One offer to an account; undefined when there is none (any more). */
export async function findReceivedOffer(
  database: Queryable,
  recipientId: string,
  clientId: string,
  now: Date,
): Promise<ReceivedOffer | undefined> {
  const [row] = await database.query<ReceivedOffer>(FIND_RECEIVED, [recipientId, now, clientId]);
  return row;
}

const TAKE = statement(
  'take_received_offer',
  `delete from transfer_offers t using clients c join users u on u.id = c.owner_id
  where c.client_id = t.client_id and t.client_id = $2::text and t.recipient_id = $1::uuid
    and t.expires_at > $3::timestamptz and ${STANDS}
  returning c.name, c.owner_id as "ownerId", t.sid`,
);

/** Uses an offer up, once; undefined when there is none (any more). */
export async function takeReceivedOffer(
  database: Queryable,
  recipientId: string,
  clientId: string,
  now: Date,
): Promise<{ name: string; ownerId: string; sid: string | null } | undefined> {
  const [row] = await database.query<{ name: string; ownerId: string; sid: string | null }>(TAKE, [
    recipientId,
    clientId,
    now,
  ]);
  return row;
}
