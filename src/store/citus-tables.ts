// How Citus distributes each table. Has no effect without Citus.

export type Distribution =
  /** Distributed by user id and colocated with `users`. */
  | { group: 'account'; column: string }
  /** Distributed by `column` and not colocated. */
  | { group: 'separate'; column: string }
  /** Copied to every node. */
  | { group: 'reference' };

const account = (column = 'user_id'): Distribution => ({ group: 'account', column });
const separate = (column: string): Distribution => ({ group: 'separate', column });
const reference: Distribution = { group: 'reference' };

/** `users` must be first because other tables are colocated with it. */
export const TABLE_DISTRIBUTION: Readonly<Record<string, Distribution>> = {
  users: account('id'),
  access_tokens: account(),
  consents: account(),
  disclosures: account(),
  events: account(),
  external_identities: account(),
  grants: account(),
  logout_deliveries: account(),
  one_time_tokens: account(),
  outbox: account(),
  passkeys: account(),
  recovery_codes: account(),
  mfa_resets: account(),
  sessions: account(),
  used_tokens: account(),
  // The column `key` contains a user id, or a hash formatted as a UUID.
  throttles: account('key'),
  remembered_devices: account(),

  device_requests: separate('user_code_mac'),
  emails: separate('email_key'),
  external_identity_keys: separate('identity_key'),
  pictures: separate('hash'),
  service_tokens: separate('hash'),
  used_assertions: separate('jti_hash'),

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
