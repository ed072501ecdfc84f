// Signing keys: made once, shared by every process, private halves encrypted under SECRET_KEY.
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose';
import type { Sealer } from '../oauth/seal.ts';
import {
  SIGNING_ALGORITHMS,
  type SigningAlgorithm,
  type SigningKey,
  type SigningKeys,
} from '../oauth/tokens.ts';
import { type Queryable, statement } from './database.ts';

interface Row {
  kid: string;
  algorithm: SigningAlgorithm;
  publicJwk: JWK;
  privateKeySealed: string;
}

const LIST = statement(
  'list_signing_keys',
  `select kid, algorithm, public_jwk as "publicJwk", private_key_sealed as "privateKeySealed" from signing_keys`,
);

const INSERT = statement(
  'insert_signing_key',
  `insert into signing_keys (kid, algorithm, public_jwk, private_key_sealed, created_at)
  values ($1::text, $2::text, $3::jsonb, $4::text, $5::timestamptz)
  on conflict (algorithm) do nothing`,
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
    for (const algorithm of missing) await insertNewKey(database, sealer, algorithm, now);
    rows = await database.query(LIST, []);
  }
  const keys = await Promise.all(rows.map((row) => openKey(database, sealer, row)));
  return Object.fromEntries(keys.map((key) => [key.algorithm, key])) as SigningKeys;
}

async function insertNewKey(
  database: Queryable,
  sealer: Sealer,
  algorithm: SigningAlgorithm,
  now: Date,
): Promise<void> {
  const pair = await generateKeyPair(algorithm, { extractable: true, modulusLength: 2048 });
  const publicJwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  const sealed = sealer.seal('signing-key', Buffer.from(JSON.stringify(await exportJWK(pair.privateKey))));
  await database.query(INSERT, [
    kid,
    algorithm,
    { ...publicJwk, kid, alg: algorithm, use: 'sig' },
    sealed,
    now,
  ]);
}

async function openKey(database: Queryable, sealer: Sealer, row: Row): Promise<SigningKey> {
  const bytes = sealer.open('signing-key', row.privateKeySealed);
  if (bytes === undefined)
    throw new Error(
      'The signing keys in the database do not open with SECRET_KEY. Set it, or SECRET_KEY_PREVIOUS, to the value they were stored under.',
    );
  const resealed = sealer.seal('signing-key', bytes);
  if (resealed !== row.privateKeySealed) await database.query(RESEAL, [row.kid, resealed]);
  const [privateKey, publicKey] = (await Promise.all([
    importJWK(JSON.parse(bytes.toString('utf8')), row.algorithm),
    importJWK(row.publicJwk, row.algorithm),
  ])) as [CryptoKey, CryptoKey];
  return { kid: row.kid, algorithm: row.algorithm, privateKey, publicKey, publicJwk: row.publicJwk };
}
