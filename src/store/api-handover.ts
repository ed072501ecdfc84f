// What goes to the new owner of an API with it, and what ends there of the former one (D61).
import type { JSONWebKeySet } from 'jose';
import type { Admission, ApiScope } from '../oauth/api.ts';
import type { Queryable } from './database.ts';
import { type OwnSecret, ownApiSecrets } from './own-secrets.ts';
import { statement } from './statement.ts';

/** All by which somebody may be the API, or get tokens for it. */
export interface ApiHandover {
  name: string;
  identifier: string;
  scopes: ApiScope[];
  admits: Admission;
  /** What ends with the acceptance. */
  jwks: JSONWebKeySet | null;
  /** Those in force, latest first. */
  secrets: Omit<OwnSecret, 'lastUsedAt'>[];
  /** Applications that it granted access on their own account, and those it cut off: names alone may be alike. */
  granted: { clientId: string; name: string; scopes: string[] }[];
  cutOff: { clientId: string; name: string }[];
}

const LOCK = statement(
  'lock_api',
  'select a.api_id from apis a where a.api_id = $1::text for no key update of a',
);

/** Holds an API against every other change until the transaction ends; what is read after it stands. */
export async function lockApi(transaction: Queryable, apiId: string): Promise<void> {
  await transaction.query(LOCK, [apiId]);
}

const FIND = statement(
  'find_api_handover',
  `select a.name, a.identifier, a.scopes, a.admits, a.jwks,
    (select coalesce(jsonb_agg(jsonb_build_object('clientId', c.client_id, 'name', c.name, 'scopes', x.scopes)
        order by c.name, c.client_id), '[]')
      from api_service_access x join clients c on c.client_id = x.client_id
      where x.api_id = a.api_id and x.granted_at is not null) as granted,
    (select coalesce(jsonb_agg(jsonb_build_object('clientId', x.client_id,
        'name', case when c.owner_id is null then x.client_id else c.name end) order by c.name, x.client_id), '[]')
      from api_exclusions x left join clients c on c.client_id = x.client_id
      where x.api_id = a.api_id and x.lifted_at is null) as "cutOff"
  from apis a where a.api_id = $1::text`,
);

/** What an API would bring to whoever took it now; undefined when it is gone. */
export async function findApiHandover(
  database: Queryable,
  apiId: string,
  now: Date,
): Promise<ApiHandover | undefined> {
  const [row] = await database.query<Omit<ApiHandover, 'secrets'>>(FIND, [apiId]);
  const secrets = await ownApiSecrets.listInForce(database, apiId, now);
  return row && { ...row, secrets };
}

const CHANGE_OWNER = statement(
  'change_owner_of_api',
  `update apis set owner_id = $3::uuid, jwks = null
  where api_id = $1::text and owner_id = $2::uuid returning api_id`,
);

/** Gives an API to another account, without the keys of the former one. False when it is no longer that owner's. */
export async function changeApiOwner(
  database: Queryable,
  apiId: string,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  return (await database.query(CHANGE_OWNER, [apiId, from, to])).length === 1;
}
