// What the database knows more about refused requests: of whom they were, which secret it was, what became of the grant
// (oauth/diagnosis.ts).
import type { DiagnosedApi, DiagnosedClient, DiagnosedGrant, DiagnosedSecret } from '../oauth/diagnosis.ts';
import { findAll, findHot } from './query.ts';

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

/** The grant of a code or token, as it is now. */
export const findDiagnosedGrant = findHot<DiagnosedGrant, [grant: { userId: string; grantId: string }]>(
  'diagnosed_grant',
  `select g.id as "grantId", g.client_id as "clientId", g.generation, g.revoked_at is not null as revoked,
    coalesce(u.suspended_at is null and g.epoch = u.epoch + c.epoch + k.epoch, false) as valid
  from grants g left join users u on u.id = $1::uuid left join clients c on c.client_id = g.client_id
    left join consents k on k.user_id = $1::uuid and k.client_id = g.client_id
  where g.user_id = $1::uuid and g.id = $2::uuid`,
  ({ userId, grantId }) => [userId, grantId],
);
