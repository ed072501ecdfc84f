// What the owner of an API grants to an application on its own account (client_credentials).
import type { Database } from '../../src/store/database.ts';
import { statement } from '../../src/store/statement.ts';

const GRANT = statement(
  'test_grant_service_access',
  `insert into api_service_access (api_id, client_id, scopes, asked_at, granted_at)
  values ($1::text, $2::text, $3::text[], $4::timestamptz, $4::timestamptz) on conflict do nothing`,
);

/** Grants scopes of an API to an application, as its owner does. */
export const grantServiceAccess = async (
  database: Database,
  { apiId }: { apiId: string },
  { clientId }: { clientId: string },
  scopes: readonly string[] = ['read'],
  at = new Date(),
): Promise<void> => {
  await database.query(GRANT, [apiId, clientId, scopes, at]);
};
