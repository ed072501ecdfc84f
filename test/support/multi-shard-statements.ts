// Statements that may query all Citus shards. `*` is a wildcard.
export const MULTI_SHARD_STATEMENTS: Readonly<Record<string, readonly string[]>> = {
  "administrators' lists, search and counts": [
    ...['admin_accounts_*', 'admin_clients_*_matching', 'admin_apis_*_matching', 'admin_count_*'],
    ...['events_*', 'list_admins', 'has_admin'],
  ],
  "other accounts' emails, by account ID": ['find_emails_by_user'],
  'user counts of clients': [
    'count_users_of_agents',
    'count_users_of_client',
    'count_users_of_client_capped',
    'count_users_of_own_clients',
  ],
  "an account's actions on other accounts": ['export_events', 'list_changed_items'],
  'accounts that are linked to an identity provider, for administrators': [
    'count_links_of_provider',
    'count_links_of_provider_capped',
    'count_accounts_that_need_provider',
    'adopt_imported_links',
    'find_users_of_provider',
    'delete_links_of_provider',
    'release_links_of_provider',
  ],
  'imported password hashes': ['find_next_imported_scheme', 'count_imported_hashes'],
  'the command line': [
    'list_users',
    'list_clients',
    'revoke_access_of_all_accounts',
    'withdraw_consents_of_client',
    'list_*_to_export',
  ],
  'due jobs of all accounts': ['find_due_logout_deliveries', 'find_due_emails', 'find_due_mfa_reset'],
  'deliveries to clients': ['list_logout_deliveries', 'list_failing_logout_clients'],
  'device requests of the last 15 minutes, for the export': ['export_devices'],
  'revoked client_credentials access': ['delete_service_tokens', 'delete_service_tokens_*'],
  'grants that include an API': ['list_api_access'],
  'disclosures are written in batches of many accounts': ['find_existing_users', 'record_disclosures'],
  'unused agents': ['find_consented_agents'],
  'accounts are imported in batches': [
    ...['find_taken_*', 'claim_imported_*', 'insert_imported_*', 'insert_import_events'],
  ],
  'pruning of expired rows': ['prune_*', 'erase_ips_of_*', 'sweep_*'],
};

export function findException(name: string): { reason: string; pattern: string } | undefined {
  for (const [reason, patterns] of Object.entries(MULTI_SHARD_STATEMENTS))
    for (const pattern of patterns)
      if (new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name)) return { reason, pattern };
  return undefined;
}
