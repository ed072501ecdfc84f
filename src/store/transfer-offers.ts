// Offers to transfer a client or an API to another account.
import type { Queryable } from './database.ts';
import { emailKey, findUserIdByEmail } from './emails.ts';
import { NIL_USER_ID } from './nil-user-id.ts';
import { defineForResourceKinds, lockResource, type ResourceKind } from './owned-resources.ts';
import { execute, findAll, findOne, hasRows } from './query.ts';

interface NewOffer {
  ownerId: string;
  email: string;
  now: Date;
  expiresAt: Date;
}

export interface ReceivedOffer {
  kind: ResourceKind;
  id: string;
  name: string;
  logo: string | null;
  urls: string[];
  isPublic: boolean;
  ownerId: string;
  ownerName: string;
  ownerEmail: string;
  offeredAt: Date;
  expiresAt: Date;
}

const OFFERS_WITH_RESOURCES_SQL = `transfer_offers t left join clients c on c.client_id = t.client_id left join apis a on a.api_id = t.api_id`;
const OWNER_ID_SQL = 'coalesce(c.owner_id, a.owner_id)';

const findActiveAccount = findOne<{ name: string; email: string; epoch: number }, [userId: string]>(
  'find_active_account',
  'select u.name, u.email, u.epoch from users u where u.id = $1::uuid and u.suspended_at is null',
);

// A concurrent deletion of the account waits and then clears the recipient.
const lockRecipient = hasRows<[userId: string]>(
  'lock_recipient_of_offer',
  'select u.id from users u where u.id = $1::uuid and u.suspended_at is null for key share of u',
);

interface OfferOwner {
  ownerId: string;
  ownerEpoch: number;
}

/** Omits offers that a change of the owner's epoch has invalidated. */
async function addOfferOwners<Offer extends OfferOwner>(
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

const insertOfferRow = defineForResourceKinds(({ kind, table, id }) =>
  hasRows<[offer: NewOffer & { id: string; recipientId: string | null; epoch: number }]>(
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
 * Replaces an earlier offer. Neither the result nor the statements reveal whether the recipient has an account.
 * @returns false if `ownerId` isn't the owner
 */
export async function insertOffer(
  transaction: Queryable,
  kind: ResourceKind,
  id: string,
  offer: NewOffer,
): Promise<boolean> {
  // Wait for a concurrent transfer, which changes the owner.
  await lockResource(transaction, kind, id);
  const userId = (await findUserIdByEmail(transaction, offer.email)) ?? NIL_USER_ID;
  const recipientId = (await lockRecipient(transaction, userId)) ? userId : null;
  const owner = await findActiveAccount(transaction, offer.ownerId);
  if (owner === undefined) return false;
  return insertOfferRow(transaction, kind, { ...offer, id, recipientId, epoch: owner.epoch });
}

export const findOwnOffer = findOne<
  { email: string; expiresAt: Date },
  [ownerId: string, id: string, now: Date]
>(
  'find_own_offer',
  `select t.email, t.expires_at as "expiresAt" from ${OFFERS_WITH_RESOURCES_SQL}
    join users u on u.id = ${OWNER_ID_SQL} and u.epoch = t.owner_epoch and u.suspended_at is null
  where u.id = $1::uuid and t.holder = $2::text and t.expires_at > $3::timestamptz`,
);

export const cancelOffer = hasRows<[ownerId: string, id: string]>(
  'cancel_offer',
  `delete from transfer_offers t where t.holder = $2::text and (
    exists (select from clients c where c.client_id = t.client_id and c.owner_id = $1::uuid)
    or exists (select from apis a where a.api_id = t.api_id and a.owner_id = $1::uuid)) returning t.holder`,
);

export const clearOfferRecipient = execute<[recipientId: string]>(
  'clear_offer_recipient',
  'update transfer_offers set recipient_id = null where recipient_id = $1::uuid',
);

const OWNER_COLUMNS = `${OWNER_ID_SQL} as "ownerId", t.owner_epoch as "ownerEpoch"`;

const findOffer = findOne<
  OfferOwner & { recipientId: string | null },
  [id: string, email: string, now: Date]
>(
  'find_recipient_of_offer',
  `select t.recipient_id as "recipientId", ${OWNER_COLUMNS} from ${OFFERS_WITH_RESOURCES_SQL}
  where t.holder = $1::text and t.email = $2::text and t.expires_at > $3::timestamptz`,
);

/** Returns null if no active account has the email address. Returns undefined if there is no such offer. */
export async function findRecipient(
  database: Queryable,
  id: string,
  email: string,
  now: Date,
): Promise<string | null | undefined> {
  const offer = await findOffer(database, id, email, now);
  return offer && (await addOfferOwners(database, [offer]))[0]?.recipientId;
}

type ReceivedRow = Omit<ReceivedOffer, 'ownerName' | 'ownerEmail'> & OfferOwner;

// Omits offers to an email address that the recipient no longer has.
const selectReceivedOffersSql = (
  now: string,
) => `select case when t.client_id is null then 'api' else 'application' end as kind,
    t.holder as id, coalesce(c.name, a.name) as name, c.logo, coalesce(c.redirect_uris, array[a.identifier]) as urls,
    coalesce(c.type = 'public', false) as "isPublic", t.offered_at as "offeredAt", t.expires_at as "expiresAt", ${OWNER_COLUMNS}
  from ${OFFERS_WITH_RESOURCES_SQL} join users r on r.id = t.recipient_id and r.email_key = t.email_key
  where r.id = $1::uuid and t.expires_at > ${now}::timestamptz`;
const listReceivedRows = findAll<ReceivedRow, [recipientId: string, now: Date]>(
  'list_received_offers',
  `${selectReceivedOffersSql('$2')} order by t.offered_at desc, t.holder`,
);
const findReceivedRow = findOne<ReceivedRow, [recipientId: string, id: string, now: Date]>(
  'find_received_offer',
  `${selectReceivedOffersSql('$3')} and t.holder = $2::text`,
);

export const listReceivedOffers = async (
  database: Queryable,
  recipientId: string,
  now: Date,
): Promise<ReceivedOffer[]> => addOfferOwners(database, await listReceivedRows(database, recipientId, now));

export async function findReceivedOffer(
  database: Queryable,
  recipientId: string,
  id: string,
  now: Date,
): Promise<ReceivedOffer | undefined> {
  const offer = await findReceivedRow(database, recipientId, id, now);
  return offer && (await addOfferOwners(database, [offer]))[0];
}

const deleteOffer = hasRows<[id: string]>(
  'take_received_offer',
  'delete from transfer_offers t where t.holder = $1::text returning 1 as one',
);

/** Deletes and returns an offer. Call `lockResource` first so that only one concurrent call gets the offer. */
export async function takeReceivedOffer(
  transaction: Queryable,
  recipientId: string,
  id: string,
  now: Date,
): Promise<ReceivedOffer | undefined> {
  const offer = await findReceivedOffer(transaction, recipientId, id, now);
  // The owner may have canceled the offer.
  return offer && (await deleteOffer(transaction, id)) ? offer : undefined;
}
