// Devices that wait to be let in (RFC 8628): asked by one program, decided by a person, redeemed once.
import type { Method } from '../oauth/authentication-methods.ts';
import type { Credentials } from '../oauth/client-authentication.ts';
import { dataScopes, type GrantedScope } from '../oauth/scopes.ts';
import { AUTHENTICATED_CLIENT } from './clients.ts';
import type { Database, Queryable } from './database.ts';
import { affects, findOne, findValue } from './query.ts';
import { statement } from './statement.ts';

const INSERT = statement(
  'insert_device_request',
  `with client as (${AUTHENTICATED_CLIENT}),
  inserted as (
    insert into device_requests (device_code_hash, user_code_mac, client_id, scopes, created_at, expires_at, interval,
      requested_from)
    select $deviceCodeHash::bytea, $userCodeMac::bytea, client.client_id, $scopes::text[], $now::timestamptz, $expiresAt::timestamptz, $interval::int, $requestedFrom::text
    from client join clients c on c.client_id = client.client_id
    where client.authenticated and c.device_flow and c.scopes @> array_remove($scopes::text[], 'offline_access')
    on conflict (user_code_mac) do nothing
    returning 1
  )
  select client.authenticated, c.device_flow as "deviceFlow", c.scopes, exists (select from inserted) as inserted
  from client join clients c on c.client_id = client.client_id`,
);

/** Stores a device's request, or returns why it can't; `taken` if another device has the same user code. */
export async function insertDeviceRequest(
  database: Queryable,
  request: {
    credentials: Credentials;
    deviceCodeHash: Buffer;
    userCodeMac: Buffer;
    scopes: readonly GrantedScope[];
    now: Date;
    expiresAt: Date;
    interval: number;
    requestedFrom: string;
  },
): Promise<'inserted' | 'taken' | 'unauthenticated' | 'notAllowed' | { registered: string[] }> {
  const { credentials, ...values } = request;
  const [row] = await database.query<{
    authenticated: boolean;
    deviceFlow: boolean;
    scopes: string[];
    inserted: boolean;
  }>(INSERT, { ...credentials, ...values });
  if (row === undefined || !row.authenticated) return 'unauthenticated';
  if (!row.deviceFlow) return 'notAllowed';
  if (row.inserted) return 'inserted';
  return dataScopes(request.scopes).every((scope) => row.scopes.includes(scope))
    ? 'taken'
    : { registered: row.scopes };
}

export interface WaitingDevice {
  clientId: string;
  applicationName: string;
  logo: string | null;
  verified: boolean;
  redirectUris: string[];
  scopes: string[];
  secondFactorRequired: boolean;
  requestedAt: Date;
  requestedFrom: string;
}

/** The device that waits with this short code; undefined when none does, or it has been decided on. */
export const findWaitingDevice = findOne<WaitingDevice, [userCodeMac: Buffer, now: Date]>(
  'find_waiting_device',
  `select d.client_id as "clientId", c.name as "applicationName", c.logo, c.verified_at is not null as verified,
    c.redirect_uris as "redirectUris", d.scopes, c.second_factor_required as "secondFactorRequired",
    d.created_at as "requestedAt", d.requested_from as "requestedFrom"
  from device_requests d join clients c on c.client_id = d.client_id
  where d.user_code_mac = $1::bytea and d.expires_at > $2::timestamptz and d.allowed is null
    and c.suspended_at is null and c.device_flow`,
);

/** What a person has decided about the device with this short code; undefined when they have not. */
export const findDeviceDecision = findValue<boolean, [userCodeMac: Buffer, userId: string, now: Date]>(
  'find_device_decision',
  `select allowed from device_requests
  where user_code_mac = $1::bytea and expires_at > $3::timestamptz and user_id = $2::uuid`,
);

/** Writes what a person decided, once. False when it was decided already, or has expired, or their session is over. */
export const decideDeviceRequest = affects<
  [
    decision: {
      userCodeMac: Buffer;
      now: Date;
      allowed: boolean;
      session: { userId: string; sid: string; authTime: Date; methods: Method[] };
      /** What account, application and consent say together; null where it is not allowed. */
      epoch: number | null;
    },
  ]
>(
  'decide_device_request',
  `update device_requests set allowed = $allowed::boolean, user_id = $userId::uuid, epoch = $epoch::int, sid = $sid::uuid,
    auth_time = $authTime::timestamptz, methods = $methods::text[]
  where user_code_mac = $userCodeMac::bytea and expires_at > $now::timestamptz and allowed is null
    and exists (select from sessions s where s.user_id = $userId::uuid and s.sid = $sid::uuid for key share)
  returning client_id`,
  ({ session, ...decision }) => ({ ...decision, ...session }),
);

export interface AllowedDevice {
  userId: string;
  sid: string;
  authTime: Date;
  methods: Method[];
  scopes: GrantedScope[];
}

// Every decision is in the update's own SET: of two questions at once one comes second, and finds what the first wrote.
const POLL = statement(
  'poll_device_request',
  `with client as (${AUTHENTICATED_CLIENT}),
  polled as (
    update device_requests d
    set interval = case when d.polled_at + make_interval(secs => d.interval) > $now::timestamptz and d.allowed is null
                        then d.interval + 5 else d.interval end,
        polled_at = $now::timestamptz
    from client, device_requests before
    where d.device_code_hash = $deviceCodeHash::bytea and d.client_id = client.client_id and client.authenticated
      and before.device_code_hash = d.device_code_hash and d.redeemed_at is null
    returning d.user_id as "userId", d.sid, d.auth_time as "authTime", d.methods, d.scopes,
      case when d.expires_at <= $now::timestamptz then 'expired'
           when d.allowed then 'allowed'
           when not d.allowed then 'denied'
           when d.interval > before.interval then 'tooFast'
           else 'waiting' end as outcome
  )
  select client.authenticated, polled.* from client left join polled on true`,
);

/**
 * Polls for a device (RFC 8628 §3.4, §3.5). An allowed request is used up only by `redeemDeviceCode`.
 * @returns `unknown` if the code isn't the client's, or was used
 */
export async function pollDeviceRequest(
  database: Database,
  { credentials, deviceCodeHash, now }: { credentials: Credentials; deviceCodeHash: Buffer; now: Date },
): Promise<AllowedDevice | 'unauthenticated' | 'unknown' | 'expired' | 'denied' | 'tooFast' | 'waiting'> {
  type Outcome = 'allowed' | 'expired' | 'denied' | 'tooFast' | 'waiting' | null;
  const [row] = await database.query<AllowedDevice & { authenticated: boolean; outcome: Outcome }>(POLL, {
    ...credentials,
    now,
    deviceCodeHash,
  });
  if (row === undefined || !row.authenticated) return 'unauthenticated';
  const { authenticated: _, outcome, ...allowed } = row;
  if (outcome === null) return 'unknown';
  return outcome === 'allowed' ? allowed : outcome;
}
