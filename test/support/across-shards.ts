// The statements that may ask all shards of Citus, by the reason. `*` stands for any end of a name.
export const ACROSS_SHARDS: Readonly<Record<string, readonly string[]>> = {
  "administrators' lists, search and counts": [
    ...[
      'operators_accounts_*',
      'operators_clients_*_matching',
      'operators_apis_*_matching',
      'operators_count_*',
    ],
    ...['events_*', 'list_operators', 'has_operator'],
  ],
  'other accounts, by their ids': ['list_emails'],
  'how many accounts use a client': [
    'count_people_of_agents',
    'count_people_of_client',
    'count_some_people_of_client',
    'count_users_of_own_applications',
  ],
  'what an account did to others': ['export_events', 'list_changed_since'],
  'the command line': ['list_users', 'list_clients', 'end_accounts'],
  'what is due, of any account': ['find_due_logouts', 'find_due_mails', 'find_due_second_factor_reset'],
  'what a client was told, for its owner': ['list_logout_deliveries'],
  'devices that an account has let in within 15 minutes, for its export': ['export_devices'],
  'clients that act for themselves lose their access': ['end_service_tokens*'],
  'an API has grants of any account': ['list_access_to_api'],
  'the ledger is written in batches of many accounts': ['find_existing_users', 'write_disclosures'],
  'agents that are not used any more': ['find_consented_agents'],
  'pruning of rows that have expired': ['prune_*', 'forget_addresses_of_*', 'sweep_*'],
};

/** The reason why a statement may ask all shards, and the name in the list. */
export function exceptionOf(name: string): { reason: string; pattern: string } | undefined {
  for (const [reason, patterns] of Object.entries(ACROSS_SHARDS))
    for (const pattern of patterns)
      if (new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name)) return { reason, pattern };
  return undefined;
}
