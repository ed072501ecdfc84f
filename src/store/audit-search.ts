// Finds the accounts, clients and APIs that match a search of the audit log.

import { toIdentifierKey } from '../oauth/api.ts';
import { isUuid } from './admin-accounts.ts';
import { prefixSearchSql } from './admin-lists.ts';
import type { EventSubject } from './audit-log.ts';
import type { Queryable } from './database.ts';
import { emailKey } from './emails.ts';
import { findAll, hasRows } from './query.ts';

const MAX_MATCHES_PER_KIND = 10;

const findAccounts = findAll<{ userId: string }, [email: string]>(
  'admin_accounts_in_events',
  `select x.id as "userId" from ${prefixSearchSql('users', 'id', 'email_key', '$1::text')} x limit ${MAX_MATCHES_PER_KIND + 1}`,
  (email) => [emailKey(email)],
);

const clientOrApiExists = hasRows<[id: string]>(
  'is_client_or_api',
  `select client_id from clients where client_id = $1::text union all select api_id from apis where api_id = $1::text`,
);

const findClients = findAll<{ clientId: string }, [name: string]>(
  'find_clients_in_events',
  `select x.id as "clientId" from ${prefixSearchSql('clients', 'client_id', 'lower(name)', 'lower($1::text)')} x
  limit ${MAX_MATCHES_PER_KIND + 1}`,
);

const findApis = findAll<{ apiId: string }, [name: string]>(
  'find_apis_in_events',
  `select x.id as "apiId" from (
    ${prefixSearchSql('apis', 'api_id', 'lower(name)', 'lower($1::text)')}
    union select api_id from apis where identifier_key = $2::text
  ) x limit ${MAX_MATCHES_PER_KIND + 1}`,
  (name) => [name, toIdentifierKey(name)],
);

/**
 * Finds subjects by id, API identifier, name prefix or email address prefix.
 * An id also matches deleted accounts, clients and APIs.
 * @returns `capped` is true if a kind had more than `MAX_MATCHES_PER_KIND` matches
 */
export async function findEventSubjects(
  database: Queryable,
  text: string,
): Promise<{ subjects: EventSubject[]; capped: boolean }> {
  if (isUuid(text)) return { subjects: [{ affectedId: text }, { actorId: text }], capped: false };
  const isId = /^[\x21-\x7e]{1,500}$/.test(text);
  const exact: EventSubject[] = isId ? [{ clientId: text }, { apiId: text }] : [];
  if (isId && (await clientOrApiExists(database, text))) return { subjects: exact, capped: false };
  const found = [
    await findAccounts(database, text),
    await findClients(database, text),
    await findApis(database, text),
  ] as const;
  const [accounts, clients, apis] = found;
  return {
    subjects: [
      ...exact,
      ...accounts
        .slice(0, MAX_MATCHES_PER_KIND)
        .flatMap(({ userId }) => [{ affectedId: userId }, { actorId: userId }]),
      ...clients.slice(0, MAX_MATCHES_PER_KIND),
      ...apis.slice(0, MAX_MATCHES_PER_KIND),
    ],
    capped: found.some((rows) => rows.length > MAX_MATCHES_PER_KIND),
  };
}
