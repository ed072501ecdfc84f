// How each table is distributed on Citus. On a single PostgreSQL it has no effect.

export type Distribution =
  /** On the shard of the row's account, whose id is in the column. */
  | { group: 'account'; column: string }
  /** On shards that belong to this table alone. */
  | { group: 'own'; column: string }
  /** A copy on every node. */
  | { group: 'reference' };

const account = (column = 'user_id'): Distribution => ({ group: 'account', column });
const own = (column: string): Distribution => ({ group: 'own', column });
const reference: Distribution = { group: 'reference' };

/** `users` comes first, because the other tables of accounts are placed where its rows are. */
export const DISTRIBUTION: Readonly<Record<string, Distribution>> = {
  users: account('id'),
  access_tokens: account(),
  consents: account(),
  disclosures: account(),
  events: account(),
  grants: account(),
  logout_deliveries: account(),
  mails: account(),
  one_time_tokens: account(),
  passkeys: account(),
  recovery_codes: account(),
  second_factor_resets: account(),
  sessions: account(),
  spent_tokens: account(),
  // An account's id, or a hash of the same type.
  throttles: account('key'),
  trusted_browsers: account(),

  device_requests: own('user_code_mac'),
  emails: own('email_key'),
  pictures: own('hash'),
  service_tokens: own('hash'),
  used_assertions: own('jti_hash'),

  activity: reference,
  added_entries: reference,
  agents: reference,
  api_exclusions: reference,
  api_service_access: reference,
  apis: reference,
  client_observations: reference,
  clients: reference,
  refusals: reference,
  schema_migrations: reference,
  secrets: reference,
  signing_keys: reference,
  transfer_offers: reference,
};
