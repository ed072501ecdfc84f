// Signing keys: made once, shared by every process, private halves encrypted under SECRET_KEY.
import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Sealer } from '../oauth/seal.ts';
import {
  SIGNING_ALGORITHMS,
  type SigningAlgorithm,
  type SigningKey,
  type SigningKeys,
} from '../oauth/tokens.ts';
import { type Database, type Queryable, statement } from './database.ts';

interface Row {
  kid: string;
  algorithm: SigningAlgorithm;
  publicJwk: JWK;
  privateKeySealed: string;
  createdAt: Date;
}

const LIST = statement(
  'list_signing_keys',
  `select kid, algorithm, public_jwk as "publicJwk", private_key_sealed as "privateKeySealed",
    created_at as "createdAt"
  from signing_keys order by algorithm`,
);

const INSERT = statement(
  'insert_signing_key',
  `insert into signing_keys (kid, algorithm, public_jwk, private_key_sealed, created_at)
  values ($1::text, $2::text, $3::jsonb, $4::text, $5::timestamptz)
  on conflict (algorithm) do nothing`,
);

const REPLACE = statement(
  'replace_signing_key',
  `insert into signing_keys (kid, algorithm, public_jwk, private_key_sealed, created_at)
  values ($1::text, $2::text, $3::jsonb, $4::text, $5::timestamptz)
  on conflict (algorithm) do update set kid = excluded.kid, public_jwk = excluded.public_jwk,
    private_key_sealed = excluded.private_key_sealed, created_at = excluded.created_at`,
);

const RESEAL = statement(
  'reseal_signing_key',
  'update signing_keys set private_key_sealed = $2::text where kid = $1::text',
);

/**
 * The keys of this service, made on the first start; of several processes that start at once, one wins and all use
 * its keys. A key sealed under SECRET_KEY_PREVIOUS is sealed anew, so that the previous secret can be dropped.
 * @throws Error when the keys do not open with the secrets in force
 */
export async function loadSigningKeys(database: Queryable, sealer: Sealer, now: Date): Promise<SigningKeys> {
  let rows = await database.query<Row & Record<string, unknown>>(LIST, []);
  const missing = SIGNING_ALGORITHMS.filter((algorithm) => !rows.some((row) => row.algorithm === algorithm));
  if (missing.length > 0) {
    for (const algorithm of missing) await database.query(INSERT, await newKey(sealer, algorithm, now));
    rows = await database.query(LIST, []);
  }
  const keys = await Promise.all(rows.map((row) => openKey(database, sealer, row)));
  return Object.fromEntries(keys.map((key) => [key.algorithm, key])) as SigningKeys;
}

/**
 * Reads the stored keys again. If they are others than before, they are exchanged in place, so that whoever holds
 * `keys` signs with and publishes the new ones from the next request on.
 * @returns whether they were others
 * @throws Error when they do not open with the secrets in force; `keys` stays as it was
 */
export async function refreshSigningKeys(
  database: Queryable,
  sealer: Sealer,
  keys: SigningKeys,
  now: Date,
): Promise<boolean> {
  const rows = await database.query<Row & Record<string, unknown>>(LIST, []);
  const isStored = (algorithm: SigningAlgorithm) => rows.some(({ kid }) => kid === keys[algorithm].kid);
  if (SIGNING_ALGORITHMS.every(isStored)) return false;
  Object.assign(keys, await loadSigningKeys(database, sealer, now));
  return true;
}

/**
 * Puts new keys in the place of all that are stored, which need not open any more. All processes take them over
 * within seconds (refreshSigningKeys); nothing verifies what the old ones signed.
 */
export async function replaceSigningKeys(database: Database, sealer: Sealer, now: Date): Promise<void> {
  const keys = await Promise.all(SIGNING_ALGORITHMS.map((algorithm) => newKey(sealer, algorithm, now)));
  await database.transaction(async (transaction) => {
    for (const key of keys) await transaction.query(REPLACE, key);
  });
}

/** The stored keys as an operator sees them; `opens` is whether they open with the secrets in force. */
export async function listSigningKeys(database: Queryable, sealer: Sealer) {
  const rows = await database.query<Row & Record<string, unknown>>(LIST, []);
  return rows.map(({ kid, algorithm, createdAt, privateKeySealed }) => ({
    kid,
    algorithm,
    createdAt,
    opens: sealer.open('signing-key', privateKeySealed) !== undefined,
  }));
}

/** A new key as the values of its row. */
async function newKey(sealer: Sealer, algorithm: SigningAlgorithm, now: Date): Promise<unknown[]> {
  const pair = await generateKeyPair(algorithm, { extractable: true, modulusLength: 2048 });
  const publicJwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  const sealed = sealer.seal('signing-key', Buffer.from(JSON.stringify(await exportJWK(pair.privateKey))));
  return [kid, algorithm, { ...publicJwk, kid, alg: algorithm, use: 'sig' }, sealed, now];
}

async function openKey(database: Queryable, sealer: Sealer, row: Row): Promise<SigningKey> {
  const bytes = sealer.open('signing-key', row.privateKeySealed);
  if (bytes === undefined)
    throw new Error(
      'The signing keys in the database do not open with SECRET_KEY. Set it, or SECRET_KEY_PREVIOUS, to the value they were stored under; if that is lost or known to others, `sesame keys replace` makes new ones.',
    );
  const resealed = sealer.seal('signing-key', bytes);
  if (resealed !== row.privateKeySealed) await database.query(RESEAL, [row.kid, resealed]);
  return {
    kid: row.kid,
    algorithm: row.algorithm,
    privateKey: createPrivateKey({ key: JSON.parse(bytes.toString('utf8')), format: 'jwk' }),
    publicKey: createPublicKey({ key: row.publicJwk as JsonWebKey, format: 'jwk' }),
    publicJwk: row.publicJwk,
  };
}
