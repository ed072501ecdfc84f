// Device authorization requests (RFC 8628).
import type { AuthenticationMethod } from '../oauth/authentication-methods.ts';
import type { ClientCredentials } from '../oauth/client-authentication.ts';
import { type GrantedScope, removeOfflineAccess } from '../oauth/scopes.ts';
import { AUTHENTICATE_CLIENT_SQL } from './clients.ts';
import type { Database, Queryable } from './database.ts';
import { findOne, findValue, hasRows } from './query.ts';
import { statement } from './statement.ts';

const findDeviceClient = findOne<
  { authenticated: boolean; deviceFlow: boolean; scopes: string[] },
  [credentials: ClientCredentials, now: Date]
>(
  'find_device_client',
  `select client.authenticated, c.device_flow as "deviceFlow", c.scopes
  from (${AUTHENTICATE_CLIENT_SQL}) as client join clients c on c.client_id = client.client_id`,
  (credentials, now) => ({ ...credentials, now }),
);

interface NewDeviceRequest {
  deviceCodeHash: Buffer;
  userCodeMac: Buffer;
  scopes: readonly GrantedScope[];
  now: Date;
  expiresAt: Date;
  interval: number;
  requestedFrom: string;
}

const insertRequest = hasRows<[request: NewDeviceRequest & { clientId: string }]>(
  'insert_device_request',
  `insert into device_requests (user_code_mac, device_code_hash, client_id, scopes, created_at, expires_at, interval,
    requested_from)
  values ($userCodeMac::bytea, $deviceCodeHash::bytea, $clientId::text, $scopes::text[], $now::timestamptz,
    $expiresAt::timestamptz, $interval::int, $requestedFrom::text)
  on conflict (user_code_mac) do nothing returning client_id`,
  (request) => ({ ...request }),
);

export async function insertDeviceRequest(
  database: Queryable,
  { credentials, ...request }: NewDeviceRequest & { credentials: ClientCredentials },
): Promise<'inserted' | 'taken' | 'unauthenticated' | 'notAllowed' | { registered: string[] }> {
  const client = await findDeviceClient(database, credentials, request.now);
  if (!client?.authenticated) return 'unauthenticated';
  if (!client.deviceFlow) return 'notAllowed';
  const { scopes: registered } = client;
  if (!removeOfflineAccess(request.scopes).every((scope) => registered.includes(scope)))
    return { registered };
  return (await insertRequest(database, { clientId: credentials.clientId, ...request }))
    ? 'inserted'
    : 'taken';
}

export interface PendingDeviceRequest {
  clientId: string;
  clientName: string;
  logo: string | null;
  verified: boolean;
  redirectUris: string[];
  scopes: string[];
  mfaRequired: boolean;
  requestedAt: Date;
  requestedFrom: string;
}

export const findPendingDevice = findOne<PendingDeviceRequest, [userCodeMac: Buffer, now: Date]>(
  'find_pending_device',
  `select d.client_id as "clientId", c.name as "clientName", c.logo, c.verified_at is not null as verified,
    c.redirect_uris as "redirectUris", d.scopes, c.mfa_required as "mfaRequired",
    d.created_at as "requestedAt", d.requested_from as "requestedFrom"
  from device_requests d join clients c on c.client_id = d.client_id
  where d.user_code_mac = $1::bytea and d.expires_at > $2::timestamptz and d.allowed is null
    and c.suspended_at is null and c.device_flow`,
);

export const findDeviceDecision = findValue<boolean, [userCodeMac: Buffer, userId: string, now: Date]>(
  'find_device_decision',
  `select allowed from device_requests
  where user_code_mac = $1::bytea and expires_at > $3::timestamptz and user_id = $2::uuid`,
);

/** Returns false if the request was already decided or has expired. The caller must lock the session first. */
export const decideDeviceRequest = hasRows<
  [
    decision: {
      userCodeMac: Buffer;
      now: Date;
      allowed: boolean;
      session: { userId: string; sid: string; authTime: Date; methods: AuthenticationMethod[] };
      /** Sum of the account, client and consent epochs. Null if the request is denied. */
      epoch: number | null;
    },
  ]
>(
  'decide_device_request',
  `update device_requests set allowed = $allowed::boolean, user_id = $userId::uuid, epoch = $epoch::int, sid = $sid::uuid,
    auth_time = $authTime::timestamptz, methods = $methods::text[]
  where user_code_mac = $userCodeMac::bytea and expires_at > $now::timestamptz and allowed is null
  returning client_id`,
  ({ session, ...decision }) => ({ ...decision, ...session }),
);

export interface AllowedDeviceRequest {
  userId: string;
  sid: string;
  epoch: number;
  authTime: Date;
  methods: AuthenticationMethod[];
  scopes: GrantedScope[];
}

// The interval is checked in SET, which PostgreSQL evaluates again after a concurrent poll.
const POLL_DEVICE_REQUEST = statement(
  'poll_device_request',
  `with client as (${AUTHENTICATE_CLIENT_SQL}),
  polled as (
    update device_requests d
    set interval = case when $now::timestamptz - d.polled_at < d.interval * interval '1 second' and d.allowed is null
                        then d.interval + 5 else d.interval end,
        polled_at = $now::timestamptz
    from client, device_requests before
    where d.user_code_mac = $userCodeMac::bytea and d.device_code_hash = $deviceCodeHash::bytea
      and d.client_id = client.client_id and client.authenticated
      and before.user_code_mac = $userCodeMac::bytea
    returning d.user_id as "userId", d.sid, d.epoch, d.auth_time as "authTime", d.methods, d.scopes,
      case when d.expires_at <= $now::timestamptz then 'expired'
           when d.allowed then 'allowed'
           when not d.allowed then 'denied'
           when d.interval > before.interval then 'tooFast'
           else 'waiting' end as outcome
  )
  select client.authenticated, polled.* from client left join polled on true`,
);

/**
 * Handles a poll (RFC 8628 §3.4, §3.5). `redeemDeviceCode` ensures that a code is redeemed only once.
 * @returns `unknown` if the client has no such device code
 */
export async function pollDeviceRequest(
  database: Database,
  {
    credentials,
    ...polled
  }: { credentials: ClientCredentials; userCodeMac: Buffer; deviceCodeHash: Buffer; now: Date },
): Promise<
  AllowedDeviceRequest | 'unauthenticated' | 'unknown' | 'expired' | 'denied' | 'tooFast' | 'waiting'
> {
  type PollOutcome = 'allowed' | 'expired' | 'denied' | 'tooFast' | 'waiting' | null;
  const [row] = await database.query<AllowedDeviceRequest & { authenticated: boolean; outcome: PollOutcome }>(
    POLL_DEVICE_REQUEST,
    {
      ...credentials,
      ...polled,
    },
  );
  if (row === undefined || !row.authenticated) return 'unauthenticated';
  const { authenticated: _, outcome, ...allowed } = row;
  if (outcome === null) return 'unknown';
  return outcome === 'allowed' ? allowed : outcome;
}
