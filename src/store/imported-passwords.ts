// Imported password hashes, which are replaced when the user first signs in.
import type { Queryable } from './database.ts';
import { count, findOne, findValue, hasRows } from './query.ts';

export const IMPORTED_PREFIX = '{imported}';

/** The index `users_imported_password` has the same condition. */
export const HAS_IMPORTED_PASSWORD_SQL = `u.password_hash like '${IMPORTED_PREFIX}%'`;

const HASH_SCHEME_SQL = String.raw`substring(u.password_hash from '^\{imported\}([$][^$]+(?:[$]v=[0-9]+)?[$][^$]+)')`;

export interface ImportedScheme {
  /** Scheme and cost parameters, such as `$2b$10`. */
  scheme: string;
  example: string;
}

const findNextScheme = findOne<ImportedScheme, [after: string]>(
  'find_next_imported_scheme',
  `select ${HASH_SCHEME_SQL} as scheme, u.password_hash as example from users u
  where ${HAS_IMPORTED_PASSWORD_SQL} and ${HASH_SCHEME_SQL} > $1::text
  order by ${HASH_SCHEME_SQL} limit 1`,
);

/** Maximum number of schemes to list. Each scheme takes one index lookup. */
export const MAX_SCHEMES = 1000;

export async function listImportedSchemes(database: Queryable): Promise<ImportedScheme[]> {
  const schemes: ImportedScheme[] = [];
  let next = await findNextScheme(database, '');
  while (next !== undefined && schemes.length < MAX_SCHEMES) {
    schemes.push(next);
    next = await findNextScheme(database, next.scheme);
  }
  return schemes;
}

export const countImportedHashes = count(
  'count_imported_hashes',
  `select count(*)::int as count from users u where ${HAS_IMPORTED_PASSWORD_SQL}`,
);

/**
 * Sessions and grants stay valid because the password is the same. Returns false if the hash was replaced concurrently.
 */
export const replaceImportedHash = hasRows<[userId: string, verifiedHash: string, newHash: string]>(
  'replace_imported_hash',
  'update users set password_hash = $3::text where id = $1::uuid and password_hash = $2::text returning id',
);

export const findPasswordHash = findValue<string | null, [userId: string]>(
  'find_password_hash',
  'select u.password_hash from users u where u.id = $1::uuid',
);
