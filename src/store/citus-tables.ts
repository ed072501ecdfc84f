// How Citus distributes each table. Has no effect without Citus.

export type Distribution =
  /** Distributed by user id and colocated with `users`. */
  | { group: 'account'; column: string }
  /** Distributed by `column` and not colocated. */
  | { group: 'separate'; column: string }
  /** Copied to every node. */
  | { group: 'reference' };

const byUser = (column = 'user_id'): Distribution => ({ group: 'account', column });
const byColumn = (column: string): Distribution => ({ group: 'separate', column });
const reference: Distribution = { group: 'reference' };

/** `users` comes first because other tables are colocated with it. */
export const TABLE_DISTRIBUTION: Readonly<Record<string, Distribution>> = {
  users: byUser('id'),
  access_tokens: byUser(),
  consents: byUser(),
  disclosures: byUser(),
  events: byUser(),
  external_identities: byUser(),
  grants: byUser(),
  logout_deliveries: byUser(),
  one_time_tokens: byUser(),
  outbox: byUser(),
  passkeys: byUser(),
  recovery_codes: byUser(),
  mfa_resets: byUser(),
  sessions: byUser(),
  used_tokens: byUser(),
  throttles: byUser('key'),
  remembered_devices: byUser(),

  device_requests: byColumn('user_code_mac'),
  emails: byColumn('email_key'),
  external_identity_keys: byColumn('identity_key'),
  pictures: byColumn('hash'),
  service_tokens: byColumn('hash'),
  used_assertions: byColumn('jti_hash'),

  activity: reference,
  added_entries: reference,
  agents: reference,
  api_exclusions: reference,
  api_service_access: reference,
  apis: reference,
  client_observations: reference,
  clients: reference,
  identity_providers: reference,
  refusals: reference,
  schema_migrations: reference,
  secrets: reference,
  signing_keys: reference,
  transfer_offers: reference,
};
