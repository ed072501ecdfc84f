// What the database knows more about refused requests: of whom they were, which secret it was, what became of the grant
// (oauth/diagnosis.ts).
import type { DiagnosedApi, DiagnosedClient, DiagnosedGrant, DiagnosedSecret } from '../oauth/diagnosis.ts';
import { findAll } from './query.ts';

/** The applications, and the APIs, that authenticate by these identifiers. */
export const findDiagnosedClients = findAll<DiagnosedClient, [clientIds: string[]]>(
  'diagnosed_clients',
  `select c.client_id as "clientId", c.owner_id as "ownerId", c.type, c.suspended_at is not null as suspended
  from clients c where c.client_id = any($1::text[])
  union all
  select a.api_id, a.owner_id, 'api', a.suspended_at is not null from apis a where a.api_id = any($1::text[])`,
);

export const findDiagnosedApis = findAll<DiagnosedApi, [identifierKeys: string[]]>(
  'diagnosed_apis',
  `select a.api_id as "apiId", a.identifier_key as "identifierKey" from apis a where a.identifier_key = any($1::text[])`,
);

/** The secrets of these hashes, whoever they belong to. */
export const findDiagnosedSecrets = findAll<DiagnosedSecret, [hashes: Buffer[]]>(
  'diagnosed_secrets',
  `select s.holder as "clientId", coalesce(c.owner_id, a.owner_id) as "ownerId", coalesce(c.name, a.name) as name,
    s.secret_hash as hash, s.number, s.created_at as "createdAt", s.expires_at as "expiresAt"
  from secrets s left join clients c on c.client_id = s.client_id left join apis a on a.api_id = s.api_id
  where s.secret_hash = any($1::bytea[])`,
);

export const findDiagnosedGrants = findAll<DiagnosedGrant, [grantIds: string[]]>(
  'diagnosed_grants',
  `select g.id as "grantId", g.client_id as "clientId", g.generation, g.revoked_at is not null as revoked,
    exists (
      select from users u, clients c, consents k
      where u.id = g.user_id and u.suspended_at is null and c.client_id = g.client_id
        and k.user_id = g.user_id and k.client_id = g.client_id and g.epoch = u.epoch + c.epoch + k.epoch) as valid
  from grants g where g.id = any($1::uuid[])`,
);
