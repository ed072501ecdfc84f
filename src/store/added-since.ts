// What was added to an account since a time: lists it, and removes it when the account's owner reports unauthorized activity.
import { addedSince, keysOf, urisOf } from './added-entries.ts';
import type { Queryable } from './database.ts';
import { findAll } from './query.ts';
import { removeAuthenticatorApp } from './second-factors.ts';
import { statement } from './statement.ts';

export type AddedKind =
  | 'passkey'
  | 'authenticator_app'
  | 'recovery_codes'
  | 'secret'
  | 'redirect_uri'
  | 'key'
  | 'consent'
  | 'service_access';

export interface AddedItem {
  kind: AddedKind;
  /** The client or API that it belongs to, with its name; null if it belongs to the account. */
  clientId: string | null;
  apiId: string | null;
  holder: string | null;
  /** The passkey's name, the secret's number, the URI, the `kid`, or the client that was granted access to an API. */
  name: string | null;
}

// `$1` is the account, `$2` the time. Each condition serves the list and the removal.
const PASSKEYS = 'p.user_id = $1::uuid and p.created_at >= $2::timestamptz';
const APP = 'u.id = $1::uuid and u.totp_since >= $2::timestamptz';
const CODES = 'r.user_id = $1::uuid and r.created_at >= $2::timestamptz';
const CONSENTS = 'k.user_id = $1::uuid and k.withdrawn_at is null and k.granted_at >= $2::timestamptz';
const ACCESS =
  'a.api_id = s.api_id and a.owner_id = $1::uuid and s.granted_at is not null and s.granted_at >= $2::timestamptz';
const HOLDERS = `(select client_id as id, owner_id, name from clients union all select api_id, owner_id, name from apis) h
  on h.id = s.holder`;
const secretsOf = (now: string) =>
  `h.owner_id = $1::uuid and s.created_at >= $2::timestamptz and (s.expires_at is null or s.expires_at > ${now}::timestamptz)`;
const isAdded = (id: 'client_id' | 'api_id', entry: string) =>
  addedSince({ id: `h.${id}`, createdAt: 'h.created_at' }, entry, '$2');

/** What a report of unauthorized activity would remove now. */
export const listAdded = findAll<AddedItem, [userId: string, since: Date, now: Date]>(
  'list_added_since',
  `select 'passkey' as kind, null as "clientId", null as "apiId", null as holder, p.name from passkeys p where ${PASSKEYS}
  union all
  select 'authenticator_app', null, null, null, null from users u where ${APP}
  union all
  select distinct 'recovery_codes', null, null, null, null from recovery_codes r where ${CODES}
  union all
  select 'secret', s.client_id, s.api_id, h.name, s.number::text from secrets s join ${HOLDERS} where ${secretsOf('$3')}
  union all
  select 'redirect_uri', h.client_id, null, h.name, one.entry
  from clients h, lateral (${urisOf('h.redirect_uris')} union
    ${urisOf('array_remove(h.post_logout_redirect_uris || h.backchannel_logout_uri, null)')}) one
  where h.owner_id = $1::uuid and ${isAdded('client_id', 'one.entry')}
  union all
  select 'key', h.client_id, null, h.name, one.entry::jsonb ->> 'kid' from clients h, lateral (${keysOf('h.jwks')}) one
  where h.owner_id = $1::uuid and ${isAdded('client_id', 'one.entry')}
  union all
  select 'key', null, h.api_id, h.name, one.entry::jsonb ->> 'kid' from apis h, lateral (${keysOf('h.jwks')}) one
  where h.owner_id = $1::uuid and ${isAdded('api_id', 'one.entry')}
  union all
  select 'consent', c.client_id, null, c.name, null
  from consents k join clients c on c.client_id = k.client_id where ${CONSENTS}
  union all
  select 'service_access', null, a.api_id, a.name, c.name
  from api_service_access s join clients c on c.client_id = s.client_id join apis a on ${ACCESS}
  order by 4 nulls first, 1, 5`,
);

const REMOVE_PASSKEYS = statement(
  'remove_passkeys_added_since',
  `with removed as (delete from passkeys p where ${PASSKEYS} returning 1)
  update users u set passkey_count = u.passkey_count - (select count(*) from removed)
  where u.id = $1::uuid and exists (select from removed)`,
);
const LOCK_APP = statement('lock_app_added_since', `select u.id from users u where ${APP} for no key update`);
const REMOVE_CODES = statement(
  'remove_recovery_codes_added_since',
  `delete from recovery_codes r where ${CODES}`,
);
const END_API_SECRETS = statement(
  'end_api_secrets_added_since',
  `update secrets s set expires_at = $3::timestamptz from apis h where h.api_id = s.api_id and ${secretsOf('$3')}`,
);
// Tokens end too where a secret, a redirect URI or a key goes: an intruder may have obtained them with it.
const REMOVE_FROM_CLIENTS = statement(
  'remove_from_clients_added_since',
  `with ended as (
    update secrets s set expires_at = $3::timestamptz from clients h
    where h.client_id = s.client_id and ${secretsOf('$3')} returning s.client_id
  ),
  kept as (
    select h.client_id,
      array(select u from unnest(h.redirect_uris) u where not ${isAdded('client_id', 'u')}) as redirect_uris,
      array(select u from unnest(h.post_logout_redirect_uris) u where not ${isAdded('client_id', 'u')}) as post_logout,
      case when not ${isAdded('client_id', 'h.backchannel_logout_uri')} then h.backchannel_logout_uri end as backchannel,
      (select jsonb_agg(k) from jsonb_array_elements(h.jwks -> 'keys') k where not ${isAdded('client_id', 'k::text')}) as keys
    from clients h where h.owner_id = $1::uuid
  )
  update clients c set redirect_uris = kept.redirect_uris, post_logout_redirect_uris = kept.post_logout,
    backchannel_logout_uri = kept.backchannel,
    jwks = case when kept.keys is not null then jsonb_build_object('keys', kept.keys) end, epoch = c.epoch + 1
  from kept where kept.client_id = c.client_id and (c.client_id in (select client_id from ended)
    or cardinality(kept.redirect_uris) < cardinality(c.redirect_uris)
    or cardinality(kept.post_logout) < cardinality(c.post_logout_redirect_uris)
    or kept.backchannel is distinct from c.backchannel_logout_uri
    or coalesce(jsonb_array_length(kept.keys), 0) < coalesce(jsonb_array_length(c.jwks -> 'keys'), 0))`,
);
const REMOVE_API_KEYS = statement(
  'remove_api_keys_added_since',
  `update apis h set jwks = (
    select jsonb_build_object('keys', jsonb_agg(k)) from jsonb_array_elements(h.jwks -> 'keys') k
    where not ${isAdded('api_id', 'k::text')} having count(*) > 0)
  where h.owner_id = $1::uuid and exists (
    select from jsonb_array_elements(h.jwks -> 'keys') k where ${isAdded('api_id', 'k::text')})`,
);
const WITHDRAW_CONSENTS = statement(
  'withdraw_consents_given_since',
  `update consents k set withdrawn_at = $3::timestamptz, epoch = k.epoch + 1 where ${CONSENTS}`,
);
const END_ACCESS = statement(
  'end_service_access_granted_since',
  `with ended as (delete from api_service_access s using apis a where ${ACCESS} returning s.api_id, s.client_id)
  delete from service_tokens t using ended where t.api_id = ended.api_id and t.client_id = ended.client_id`,
);

/**
 * Removes what was added. Lock the account's sessions, clients and APIs first (`holdAllChanges`).
 * @returns what was removed
 */
export async function removeAdded(
  transaction: Queryable,
  userId: string,
  since: Date,
  now: Date,
): Promise<AddedItem[]> {
  const items = await listAdded(transaction, userId, since, now);
  await transaction.query(REMOVE_FROM_CLIENTS, [userId, since, now]);
  await transaction.query(END_API_SECRETS, [userId, since, now]);
  await transaction.query(REMOVE_API_KEYS, [userId, since]);
  await transaction.query(END_ACCESS, [userId, since]);
  await transaction.query(WITHDRAW_CONSENTS, [userId, since, now]);
  if ((await transaction.query(LOCK_APP, [userId, since])).length > 0)
    await removeAuthenticatorApp(transaction, userId);
  await transaction.query(REMOVE_CODES, [userId, since]);
  await transaction.query(REMOVE_PASSKEYS, [userId, since]);
  return items;
}
