// What was added to an account since a time: lists it, and removes it when the account's owner reports unauthorized activity.
import { addedSince, keysOf, urisOf } from './added-entries.ts';
import type { Queryable } from './database.ts';
import { execute, findAll } from './query.ts';
import { removeAuthenticatorApp } from './second-factors.ts';
import { endServiceTokens } from './service-access.ts';

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

// Each condition serves the list and the removal.
const PASSKEYS = 'p.user_id = $userId::uuid and p.created_at >= $since::timestamptz';
const APP = 'u.id = $userId::uuid and u.totp_since >= $since::timestamptz';
const CODES = 'r.user_id = $userId::uuid and r.created_at >= $since::timestamptz';
const CONSENTS =
  'k.user_id = $userId::uuid and k.withdrawn_at is null and k.granted_at >= $since::timestamptz';
const ACCESS =
  'a.api_id = s.api_id and a.owner_id = $userId::uuid and s.granted_at is not null and s.granted_at >= $since::timestamptz';
const HOLDERS = `(select client_id as id, owner_id, name from clients union all select api_id, owner_id, name from apis) h
  on h.id = s.holder`;
const SECRETS =
  'h.owner_id = $userId::uuid and s.created_at >= $since::timestamptz and (s.expires_at is null or s.expires_at > $now::timestamptz)';
const isAdded = (id: 'client_id' | 'api_id', entry: string) =>
  addedSince({ id: `h.${id}`, createdAt: 'h.created_at' }, entry, '$since');

interface Addition {
  userId: string;
  since: Date;
  now: Date;
}

const list = findAll<AddedItem, [addition: Addition]>(
  'list_added_since',
  `select 'passkey' as kind, null as "clientId", null as "apiId", null as holder, p.name from passkeys p where ${PASSKEYS}
  union all
  select 'authenticator_app', null, null, null, null from users u where ${APP}
  union all
  select distinct 'recovery_codes', null, null, null, null from recovery_codes r where ${CODES}
  union all
  select 'secret', s.client_id, s.api_id, h.name, s.number::text from secrets s join ${HOLDERS} where ${SECRETS}
  union all
  select 'redirect_uri', h.client_id, null, h.name, one.entry
  from clients h, lateral (${urisOf('h.redirect_uris')} union
    ${urisOf('array_remove(h.post_logout_redirect_uris || h.backchannel_logout_uri, null)')}) one
  where h.owner_id = $userId::uuid and ${isAdded('client_id', 'one.entry')}
  union all
  select 'key', h.client_id, null, h.name, one.entry::jsonb ->> 'kid' from clients h, lateral (${keysOf('h.jwks')}) one
  where h.owner_id = $userId::uuid and ${isAdded('client_id', 'one.entry')}
  union all
  select 'key', null, h.api_id, h.name, one.entry::jsonb ->> 'kid' from apis h, lateral (${keysOf('h.jwks')}) one
  where h.owner_id = $userId::uuid and ${isAdded('api_id', 'one.entry')}
  union all
  select 'consent', c.client_id, null, c.name, null
  from consents k join clients c on c.client_id = k.client_id where ${CONSENTS}
  union all
  select 'service_access', null, a.api_id, a.name, c.name
  from api_service_access s join clients c on c.client_id = s.client_id join apis a on ${ACCESS}
  order by 4 nulls first, 1, 5`,
  (addition) => ({ ...addition }),
);

/** Lists what a report of unauthorized activity would remove now. */
export const listAdded = (
  database: Queryable,
  userId: string,
  since: Date,
  now: Date,
): Promise<AddedItem[]> => list(database, { userId, since, now });

const removals = Object.entries({
  // Tokens end too where a secret, a redirect URI or a key goes: an intruder may have obtained them with it.
  remove_from_clients_added_since: `with ended as (
    update secrets s set expires_at = $now::timestamptz from clients h
    where h.client_id = s.client_id and ${SECRETS} returning s.client_id
  ),
  kept as (
    select h.client_id,
      array(select u from unnest(h.redirect_uris) u where not ${isAdded('client_id', 'u')}) as redirect_uris,
      array(select u from unnest(h.post_logout_redirect_uris) u where not ${isAdded('client_id', 'u')}) as post_logout,
      case when not ${isAdded('client_id', 'h.backchannel_logout_uri')} then h.backchannel_logout_uri end as backchannel,
      (select jsonb_build_object('keys', jsonb_agg(k)) from jsonb_array_elements(h.jwks -> 'keys') k
        where not ${isAdded('client_id', 'k::text')} having count(*) > 0) as jwks
    from clients h where h.owner_id = $userId::uuid
  )
  update clients c set redirect_uris = kept.redirect_uris, post_logout_redirect_uris = kept.post_logout,
    backchannel_logout_uri = kept.backchannel, jwks = kept.jwks, epoch = c.epoch + 1
  from kept where kept.client_id = c.client_id and (c.client_id in (select client_id from ended)
    or cardinality(kept.redirect_uris) < cardinality(c.redirect_uris)
    or cardinality(kept.post_logout) < cardinality(c.post_logout_redirect_uris)
    or kept.backchannel is distinct from c.backchannel_logout_uri
    or coalesce(jsonb_array_length(kept.jwks -> 'keys'), 0) < coalesce(jsonb_array_length(c.jwks -> 'keys'), 0))`,
  end_api_secrets_added_since: `update secrets s set expires_at = $now::timestamptz from apis h where h.api_id = s.api_id and ${SECRETS}`,
  remove_api_keys_added_since: `update apis h set jwks = (
    select jsonb_build_object('keys', jsonb_agg(k)) from jsonb_array_elements(h.jwks -> 'keys') k
    where not ${isAdded('api_id', 'k::text')} having count(*) > 0)
  where h.owner_id = $userId::uuid and exists (
    select from jsonb_array_elements(h.jwks -> 'keys') k where ${isAdded('api_id', 'k::text')})`,
  withdraw_consents_given_since: `update consents k set withdrawn_at = $now::timestamptz, epoch = k.epoch + 1 where ${CONSENTS}`,
  remove_recovery_codes_added_since: `delete from recovery_codes r where ${CODES}`,
  remove_passkeys_added_since: `with removed as (delete from passkeys p where ${PASSKEYS} returning 1)
  update users u set passkey_count = u.passkey_count - (select count(*) from removed)
  where u.id = $userId::uuid and exists (select from removed)`,
}).map(([name, text]) => execute<[addition: Addition]>(name, text, (addition) => ({ ...addition })));

const endAccess = findAll<{ apiId: string; clientId: string }, [userId: string, since: Date]>(
  'end_service_access_granted_since',
  `delete from api_service_access s using apis a where ${ACCESS}
  returning s.api_id as "apiId", s.client_id as "clientId"`,
  (userId, since) => ({ userId, since }),
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
  for (const remove of removals) await remove(transaction, { userId, since, now });
  for (const { apiId, clientId } of await endAccess(transaction, userId, since))
    await endServiceTokens(transaction, apiId, clientId);
  if (items.some(({ kind }) => kind === 'authenticator_app'))
    await removeAuthenticatorApp(transaction, userId);
  return items;
}
