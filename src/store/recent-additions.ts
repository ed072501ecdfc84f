// Lists and removes recent additions to an account, after a report of unauthorized activity.
import type { ExternalIdentity } from '../oauth/identity-provider.ts';
import { selectKeyEntriesSql, selectUriEntriesSql, wasEntryAddedSinceSql } from './added-entries.ts';
import type { Queryable } from './database.ts';
import { unlinkIdentity } from './external-identities.ts';
import { removeAuthenticatorApp } from './mfa-factors.ts';
import { execute, findAll } from './query.ts';
import { deleteServiceTokens } from './service-access.ts';

export type AddedKind =
  | 'passkey'
  | 'linked_identity'
  | 'authenticator_app'
  | 'recovery_codes'
  | 'secret'
  | 'redirect_uri'
  | 'key'
  | 'consent'
  | 'service_access';

export interface AddedItem {
  kind: AddedKind;
  clientId: string | null;
  apiId: string | null;
  resourceName: string | null;
  /**
   * Passkey name, secret number, URI or `kid`. For an identity, the provider and label. For service access, the
   * client's name.
   */
  name: string | null;
}

const PASSKEY_CONDITION = 'p.user_id = $userId::uuid and p.created_at >= $since::timestamptz';
// Includes identities used after `since`. Otherwise, an intruder with access to the provider account could sign in
// again.
const IDENTITY_CONDITION =
  'i.user_id = $userId::uuid and (i.created_at >= $since::timestamptz or i.last_used_at >= $since::timestamptz)';
const AUTHENTICATOR_APP_CONDITION = 'u.id = $userId::uuid and u.totp_enabled_at >= $since::timestamptz';
const RECOVERY_CODE_CONDITION = 'r.user_id = $userId::uuid and r.created_at >= $since::timestamptz';
const CONSENT_CONDITION =
  'k.user_id = $userId::uuid and k.withdrawn_at is null and k.granted_at >= $since::timestamptz';
const SERVICE_ACCESS_CONDITION =
  'a.api_id = s.api_id and a.owner_id = $userId::uuid and s.granted_at is not null and s.granted_at >= $since::timestamptz';
const HOLDER_JOIN_SQL = `(select client_id as id, owner_id, name from clients union all select api_id, owner_id, name from apis) h
  on h.id = s.holder`;
const SECRET_CONDITION =
  'h.owner_id = $userId::uuid and s.created_at >= $since::timestamptz and (s.expires_at is null or s.expires_at > $now::timestamptz)';
const wasEntryAddedSql = (id: 'client_id' | 'api_id', entry: string) =>
  wasEntryAddedSinceSql({ id: `h.${id}`, createdAt: 'h.created_at' }, entry, '$since');

interface AddedSince {
  userId: string;
  since: Date;
  now: Date;
}

const listItems = findAll<AddedItem, [filter: AddedSince]>(
  'list_added_items',
  `select 'passkey' as kind, null as "clientId", null as "apiId", null as "resourceName", p.name from passkeys p where ${PASSKEY_CONDITION}
  union all
  select 'linked_identity', null, null, null, coalesce(p.name, i.provider_id) || ' (' || i.label || ')'
  from external_identities i left join identity_providers p on p.provider_id = i.provider_id where ${IDENTITY_CONDITION}
  union all
  select 'authenticator_app', null, null, null, null from users u where ${AUTHENTICATOR_APP_CONDITION}
  union all
  select distinct 'recovery_codes', null, null, null, null from recovery_codes r where ${RECOVERY_CODE_CONDITION}
  union all
  select 'secret', s.client_id, s.api_id, h.name, s.number::text from secrets s join ${HOLDER_JOIN_SQL} where ${SECRET_CONDITION}
  union all
  select 'redirect_uri', h.client_id, null, h.name, added.entry
  from clients h, lateral (${selectUriEntriesSql('h.redirect_uris')} union
    ${selectUriEntriesSql('array_remove(h.post_logout_redirect_uris || h.backchannel_logout_uri, null)')}) added
  where h.owner_id = $userId::uuid and ${wasEntryAddedSql('client_id', 'added.entry')}
  union all
  select 'key', h.client_id, null, h.name, added.entry::jsonb ->> 'kid' from clients h, lateral (${selectKeyEntriesSql('h.jwks')}) added
  where h.owner_id = $userId::uuid and ${wasEntryAddedSql('client_id', 'added.entry')}
  union all
  select 'key', null, h.api_id, h.name, added.entry::jsonb ->> 'kid' from apis h, lateral (${selectKeyEntriesSql('h.jwks')}) added
  where h.owner_id = $userId::uuid and ${wasEntryAddedSql('api_id', 'added.entry')}
  union all
  select 'consent', c.client_id, null, c.name, null
  from consents k join clients c on c.client_id = k.client_id where ${CONSENT_CONDITION}
  union all
  select 'service_access', null, a.api_id, a.name, c.name
  from api_service_access s join clients c on c.client_id = s.client_id join apis a on ${SERVICE_ACCESS_CONDITION}
  order by 4 nulls first, 1, 5`,
  (filter) => ({ ...filter }),
);

export const listAddedItems = (
  database: Queryable,
  userId: string,
  since: Date,
  now: Date,
): Promise<AddedItem[]> => listItems(database, { userId, since, now });

const removalStatements = Object.entries({
  // Also revokes the client's tokens, which an intruder may have obtained.
  remove_from_clients_added_since: `with expired as (
    update secrets s set expires_at = $now::timestamptz from clients h
    where h.client_id = s.client_id and ${SECRET_CONDITION} returning s.client_id
  ),
  remaining as (
    select h.client_id,
      array(select u from unnest(h.redirect_uris) u where not ${wasEntryAddedSql('client_id', 'u')}) as redirect_uris,
      array(select u from unnest(h.post_logout_redirect_uris) u where not ${wasEntryAddedSql('client_id', 'u')}) as post_logout,
      case when not ${wasEntryAddedSql('client_id', 'h.backchannel_logout_uri')} then h.backchannel_logout_uri end as backchannel,
      (select jsonb_build_object('keys', jsonb_agg(k)) from jsonb_array_elements(h.jwks -> 'keys') k
        where not ${wasEntryAddedSql('client_id', 'k::text')} having count(*) > 0) as jwks
    from clients h where h.owner_id = $userId::uuid
  )
  update clients c set redirect_uris = remaining.redirect_uris, post_logout_redirect_uris = remaining.post_logout,
    backchannel_logout_uri = remaining.backchannel, jwks = remaining.jwks, epoch = c.epoch + 1
  from remaining where remaining.client_id = c.client_id and (c.client_id in (select client_id from expired)
    or cardinality(remaining.redirect_uris) < cardinality(c.redirect_uris)
    or cardinality(remaining.post_logout) < cardinality(c.post_logout_redirect_uris)
    or remaining.backchannel is distinct from c.backchannel_logout_uri
    or coalesce(jsonb_array_length(remaining.jwks -> 'keys'), 0) < coalesce(jsonb_array_length(c.jwks -> 'keys'), 0))`,
  end_api_secrets_added_since: `update secrets s set expires_at = $now::timestamptz from apis h where h.api_id = s.api_id and ${SECRET_CONDITION}`,
  remove_api_keys_added_since: `update apis h set jwks = (
    select jsonb_build_object('keys', jsonb_agg(k)) from jsonb_array_elements(h.jwks -> 'keys') k
    where not ${wasEntryAddedSql('api_id', 'k::text')} having count(*) > 0)
  where h.owner_id = $userId::uuid and exists (
    select from jsonb_array_elements(h.jwks -> 'keys') k where ${wasEntryAddedSql('api_id', 'k::text')})`,
  withdraw_consents_given_since: `update consents k set withdrawn_at = $now::timestamptz, epoch = k.epoch + 1 where ${CONSENT_CONDITION}`,
  remove_recovery_codes_added_since: `delete from recovery_codes r where ${RECOVERY_CODE_CONDITION}`,
  remove_passkeys_added_since: `with removed as (delete from passkeys p where ${PASSKEY_CONDITION} returning 1)
  update users u set passkey_count = u.passkey_count - (select count(*) from removed)
  where u.id = $userId::uuid and exists (select from removed)`,
}).map(([name, text]) => execute<[filter: AddedSince]>(name, text, (filter) => ({ ...filter })));

const deleteServiceAccess = findAll<{ apiId: string; clientId: string }, [userId: string, since: Date]>(
  'end_service_access_granted_since',
  `delete from api_service_access s using apis a where ${SERVICE_ACCESS_CONDITION}
  returning s.api_id as "apiId", s.client_id as "clientId"`,
  (userId, since) => ({ userId, since }),
);

const listAddedIdentities = findAll<ExternalIdentity, [userId: string, since: Date]>(
  'list_identities_linked_since',
  `select i.issuer, i.subject from external_identities i where ${IDENTITY_CONDITION}`,
  (userId, since) => ({ userId, since }),
);

/** Removes and returns the items added after `since`. Call `lockAccountChanges` first. */
export async function removeAddedItems(
  transaction: Queryable,
  userId: string,
  since: Date,
  now: Date,
): Promise<AddedItem[]> {
  const items = await listAddedItems(transaction, userId, since, now);
  for (const remove of removalStatements) await remove(transaction, { userId, since, now });
  for (const { apiId, clientId } of await deleteServiceAccess(transaction, userId, since))
    await deleteServiceTokens(transaction, apiId, clientId);
  for (const identity of await listAddedIdentities(transaction, userId, since))
    await unlinkIdentity(transaction, userId, identity);
  if (items.some(({ kind }) => kind === 'authenticator_app'))
    await removeAuthenticatorApp(transaction, userId);
  return items;
}
