// Finds the client, API, secret and grant of a refused request (oauth/refusal-diagnosis.ts).
import type {
  DiagnosedApi,
  DiagnosedClient,
  DiagnosedGrant,
  DiagnosedSecret,
} from '../oauth/refusal-diagnosis.ts';
import { findAll, findHot } from './query.ts';

export const findDiagnosedClients = findAll<DiagnosedClient, [clientIds: string[]]>(
  'find_diagnosed_clients',
  `select c.client_id as "clientId", c.owner_id as "ownerId", c.type, c.suspended_at is not null as suspended
  from clients c where c.client_id = any($1::text[])
  union all
  select a.api_id, a.owner_id, 'api', a.suspended_at is not null from apis a where a.api_id = any($1::text[])`,
);

export const findDiagnosedApis = findAll<DiagnosedApi, [identifierKeys: string[]]>(
  'find_diagnosed_apis',
  `select a.api_id as "apiId", a.identifier_key as "identifierKey" from apis a where a.identifier_key = any($1::text[])`,
);

export const findDiagnosedSecrets = findAll<DiagnosedSecret, [hashes: Buffer[]]>(
  'find_diagnosed_secrets',
  `select s.holder as "clientId", coalesce(c.owner_id, a.owner_id) as "ownerId", coalesce(c.name, a.name) as name,
    s.secret_hash as hash, s.number, s.created_at as "createdAt", s.expires_at as "expiresAt"
  from secrets s left join clients c on c.client_id = s.client_id left join apis a on a.api_id = s.api_id
  where s.secret_hash = any($1::bytea[])`,
);

export const findDiagnosedGrant = findHot<DiagnosedGrant, [grant: { userId: string; grantId: string }]>(
  'find_diagnosed_grant',
  `select g.id as "grantId", g.client_id as "clientId", g.rotation, g.revoked_at is not null as revoked,
    coalesce(u.suspended_at is null and g.epoch = u.epoch + c.epoch + k.epoch, false) as "isValid"
  from grants g left join users u on u.id = $1::uuid left join clients c on c.client_id = g.client_id
    left join consents k on k.user_id = $1::uuid and k.client_id = g.client_id
  where g.user_id = $1::uuid and g.id = $2::uuid`,
  ({ userId, grantId }) => [userId, grantId],
);
