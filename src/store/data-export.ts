// Reads an account's data for export. Omits hashes, secrets and other users' IPs.
import { EVENT_ACTOR_SQL, EVENT_IP_SQL } from './audit-log.ts';
import {
  CONSENTED_APIS_SQL,
  LAST_GRANT_USE_JOIN_SQL,
  LAST_USED_SQL,
  SERVICE_SCOPES_SQL,
} from './consents.ts';
import type { Database, Queryable } from './database.ts';
import { findPicture } from './pictures.ts';
import { findAll, findOne } from './query.ts';
import { statement } from './statement.ts';

export type ExportSection = Record<string, unknown>;

interface ExportList {
  columns: string;
  from: string;
  /** SQL expressions to sort by, with their types. The combined values must be unique. */
  key: Record<string, keyof typeof MIN_VALUES>;
  pageSize?: number;
}

/** Values that are less than all values in the tables. */
const MIN_VALUES = {
  timestamptz: '-infinity',
  uuid: '00000000-0000-0000-0000-000000000000',
  bigint: '0',
  text: '',
  bytea: '\\x',
};

const PAGE_SIZE = 500;

/** In the SQL, `$1` is the user's id. */
const EXPORT_LISTS: Record<string, ExportList> = {
  passkeys: {
    columns: 'k.name, k.aaguid, k.transports, k.synced, k.backed_up, k.created_at, k.last_used_at',
    from: 'passkeys k where k.user_id = $1::uuid',
    key: { 'k.created_at': 'timestamptz', 'k.credential_id': 'bytea' },
  },
  linked_identities: {
    columns: 'i.issuer, i.subject, i.provider_id as provider, i.label, i.created_at, i.last_used_at',
    from: 'external_identities i where i.user_id = $1::uuid',
    key: { 'i.created_at': 'timestamptz', 'i.issuer': 'text', 'i.subject': 'text' },
  },
  recovery_codes: {
    columns: 'r.created_at, r.used_at',
    from: 'recovery_codes r where r.user_id = $1::uuid',
    key: { 'r.created_at': 'timestamptz', 'r.hash': 'bytea' },
  },
  remembered_devices: {
    columns: 't.created_at, t.expires_at, t.user_agent',
    from: 'remembered_devices t where t.user_id = $1::uuid',
    key: { 't.created_at': 'timestamptz', 't.id': 'uuid' },
  },
  mfa_resets: {
    columns: 'r.requested_at, r.due_at, r.passkeys',
    from: 'mfa_resets r where r.user_id = $1::uuid',
    key: { 'r.requested_at': 'timestamptz', 'r.user_id': 'uuid' },
  },
  sessions: {
    columns:
      's.sid, s.started_at, s.auth_time, s.all_factors_at, s.methods, s.used_passkey, s.last_seen_at, s.expires_at, s.ip, s.user_agent',
    from: 'sessions s where s.user_id = $1::uuid',
    key: { 's.auth_time': 'timestamptz', 's.id_hash': 'bytea' },
  },
  consents: {
    columns: `k.client_id, c.name as application, c.client_id is not null and c.owner_id is null as agent,
      ${SERVICE_SCOPES_SQL} as scopes, ${CONSENTED_APIS_SQL} as apis, k.granted_at,
      ${LAST_USED_SQL} as last_used_at, k.withdrawn_at`,
    from: `consents k left join clients c on c.client_id = k.client_id ${LAST_GRANT_USE_JOIN_SQL} where k.user_id = $1::uuid`,
    key: { 'k.granted_at': 'timestamptz', 'k.client_id': 'text' },
  },
  disclosures: {
    columns: `d.client_id, d.client_name as application, string_to_array(d.fields, ' ') as fields, d.first_at,
      d.last_at, d.times::float8 as times`,
    from: 'disclosures d where d.user_id = $1::uuid',
    key: { 'd.first_at': 'timestamptz', 'd.client_id': 'text', 'd.fields': 'text' },
  },
  // Read in index order because an account may have many grants.
  grants: {
    columns: `g.client_id, c.name as application, g.sid as session, g.created_at, g.rotated_at as last_used_at,
      g.revoked_at, g.revoked_at is not null or coalesce(g.epoch <> u.epoch + c.epoch + k.epoch, true) as ended`,
    from: `grants g join users u on u.id = g.user_id left join clients c on c.client_id = g.client_id
      left join consents k on k.user_id = g.user_id and k.client_id = g.client_id where g.user_id = $1::uuid`,
    key: { 'g.sid': 'uuid', 'g.id': 'uuid' },
  },
  devices: {
    columns: `d.client_id, c.name as application, d.scopes, d.allowed, d.created_at, d.requested_from`,
    from: 'device_requests d left join clients c on c.client_id = d.client_id where d.user_id = $1::uuid',
    key: { 'd.created_at': 'timestamptz', 'd.device_code_hash': 'bytea' },
  },
  sign_outs: {
    columns: 'l.client_id, c.name as application, l.sid as session, l.created_at, l.delivered_at',
    from: 'logout_deliveries l left join clients c on c.client_id = l.client_id where l.user_id = $1::uuid',
    key: { 'l.created_at': 'timestamptz', 'l.id': 'bigint' },
  },
  applications: {
    columns: `c.client_id, c.name, c.type, c.redirect_uris, c.scopes, c.standard, c.refresh_grace,
      c.home_page, c.privacy_policy, c.terms_of_service, c.verified_at, c.suspended_at, c.created_at,
      c.id_token_algorithm, c.id_token_claims, c.par_required, c.pkce_required, c.mfa_required, c.jwks, c.device_flow,
      c.post_logout_redirect_uris, c.backchannel_logout_uri, null::text as logo_type, c.logo,
      (select coalesce(json_agg(json_build_object('number', s.number, 'created_at', s.created_at,
          'expires_at', s.expires_at, 'last_used_at', s.last_used_at) order by s.number), '[]')
        from secrets s where s.holder = c.client_id) as secrets`,
    from: 'clients c where c.owner_id = $1::uuid',
    key: { 'c.created_at': 'timestamptz', 'c.client_id': 'text' },
    pageSize: 10,
  },
  // The IP of a client's request may be another user's IP.
  refusals_of_apis: {
    columns: `r.api_id, a.name as api, r.client_id, c.name as application, r.endpoint, r.error, r.kind, r.facts, r.at,
      r.incident, case when r.client_id is null then r.ip end as ip`,
    from: `refusals r join apis a on a.api_id = r.api_id left join clients c on c.client_id = r.client_id
      where a.owner_id = $1::uuid`,
    key: { 'r.id': 'bigint' },
  },
  apis: {
    columns: `a.api_id, a.identifier, a.name, a.description_fr, a.description_en, a.scopes, a.token_lifetime, a.allowed_clients, a.jwks,
      a.suspended_at, a.created_at,
      (select coalesce(json_agg(json_build_object('number', s.number, 'created_at', s.created_at,
          'expires_at', s.expires_at, 'last_used_at', s.last_used_at) order by s.number), '[]')
        from secrets s where s.holder = a.api_id) as secrets`,
    from: 'apis a where a.owner_id = $1::uuid',
    key: { 'a.created_at': 'timestamptz', 'a.api_id': 'text' },
    pageSize: 10,
  },
  service_access: {
    columns: `s.api_id, a.name as api, s.client_id, c.name as application, s.scopes, s.requested_at, s.granted_at`,
    from: `api_service_access s join apis a on a.api_id = s.api_id join clients c on c.client_id = s.client_id
      where (s.api_id, s.client_id) in (
        select w.api_id, w.client_id from api_service_access w join apis owned on owned.api_id = w.api_id
          where owned.owner_id = $1::uuid
        union all select w.api_id, w.client_id from api_service_access w join clients owned on owned.client_id = w.client_id
          where owned.owner_id = $1::uuid)`,
    key: { 's.requested_at': 'timestamptz', 's.api_id': 'text', 's.client_id': 'text' },
  },
  revoked_clients: {
    columns: `x.api_id, a.name as api, x.client_id, c.name as application, x.excluded_at, x.lifted_at`,
    from: `api_exclusions x join apis a on a.api_id = x.api_id left join clients c on c.client_id = x.client_id
      where a.owner_id = $1::uuid`,
    key: { 'x.excluded_at': 'timestamptz', 'x.api_id': 'text', 'x.client_id': 'text' },
  },
  // The email address is exported only for offers that the user made.
  transfer_offers: {
    columns: `t.client_id, c.name as application, t.api_id, a.name as api, d.direction,
      case d.direction when 'offered' then t.email end as email, t.offered_at, t.expires_at`,
    from: `transfer_offers t left join clients c on c.client_id = t.client_id left join apis a on a.api_id = t.api_id,
      lateral (select case when coalesce(c.owner_id, a.owner_id) = $1::uuid then 'offered' else 'received' end) as d (direction)
      where t.holder in (select owned.client_id from clients owned where owned.owner_id = $1::uuid
        union all select owned.api_id from apis owned where owned.owner_id = $1::uuid
        union all select received.holder from transfer_offers received where received.recipient_id = $1::uuid)`,
    key: { 't.offered_at': 'timestamptz', 't.holder': 'text' },
  },
  messages: {
    columns: 't.kind, t.email, t.created_at, t.expires_at, t.used_at',
    from: 'one_time_tokens t where t.user_id = $1::uuid',
    key: { 't.created_at': 'timestamptz', 't.hash': 'bytea' },
  },
  // The details of events that concern another account are omitted. The union avoids sorting all events for each page.
  events: {
    columns: `e.at, e.kind, case when e.user_id = $1::uuid or c.owner_id = $1::uuid then e.client_id end as client_id,
      case when e.user_id = $1::uuid or i.owner_id = $1::uuid then e.api_id end as api_id,
      case when e.user_id = $1::uuid then e.detail else '{}'::jsonb end as detail,
      ${EVENT_ACTOR_SQL} as actor, ${EVENT_IP_SQL} as ip`,
    from: `(
        (select * from events where user_id = $1::uuid and (at, id) > ($2::timestamptz, $3::bigint)
          order by at, id limit ${PAGE_SIZE})
        union
        (select * from events where actor_id = $1::uuid and (at, id) > ($2::timestamptz, $3::bigint)
          order by at, id limit ${PAGE_SIZE})
      ) e left join clients c on c.client_id = e.client_id left join apis i on i.api_id = e.api_id where true`,
    key: { 'e.at': 'timestamptz', 'e.id': 'bigint' },
  },
};

/** The last row's key, as text because a Date would lose the microseconds. */
type Cursor = string[];

const EXPORT_STATEMENTS = Object.entries(EXPORT_LISTS).map(
  ([name, { columns, from, key, pageSize = PAGE_SIZE }]) => {
    const [expressions, types] = [Object.keys(key), Object.values(key)];
    const order = expressions.join(', ');
    const after = types.map((type, index) => `$${index + 2}::${type}`).join(', ');
    const text = `select ${columns}, array[${expressions.map((expression) => `${expression}::text`).join(', ')}] as "after"
    from ${from} and (${order}) > (${after}) order by ${order} limit ${pageSize}`;
    const start: Cursor = types.map((type) => MIN_VALUES[type]);
    return { name, pageSize, start, query: statement(`export_${name}`, text) };
  },
);

async function addPicture(database: Database, row: ExportSection, field: string): Promise<ExportSection> {
  const hash = row[field];
  const picture = typeof hash === 'string' ? await findPicture(database, hash) : undefined;
  const content = picture?.content.toString('base64') ?? null;
  return { ...row, [`${field}_type`]: picture?.type ?? null, [field]: content };
}

const findProfile = findOne<ExportSection, [userId: string]>(
  'export_profile',
  `select u.id as sub, u.name, u.email, u.email_verified, u.phone, u.locale as language, u.is_admin,
    u.profile_updated_at as updated_at, u.created_at, u.password_set_at, u.invited_at, u.imported_at, u.totp_enabled_at as authenticator_app_since,
    null::text as picture_type, u.picture_hash as picture
  from users u where u.id = $1::uuid`,
);

export async function exportProfile(database: Database, userId: string): Promise<ExportSection | undefined> {
  const profile = await findProfile(database, userId);
  return profile && addPicture(database, profile, 'picture');
}

export interface ExportPage {
  list: string;
  rows: ExportSection[];
  last: boolean;
}

/** No transaction stays open while the caller consumes the pages. */
export async function* exportLists(database: Database, userId: string): AsyncGenerator<ExportPage, void> {
  for (const { name, pageSize, start, query } of EXPORT_STATEMENTS) {
    let cursor: Cursor | undefined = start;
    while (cursor !== undefined) {
      const found: (ExportSection & { after: Cursor })[] = await database.query(query, [userId, ...cursor]);
      cursor = found.length < pageSize ? undefined : found.at(-1)?.after;
      const exported = found.map(({ after: _, ...row }) => row);
      const rows =
        name === 'applications'
          ? await Promise.all(exported.map((row) => addPicture(database, row, 'logo')))
          : exported;
      yield { list: name, rows, last: cursor === undefined };
    }
  }
}

const listOwnedClients = findAll<{ clientId: string; name: string }, [userId: string]>(
  'list_own_client_names',
  'select c.client_id as "clientId", c.name from clients c where c.owner_id = $1::uuid order by c.name, c.client_id',
);

const countUsers = findAll<{ clientId: string; users: number }, [clientIds: string[], userId: string]>(
  'count_users_of_own_clients',
  `select k.client_id as "clientId", count(*)::int as users from consents k
  where k.client_id = any($1::text[]) and k.withdrawn_at is null and k.user_id <> $2::uuid group by k.client_id`,
);

export async function listOwnedClientsWithUsers(
  database: Queryable,
  userId: string,
): Promise<{ clientId: string; name: string; users: number }[]> {
  const clients = await listOwnedClients(database, userId);
  if (clients.length === 0) return [];
  const counts = await countUsers(
    database,
    clients.map(({ clientId }) => clientId),
    userId,
  );
  const userCounts = new Map(counts.map(({ clientId, users }) => [clientId, users]));
  return clients.map((client) => ({ ...client, users: userCounts.get(client.clientId) ?? 0 }));
}
