// Clients and APIs on offer to another account. Nothing changes until that account accepts.
import type { Queryable } from './database.ts';
import { emailKey, findUserId } from './emails.ts';
import { NO_USER } from './no-user.ts';
import { forKinds, type Kind, lockThing } from './owned.ts';
import { affects, execute, findAll, findOne } from './query.ts';

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

const OFFERED = `transfer_offers t left join clients c on c.client_id = t.client_id left join apis a on a.api_id = t.api_id`;
const OWNER = 'coalesce(c.owner_id, a.owner_id)';

const findActiveAccount = findOne<{ name: string; email: string; epoch: number }, [userId: string]>(
  'find_active_account',
  'select u.name, u.email, u.epoch from users u where u.id = $1::uuid and u.suspended_at is null',
);

// A deletion of the account waits for the offer, and then removes its id from it.
const lockRecipient = affects<[userId: string]>(
  'lock_recipient_of_offer',
  'select u.id from users u where u.id = $1::uuid and u.suspended_at is null for key share of u',
);

interface Made {
  ownerId: string;
  ownerEpoch: number;
}

/** Adds the owners, without the offers that have ended with all sessions of the account that made them. */
async function withOwners<Offer extends Made>(
  database: Queryable,
  offers: readonly Offer[],
): Promise<(Omit<Offer, 'ownerEpoch'> & { ownerName: string; ownerEmail: string })[]> {
  const owners = new Map<string, Awaited<ReturnType<typeof findActiveAccount>>>();
  for (const { ownerId } of offers)
    if (!owners.has(ownerId)) owners.set(ownerId, await findActiveAccount(database, ownerId));
  return offers.flatMap(({ ownerEpoch, ...offer }) => {
    const owner = owners.get(offer.ownerId);
    if (owner?.epoch !== ownerEpoch) return [];
    return [{ ...offer, ownerName: owner.name, ownerEmail: owner.email }];
  });
}

const insert = forKinds(({ kind, table, id }) =>
  affects<[offer: NewOffer & { id: string; recipientId: string | null; epoch: number }]>(
    `offer_${kind}`,
    `insert into transfer_offers (${id}, email, email_key, recipient_id, offered_at, expires_at, owner_epoch)
    select o.${id}, $email::text, $emailKey::text, $recipientId::uuid, $now::timestamptz, $expiresAt::timestamptz, $epoch::int
    from ${table} o where o.owner_id = $ownerId::uuid and o.${id} = $id::text
    on conflict (holder) do update set email = excluded.email, email_key = excluded.email_key, recipient_id = excluded.recipient_id,
      offered_at = excluded.offered_at, expires_at = excluded.expires_at, owner_epoch = excluded.owner_epoch
    returning holder`,
    (offer) => ({ ...offer, emailKey: emailKey(offer.email) }),
  ),
);

/**
 * Offers a client or an API to an email address, in place of an earlier offer. The result and the statements are the same
 * whether or not the address has an account.
 * @returns false if it isn't the user's
 */
export async function insertOffer(
  transaction: Queryable,
  kind: Kind,
  id: string,
  offer: NewOffer,
): Promise<boolean> {
  // Waits for a transfer, after which it isn't the owner's any more.
  await lockThing(transaction, kind, id);
  const found = (await findUserId(transaction, offer.email)) ?? NO_USER;
  const recipientId = (await lockRecipient(transaction, found)) ? found : null;
  const owner = await findActiveAccount(transaction, offer.ownerId);
  if (owner === undefined) return false;
  return insert(transaction, kind, { ...offer, id, recipientId, epoch: owner.epoch });
}

export const findOwnOffer = findOne<
  { email: string; expiresAt: Date },
  [ownerId: string, id: string, now: Date]
>(
  'find_own_offer',
  `select t.email, t.expires_at as "expiresAt" from ${OFFERED}
    join users u on u.id = ${OWNER} and u.epoch = t.owner_epoch and u.suspended_at is null
  where u.id = $1::uuid and t.holder = $2::text and t.expires_at > $3::timestamptz`,
);

/** Cancels an offer. Returns false if there was none. */
export const cancelOwnOffer = affects<[ownerId: string, id: string]>(
  'cancel_own_offer',
  `delete from transfer_offers t where t.holder = $2::text and (
    exists (select from clients c where c.client_id = t.client_id and c.owner_id = $1::uuid)
    or exists (select from apis a where a.api_id = t.api_id and a.owner_id = $1::uuid)) returning t.holder`,
);

/** Forgets which account offers are made to, because it is deleted. The offers stay until they expire. */
export const forgetRecipient = execute<[recipientId: string]>(
  'forget_recipient_of_offers',
  'update transfer_offers set recipient_id = null where recipient_id = $1::uuid',
);

const MADE = `${OWNER} as "ownerId", t.owner_epoch as "ownerEpoch"`;

const findMade = findOne<Made & { recipientId: string | null }, [id: string, email: string, now: Date]>(
  'find_recipient_of_offer',
  `select t.recipient_id as "recipientId", ${MADE} from ${OFFERED}
  where t.holder = $1::text and t.email = $2::text and t.expires_at > $3::timestamptz`,
);

/** The account that something is on offer to at an email address; null if that has none, undefined if there is no offer. */
export async function findRecipient(
  database: Queryable,
  id: string,
  email: string,
  now: Date,
): Promise<string | null | undefined> {
  const offer = await findMade(database, id, email, now);
  return offer && (await withOwners(database, [offer]))[0]?.recipientId;
}

type Received = Omit<ReceivedOffer, 'ownerName' | 'ownerEmail'> & Made;

// Not after a change of email: the offer was made to the address, which somebody else may have signed up with.
const received = (
  now: string,
) => `select case when t.client_id is null then 'api' else 'application' end as kind,
    t.holder as id, coalesce(c.name, a.name) as name, coalesce(c.redirect_uris, array[a.identifier]) as urls,
    coalesce(c.type = 'public', false) as "isPublic", t.offered_at as "offeredAt", t.expires_at as "expiresAt", ${MADE}
  from ${OFFERED} join users r on r.id = t.recipient_id and r.email_key = t.email_key
  where r.id = $1::uuid and t.expires_at > ${now}::timestamptz`;
const listReceived = findAll<Received, [recipientId: string, now: Date]>(
  'list_received_offers',
  `${received('$2')} order by t.offered_at desc, t.holder`,
);
const findReceived = findOne<Received, [recipientId: string, id: string, now: Date]>(
  'find_received_offer',
  `${received('$3')} and t.holder = $2::text`,
);

export const listReceivedOffers = async (
  database: Queryable,
  recipientId: string,
  now: Date,
): Promise<ReceivedOffer[]> => withOwners(database, await listReceived(database, recipientId, now));

export async function findReceivedOffer(
  database: Queryable,
  recipientId: string,
  id: string,
  now: Date,
): Promise<ReceivedOffer | undefined> {
  const offer = await findReceived(database, recipientId, id, now);
  return offer && (await withOwners(database, [offer]))[0];
}

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
