// Clients and APIs on offer to another account. Nothing changes until that account accepts.
import type { Queryable } from './database.ts';
import { emailKey } from './emails.ts';
import { forKinds, type Kind } from './owned.ts';
import { affects, findAll, findOne, findValue } from './query.ts';

interface NewOffer {
  ownerId: string;
  email: string;
  now: Date;
  expiresAt: Date;
}

export interface ReceivedOffer {
  kind: Kind;
  id: string;
  name: string;
  /** Where it is: a client's redirect URIs, or the API's identifier. */
  urls: string[];
  /** Whether it is a client without secrets. */
  isPublic: boolean;
  ownerId: string;
  ownerName: string;
  ownerEmail: string;
  offeredAt: Date;
  expiresAt: Date;
}

// An offer ends with the sessions of the account that made it.
const WITH_OWNER = `transfer_offers t left join clients c on c.client_id = t.client_id left join apis a on a.api_id = t.api_id
  join users u on u.id = coalesce(c.owner_id, a.owner_id) and u.suspended_at is null and t.owner_epoch = u.epoch`;

// The lock makes an offer wait for a transfer, after which it isn't the owner's any more.
/**
 * Offers a client or an API to an email address, in place of an earlier offer. The result is the same whether or not the
 * address has an account.
 * @returns false if it isn't the user's
 */
export const insertOffer = forKinds(({ kind, table, id }) =>
  affects<[id: string, offer: NewOffer]>(
    `offer_${kind}`,
    `insert into transfer_offers (${id}, email, email_key, recipient_id, offered_at, expires_at, owner_epoch)
    select o.${id}, $3::text, $4::text, (select r.id from users r where r.email_key = $4::text and r.suspended_at is null),
      $5::timestamptz, $6::timestamptz, u.epoch
    from ${table} o join users u on u.id = o.owner_id
    where o.owner_id = $1::uuid and o.${id} = $2::text for no key update of o
    on conflict (holder) do update set email = excluded.email, email_key = excluded.email_key, recipient_id = excluded.recipient_id,
      offered_at = excluded.offered_at, expires_at = excluded.expires_at, owner_epoch = excluded.owner_epoch
    returning holder`,
    (of, { ownerId, email, now, expiresAt }) => [ownerId, of, email, emailKey(email), now, expiresAt],
  ),
);

export const findOwnOffer = findOne<
  { email: string; expiresAt: Date },
  [ownerId: string, id: string, now: Date]
>(
  'find_own_offer',
  `select t.email, t.expires_at as "expiresAt" from ${WITH_OWNER}
  where u.id = $1::uuid and t.holder = $2::text and t.expires_at > $3::timestamptz`,
);

/** Cancels an offer. Returns false if there was none. */
export const cancelOwnOffer = affects<[ownerId: string, id: string]>(
  'cancel_own_offer',
  `delete from transfer_offers t where t.holder = $2::text and (
    exists (select from clients c where c.client_id = t.client_id and c.owner_id = $1::uuid)
    or exists (select from apis a where a.api_id = t.api_id and a.owner_id = $1::uuid)) returning t.holder`,
);

/** The account that something is on offer to at an email address; null if that has none, undefined if there is no offer. */
export const findRecipient = findValue<string | null, [id: string, email: string, now: Date]>(
  'find_recipient_of_offer',
  `select t.recipient_id from ${WITH_OWNER}
  where t.holder = $1::text and t.email = $2::text and t.expires_at > $3::timestamptz`,
);

// Not after a change of email: the offer was made to the address, which somebody else may have signed up with.
const toRecipient = (now: string) =>
  `from ${WITH_OWNER} join users r on r.id = t.recipient_id and r.email_key = t.email_key
  where t.recipient_id = $1::uuid and t.expires_at > ${now}::timestamptz`;
const received = (
  now: string,
) => `select case when t.client_id is null then 'api' else 'application' end as kind, t.holder as id,
    coalesce(c.name, a.name) as name, coalesce(c.redirect_uris, array[a.identifier]) as urls, coalesce(c.type = 'public', false) as "isPublic", u.id as "ownerId",
    u.name as "ownerName", u.email as "ownerEmail", t.offered_at as "offeredAt", t.expires_at as "expiresAt"
  ${toRecipient(now)}`;
export const listReceivedOffers = findAll<ReceivedOffer, [recipientId: string, now: Date]>(
  'list_received_offers',
  `${received('$2')} order by t.offered_at desc, t.holder`,
);

export const findReceivedOffer = findOne<ReceivedOffer, [recipientId: string, id: string, now: Date]>(
  'find_received_offer',
  `${received('$3')} and t.holder = $2::text`,
);

const take = affects<[id: string]>(
  'take_received_offer',
  'delete from transfer_offers t where t.holder = $1::text returning 1 as one',
);

/**
 * Uses up an offer to an account. Lock what is offered first (`lockThing`): then one of two attempts gets it.
 * @returns undefined if there is none
 */
export async function takeReceivedOffer(
  transaction: Queryable,
  recipientId: string,
  id: string,
  now: Date,
): Promise<ReceivedOffer | undefined> {
  const offer = await findReceivedOffer(transaction, recipientId, id, now);
  // The owner may have cancelled it meanwhile.
  return offer && (await take(transaction, id)) ? offer : undefined;
}
