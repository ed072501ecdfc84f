// Everything the database knows about a person, for that person to take away. Never a hash, a secret or a sealed key;
// of what others did, never where they did it from.
import { LAST_USE_OF_CONSENT } from './consents.ts';
import { type Queryable, statement } from './database.ts';

type Section = Record<string, unknown>;

const PROFILE = statement(
  'export_profile',
  `select u.id as sub, u.name, u.email, u.email_verified, u.phone, u.locale as language, u.operator,
    u.profile_updated_at as updated_at, u.created_at, p.type as picture_type,
    replace(encode(p.content, 'base64'), chr(10), '') as picture
  from users u left join pictures p on p.hash = u.picture_hash where u.id = $1::uuid`,
);

/** The lists of the export, by the name they have there. */
const LISTS = {
  sessions: `select s.sid, s.auth_time, s.last_seen_at, s.expires_at, s.address, s.user_agent
    from sessions s where s.user_id = $1::uuid order by s.auth_time`,
  consents: `select k.client_id, c.name as application, k.scopes, k.granted_at,
      ${LAST_USE_OF_CONSENT} as last_used_at, k.withdrawn_at
    from consents k left join clients c on c.client_id = k.client_id where k.user_id = $1::uuid order by k.granted_at`,
  disclosures: `select d.client_id, d.application_name as application, string_to_array(d.fields, ' ') as fields,
      d.first_at, d.last_at, d.times::float8 as times
    from disclosures d where d.user_id = $1::uuid order by d.first_at, d.client_id, d.fields`,
  // Grants have no index by person, which each sign-in would pay for: this reads the table, and is rare.
  grants: `select g.client_id, c.name as application, g.sid as session, g.created_at, g.advanced_at as last_used_at,
      g.revoked_at, g.revoked_at is not null or coalesce(g.epoch <> u.epoch + c.epoch + k.epoch, true) as ended
    from grants g join users u on u.id = g.user_id left join clients c on c.client_id = g.client_id
      left join consents k on k.user_id = g.user_id and k.client_id = g.client_id
    where g.user_id = $1::uuid order by g.created_at`,
  changes: `select h.at, h.kind, h.client_id, h.sid as session, h.detail
    from session_changes h where h.user_id = $1::uuid order by h.at, h.id`,
  devices: `select d.client_id, c.name as application, d.scopes, d.allowed, d.created_at, d.redeemed_at
    from device_requests d join clients c on c.client_id = d.client_id
    where d.user_id = $1::uuid order by d.created_at`,
  sign_outs: `select l.client_id, c.name as application, l.sid as session, l.created_at, l.delivered_at
    from logout_deliveries l left join clients c on c.client_id = l.client_id
    where l.user_id = $1::uuid order by l.created_at, l.id`,
  applications: `select c.client_id, c.name, c.type, c.redirect_uris, c.scopes, c.standard, c.refresh_grace,
      c.home_page, c.privacy_policy, c.terms_of_service, c.verified_at, c.suspended_at, c.created_at,
      c.id_token_algorithm, c.id_token_claims, c.par_required, c.pkce_required, c.resources, c.jwks, c.service_scopes, c.device_flow,
      c.post_logout_redirect_uris, c.backchannel_logout_uri, p.type as logo_type,
      replace(encode(p.content, 'base64'), chr(10), '') as logo,
      (select coalesce(json_agg(json_build_object('number', s.number, 'created_at', s.created_at,
          'expires_at', s.expires_at, 'last_used_at', s.last_used_at) order by s.number), '[]')
        from client_secrets s where s.client_id = c.client_id) as secrets
    from clients c left join pictures p on p.hash = c.logo
    where c.owner_id = $1::uuid order by c.created_at, c.client_id`,
  // Of an offer that was received, whose it is stays theirs to say.
  transfer_offers: `select t.client_id, c.name as application,
      case when c.owner_id = $1::uuid then 'offered' else 'received' end as direction,
      case when c.owner_id = $1::uuid then t.email end as email, t.offered_at, t.expires_at
    from transfer_offers t join clients c on c.client_id = t.client_id
    where c.owner_id = $1::uuid or t.recipient_id = $1::uuid order by t.offered_at, t.client_id`,
  messages: `select t.kind, t.email, t.created_at, t.expires_at, t.used_at
    from one_time_tokens t where t.user_id = $1::uuid order by t.created_at`,
  // What the person did, and what was done to the account. Of what they did to somebody else, as an operator or by
  // taking an application over, only that they did something: whom to is that person's.
  events: `select e.at, e.kind, case when e.user_id = $1::uuid or c.owner_id = $1::uuid then e.client_id end as client_id,
      case when e.user_id = $1::uuid then e.detail else '{}'::jsonb end as detail,
      case when e.actor_id is null then null when e.actor_id = $1::uuid then 'you'
        when e.kind in ('application_transferred', 'application_transfer_declined') then 'recipient'
        else 'operator' end as actor,
      case when e.actor_id is null or e.actor_id = $1::uuid then e.address end as address
    from events e left join clients c on c.client_id = e.client_id
    where e.user_id = $1::uuid or e.actor_id = $1::uuid order by e.at, e.id`,
};

const STATEMENTS = Object.entries(LISTS).map(
  ([name, text]) => [name, statement(`export_${name}`, text)] as const,
);

/** All of it, ready to be written as JSON; undefined when there is no such account. */
export async function readPersonalData(
  transaction: Queryable,
  userId: string,
): Promise<Record<string, Section | Section[]> | undefined> {
  const [profile] = await transaction.query<Section>(PROFILE, [userId]);
  if (profile === undefined) return undefined;
  const data: Record<string, Section | Section[]> = { profile };
  for (const [name, list] of STATEMENTS) data[name] = await transaction.query<Section>(list, [userId]);
  return data;
}

const OWN_APPLICATIONS = statement(
  'list_own_applications_with_users',
  `select c.client_id as "clientId", c.name,
    (select count(*)::int from consents k where k.client_id = c.client_id and k.withdrawn_at is null
      and k.user_id <> c.owner_id) as users
  from clients c where c.owner_id = $1::uuid order by c.name, c.client_id`,
);

/** The applications that go with an account, and how many other people use each. */
export const listOwnApplications = (
  database: Queryable,
  userId: string,
): Promise<{ clientId: string; name: string; users: number }[]> => database.query(OWN_APPLICATIONS, [userId]);
