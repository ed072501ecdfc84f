// What an account's owner should review after reporting unauthorized activity, as the audit log has it.
import type { AddedItem } from './added-since.ts';
import type { EventKind } from './events.ts';
import { findAll } from './query.ts';

/** Events about values that were changed or deleted, which a report does not restore. */
const CHANGED_KINDS = [
  'profile_changed',
  'picture_changed',
  'picture_removed',
  'password_removed',
  'passkey_renamed',
  'passkey_removed',
  'app_removed',
  'recovery_codes_made',
  'application_registered',
  'application_changed',
  'application_deleted',
  'application_transferred',
  'secret_rotated',
  'secret_ended',
  'api_registered',
  'api_changed',
  'api_scope_added',
  'api_scope_changed',
  'api_scope_removed',
  'api_secret_rotated',
  'api_secret_ended',
  'api_keys_changed',
  'api_access_cut',
  'api_access_restored',
  'api_transferred',
  'api_deleted',
  'service_access_refused',
  'service_access_ended',
] as const satisfies readonly EventKind[];

export type ChangedKind = (typeof CHANGED_KINDS)[number];

export interface ChangedItem {
  kind: ChangedKind;
  clientId: string | null;
  apiId: string | null;
  holder: string | null;
  own: boolean;
}

// A transfer is recorded for the former owner (user_id), by the new one (actor_id).
/** What was changed or deleted between two times, once for each kind of change to the account, a client or an API. */
export const listChanged = findAll<ChangedItem, [userId: string, since: Date, until: Date]>(
  'list_changed_since',
  `select e.kind, e.client_id as "clientId", e.api_id as "apiId",
    coalesce(a.name, c.name, max(e.detail ->> 'name') filter (where e.client_id is not null or e.api_id is not null),
      e.api_id, e.client_id) as holder,
    coalesce(a.owner_id, c.owner_id) is not distinct from $1::uuid as own
  from events e left join apis a on a.api_id = e.api_id left join clients c on c.client_id = e.client_id
  where (e.actor_id = $1::uuid or e.user_id = $1::uuid and e.kind in ('application_transferred', 'api_transferred'))
    and e.at >= $2::timestamptz and e.at <= $3::timestamptz and e.kind = any ($4::text[])
  group by e.kind, e.client_id, e.api_id, a.name, c.name, a.owner_id, c.owner_id order by 4 nulls first, max(e.id)`,
  (userId, since, until) => [userId, since, until, CHANGED_KINDS],
);

/** What the report at a time removed. */
export const listRemoved = findAll<AddedItem, [userId: string, at: Date]>(
  'list_removed_at',
  `select e.detail ->> 'item' as kind, e.client_id as "clientId", e.api_id as "apiId", coalesce(a.name, c.name) as holder,
    e.detail ->> 'name' as name
  from events e left join apis a on a.api_id = e.api_id left join clients c on c.client_id = e.client_id
  where e.user_id = $1::uuid and e.kind = 'added_item_removed' and e.at = $2::timestamptz order by e.id`,
);
