// Lists changes since the start of a session that was reported for unauthorized activity.

import type { EventKind } from './audit-log.ts';
import { findAll } from './query.ts';
import type { AddedItem } from './recent-additions.ts';

/** Changes that a report of unauthorized activity doesn't undo. */
const CHANGE_KINDS = [
  'profile_changed',
  'picture_changed',
  'picture_removed',
  'password_removed',
  'passkey_renamed',
  'passkey_removed',
  'identity_unlinked',
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

export type ChangedKind = (typeof CHANGE_KINDS)[number];

export interface ChangedItem {
  kind: ChangedKind;
  clientId: string | null;
  apiId: string | null;
  resourceName: string | null;
  own: boolean;
}

/**
 * Returns one row per kind of change and resource. In a transfer event, `user_id` is the former owner and `actor_id`
 * the new owner.
 */
export const listChangedItems = findAll<ChangedItem, [userId: string, since: Date, until: Date]>(
  'list_changed_items',
  `select e.kind, e.client_id as "clientId", e.api_id as "apiId",
    coalesce(a.name, c.name, max(e.detail ->> 'name') filter (where e.client_id is not null or e.api_id is not null),
      e.api_id, e.client_id) as "resourceName",
    coalesce(a.owner_id, c.owner_id) is not distinct from $1::uuid as own
  from events e left join apis a on a.api_id = e.api_id left join clients c on c.client_id = e.client_id
  where (e.actor_id = $1::uuid or e.user_id = $1::uuid and e.kind in ('application_transferred', 'api_transferred'))
    and e.at >= $2::timestamptz and e.at <= $3::timestamptz and e.kind = any ($4::text[])
  group by e.kind, e.client_id, e.api_id, a.name, c.name, a.owner_id, c.owner_id order by 4 nulls first, max(e.id)`,
  (userId, since, until) => [userId, since, until, CHANGE_KINDS],
);

export const listRemovedItems = findAll<AddedItem, [userId: string, at: Date]>(
  'list_removed_items',
  `select e.detail ->> 'item' as kind, e.client_id as "clientId", e.api_id as "apiId", coalesce(a.name, c.name) as "resourceName",
    e.detail ->> 'name' as name
  from events e left join apis a on a.api_id = e.api_id left join clients c on c.client_id = e.client_id
  where e.user_id = $1::uuid and e.kind = 'added_item_removed' and e.at = $2::timestamptz order by e.id`,
);
