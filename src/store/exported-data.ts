// Everything about an account, for its owner. Never a hash, secret or sealed key, nor the IP of another user.
import { AGREED_APIS, AGREED_HERE, LAST_USE_OF_CONSENT, WITH_USED_GRANTS } from './consents.ts';
import type { Database, Queryable } from './database.ts';
import { findPicture } from './pictures.ts';
import { findAll, findOne } from './query.ts';
import { statement } from './statement.ts';

export type Section = Record<string, unknown>;

/** A list of the export: read in pages, each going on after the last row of the one before. */
interface List {
  columns: string;
  from: string;
  /** The columns that rows are ordered by, with their types; unique together. */
  key: Record<string, keyof typeof LEAST>;
  page?: number;
}

/** Below whatever a column of a key holds. */
const LEAST = {
  timestamptz: '-infinity',
  uuid: '00000000-0000-0000-0000-000000000000',
  bigint: '0',
  text: '',
  bytea: '\\x',
};

const PAGE = 500;

/** By the name they have there. `$1` is whose data it is; `after` and `page` are put in below. */
const LISTS: Record<string, List> = {
  passkeys: {
    columns: 'k.name, k.aaguid, k.transports, k.synced, k.backed_up, k.created_at, k.last_used_at',
    from: 'passkeys k where k.user_id = $1::uuid',
    key: { 'k.created_at': 'timestamptz', 'k.credential_id': 'bytea' },
  },
  recovery_codes: {
    columns: 'r.created_at, r.used_at',
    from: 'recovery_codes r where r.user_id = $1::uuid',
    key: { 'r.created_at': 'timestamptz', 'r.hash': 'bytea' },
  },
  trusted_browsers: {
    columns: 't.created_at, t.expires_at, t.user_agent',
    from: 'trusted_browsers t where t.user_id = $1::uuid',
    key: { 't.created_at': 'timestamptz', 't.id': 'uuid' },
  },
  second_factor_resets: {
    columns: 'r.asked_at, r.due_at, r.passkeys',
    from: 'second_factor_resets r where r.user_id = $1::uuid',
    key: { 'r.asked_at': 'timestamptz', 'r.user_id': 'uuid' },
  },
  sessions: {
    columns:
      's.sid, s.started_at, s.auth_time, s.fully_proven_at, s.methods, s.passkey_before, s.last_seen_at, s.expires_at, s.address, s.user_agent',
    from: 'sessions s where s.user_id = $1::uuid',
    key: { 's.auth_time': 'timestamptz', 's.id_hash': 'bytea' },
  },
  consents: {
    columns: `k.client_id, c.name as application, c.client_id is not null and c.owner_id is null as agent,
      ${AGREED_HERE} as scopes, ${AGREED_APIS} as apis, k.granted_at,
      ${LAST_USE_OF_CONSENT} as last_used_at, k.withdrawn_at`,
    from: `consents k left join clients c on c.client_id = k.client_id ${WITH_USED_GRANTS} where k.user_id = $1::uuid`,
    key: { 'k.granted_at': 'timestamptz', 'k.client_id': 'text' },
  },
  disclosures: {
    columns: `d.client_id, d.application_name as application, string_to_array(d.fields, ' ') as fields, d.first_at,
      d.last_at, d.times::float8 as times`,
    from: 'disclosures d where d.user_id = $1::uuid',
    key: { 'd.first_at': 'timestamptz', 'd.client_id': 'text', 'd.fields': 'text' },
  },
  // In the order of the index: there may be more of them than of anything else.
  grants: {
    columns: `g.client_id, c.name as application, g.sid as session, g.created_at, g.advanced_at as last_used_at,
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
      c.id_token_algorithm, c.id_token_claims, c.par_required, c.pkce_required, c.second_factor_required, c.jwks, c.device_flow,
      c.post_logout_redirect_uris, c.backchannel_logout_uri, null::text as logo_type, c.logo,
      (select coalesce(json_agg(json_build_object('number', s.number, 'created_at', s.created_at,
          'expires_at', s.expires_at, 'last_used_at', s.last_used_at) order by s.number), '[]')
        from secrets s where s.holder = c.client_id) as secrets`,
    from: 'clients c where c.owner_id = $1::uuid',
    key: { 'c.created_at': 'timestamptz', 'c.client_id': 'text' },
    page: 10,
  },
  // Where an application asked from is its owner's to know, or a person's.
  refusals_of_apis: {
    columns: `r.api_id, a.name as api, r.client_id, c.name as application, r.endpoint, r.error, r.kind, r.facts, r.at,
      r.incident, case when r.client_id is null then r.address end as address`,
    from: `refusals r join apis a on a.api_id = r.api_id left join clients c on c.client_id = r.client_id
      where a.owner_id = $1::uuid`,
    key: { 'r.id': 'bigint' },
  },
  apis: {
    columns: `a.api_id, a.identifier, a.name, a.words_fr, a.words_en, a.scopes, a.token_lifetime, a.admits, a.jwks,
      a.suspended_at, a.created_at,
      (select coalesce(json_agg(json_build_object('number', s.number, 'created_at', s.created_at,
          'expires_at', s.expires_at, 'last_used_at', s.last_used_at) order by s.number), '[]')
        from secrets s where s.holder = a.api_id) as secrets`,
    from: 'apis a where a.owner_id = $1::uuid',
    key: { 'a.created_at': 'timestamptz', 'a.api_id': 'text' },
    page: 10, // up to forty scopes each
  },
  // What applications may do at APIs on their own account, where either is theirs.
  service_access: {
    columns: `s.api_id, a.name as api, s.client_id, c.name as application, s.scopes, s.asked_at, s.granted_at`,
    from: `api_service_access s join apis a on a.api_id = s.api_id join clients c on c.client_id = s.client_id
      where (s.api_id, s.client_id) in (
        select of.api_id, of.client_id from api_service_access of join apis own on own.api_id = of.api_id
          where own.owner_id = $1::uuid
        union all select of.api_id, of.client_id from api_service_access of join clients own on own.client_id = of.client_id
          where own.owner_id = $1::uuid)`,
    key: { 's.asked_at': 'timestamptz', 's.api_id': 'text', 's.client_id': 'text' },
  },
  // Whom they cut off from their APIs, and let in again.
  cut_off: {
    columns: `x.api_id, a.name as api, x.client_id, c.name as application, x.excluded_at, x.lifted_at`,
    from: `api_exclusions x join apis a on a.api_id = x.api_id left join clients c on c.client_id = x.client_id
      where a.owner_id = $1::uuid`,
    key: { 'x.excluded_at': 'timestamptz', 'x.api_id': 'text', 'x.client_id': 'text' },
  },
  // The email address of a received offer is its owner's data.
  transfer_offers: {
    columns: `t.client_id, c.name as application, t.api_id, a.name as api, d.direction,
      case d.direction when 'offered' then t.email end as email, t.offered_at, t.expires_at`,
    from: `transfer_offers t left join clients c on c.client_id = t.client_id left join apis a on a.api_id = t.api_id,
      lateral (select case when coalesce(c.owner_id, a.owner_id) = $1::uuid then 'offered' else 'received' end) as d (direction)
      where t.holder in (select own.client_id from clients own where own.owner_id = $1::uuid
        union all select own.api_id from apis own where own.owner_id = $1::uuid
        union all select given.holder from transfer_offers given where given.recipient_id = $1::uuid)`,
    key: { 't.offered_at': 'timestamptz', 't.holder': 'text' },
  },
  messages: {
    columns: 't.kind, t.email, t.created_at, t.expires_at, t.used_at',
    from: 'one_time_tokens t where t.user_id = $1::uuid',
    key: { 't.created_at': 'timestamptz', 't.hash': 'bytea' },
  },
  // What the user did, and what was done to the account. Of what they did to others only the kind. A union, because with `or`
  // all events would be read and sorted for each page.
  events: {
    columns: `e.at, e.kind, case when e.user_id = $1::uuid or c.owner_id = $1::uuid then e.client_id end as client_id,
      case when e.user_id = $1::uuid or i.owner_id = $1::uuid then e.api_id end as api_id,
      case when e.user_id = $1::uuid then e.detail else '{}'::jsonb end as detail,
      case when e.actor_id is null then null when e.actor_id = $1::uuid then 'you'
        when e.kind in ('application_transferred', 'application_transfer_declined', 'api_transferred',
          'api_transfer_declined') then 'recipient'
        when e.kind like 'service_access_%' then 'other_owner'
        else 'operator' end as actor,
      case when e.actor_id is null or e.actor_id = $1::uuid then e.address end as address`,
    from: `(
        (select * from events where user_id = $1::uuid and (at, id) > ($2::timestamptz, $3::bigint)
          order by at, id limit ${PAGE})
        union
        (select * from events where actor_id = $1::uuid and (at, id) > ($2::timestamptz, $3::bigint)
          order by at, id limit ${PAGE})
      ) e left join clients c on c.client_id = e.client_id left join apis i on i.api_id = e.api_id where true`,
    key: { 'e.at': 'timestamptz', 'e.id': 'bigint' },
  },
};

/** Where a list goes on: the key of its last row, in the database's own words, which are exact to the microsecond. */
type After = string[];

const STATEMENTS = Object.entries(LISTS).map(([name, { columns, from, key, page = PAGE }]) => {
  const [expressions, types] = [Object.keys(key), Object.values(key)];
  const order = expressions.join(', ');
  const after = types.map((type, at) => `$${at + 2}::${type}`).join(', ');
  const text = `select ${columns}, array[${expressions.map((expression) => `${expression}::text`).join(', ')}] as "after"
    from ${from} and (${order}) > (${after}) order by ${order} limit ${page}`;
  const first: After = types.map((type) => LEAST[type]);
  return { name, page, first, asked: statement(`export_${name}`, text) };
});

/** Replaces the hash of a picture, in one field of a row, by its type and content. */
async function withPicture(database: Database, row: Section, field: string): Promise<Section> {
  const hash = row[field];
  const picture = typeof hash === 'string' ? await findPicture(database, hash) : undefined;
  const content = picture?.content.toString('base64') ?? null;
  return { ...row, [`${field}_type`]: picture?.type ?? null, [field]: content };
}

const findProfile = findOne<Section, [userId: string]>(
  'export_profile',
  `select u.id as sub, u.name, u.email, u.email_verified, u.phone, u.locale as language, u.operator,
    u.profile_updated_at as updated_at, u.created_at, u.password_chosen_at, u.invited_at, u.totp_since as authenticator_app_since,
    null::text as picture_type, u.picture_hash as picture
  from users u where u.id = $1::uuid`,
);

export async function readProfile(database: Database, userId: string): Promise<Section | undefined> {
  const profile = await findProfile(database, userId);
  return profile && withPicture(database, profile, 'picture');
}

/** A part of a list. */
export interface ListPage {
  list: string;
  rows: Section[];
  last: boolean;
}

/** Reads all lists of an account in pages, each by a short statement, however slowly the caller reads. */
export async function* readLists(database: Database, userId: string): AsyncGenerator<ListPage, void> {
  for (const { name, page, first, asked } of STATEMENTS) {
    let from: After | undefined = first;
    while (from !== undefined) {
      const found: (Section & { after: After })[] = await database.query(asked, [userId, ...from]);
      from = found.length < page ? undefined : found.at(-1)?.after;
      const read = found.map(({ after: _, ...row }) => row);
      const rows =
        name === 'applications'
          ? await Promise.all(read.map((row) => withPicture(database, row, 'logo')))
          : read;
      yield { list: name, rows, last: from === undefined };
    }
  }
}

const listOwn = findAll<{ clientId: string; name: string }, [userId: string]>(
  'list_names_of_own_applications',
  'select c.client_id as "clientId", c.name from clients c where c.owner_id = $1::uuid order by c.name, c.client_id',
);

const countUsers = findAll<{ clientId: string; users: number }, [clientIds: string[], userId: string]>(
  'count_users_of_own_applications',
  `select k.client_id as "clientId", count(*)::int as users from consents k
  where k.client_id = any($1::text[]) and k.withdrawn_at is null and k.user_id <> $2::uuid group by k.client_id`,
);

/** The applications of an account, with the number of other accounts that use each. */
export async function listOwnApplications(
  database: Queryable,
  userId: string,
): Promise<{ clientId: string; name: string; users: number }[]> {
  const own = await listOwn(database, userId);
  if (own.length === 0) return [];
  const counts = await countUsers(
    database,
    own.map(({ clientId }) => clientId),
    userId,
  );
  const usersOf = new Map(counts.map(({ clientId, users }) => [clientId, users]));
  return own.map((client) => ({ ...client, users: usersOf.get(client.clientId) ?? 0 }));
}
