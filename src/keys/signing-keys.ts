// Stores and rotates signing keys. Private keys are encrypted under SECRET_KEY.
import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Sealer } from '../oauth/seal.ts';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { type EventKind, recordEvent } from '../store/audit-log.ts';
import type { Database, Queryable } from '../store/database.ts';
import { execute, findAll } from '../store/query.ts';
import { addSeconds, type KeyRotation, planRotation } from './rotation.ts';
import type { SigningKey, SigningKeys } from './tokens.ts';

interface KeyRow {
  kid: string;
  algorithm: SigningAlgorithm;
  publicJwk: JWK;
  privateKeySealed: string;
  createdAt: Date;
  signsFrom: Date;
}

const insertKey = execute<[key: KeyRow]>(
  'insert_signing_key',
  `insert into signing_keys (kid, algorithm, public_jwk, private_key_sealed, created_at, signs_from)
  values ($kid::text, $algorithm::text, $publicJwk::jsonb, $privateKeySealed::text, $createdAt::timestamptz,
    $signsFrom::timestamptz)`,
  (key) => ({ ...key }),
);

const resealKey = execute<[kid: string, sealed: string]>(
  'reseal_signing_key',
  'update signing_keys set private_key_sealed = $2::text where kid = $1::text',
);

const deleteKeys = execute<[keys: readonly { kid: string }[]]>(
  'delete_signing_keys',
  'delete from signing_keys where kid = any ($1::text[])',
  (keys) => [keys.map(({ kid }) => kid)],
);

/**
 * The lock ID must be unique among advisory locks. Citus nodes don't share locks, so two processes that start
 * at once may each create a key per algorithm. All processes still sign with the same key.
 */
const lockSigningKeys = execute('lock_signing_keys', `select pg_advisory_xact_lock(${0x5e5a4b})`);

const listRows = findAll<KeyRow>(
  'list_signing_keys',
  `select kid, algorithm, public_jwk as "publicJwk", private_key_sealed as "privateKeySealed",
    created_at as "createdAt", signs_from as "signsFrom"
  from signing_keys order by algorithm, signs_from desc, kid`,
);

/**
 * Changes the stored keys. Holds a lock, so that only one process changes them at a time.
 * @param generated a new key per algorithm. Only keys for the algorithms in `add` are stored. Generated before
 * the transaction because generation is slow.
 */
const changeStoredKeys = (
  database: Database,
  generated: readonly KeyRow[],
  decide: (rows: KeyRow[]) => { add: readonly SigningAlgorithm[]; remove?: readonly { kid: string }[] },
  event?: { kind: EventKind; at: Date },
): Promise<void> =>
  database.transaction(async (transaction) => {
    await lockSigningKeys(transaction);
    const { add, remove = [] } = decide(await listRows(transaction));
    await deleteKeys(transaction, remove);
    for (const key of generated) if (add.includes(key.algorithm)) await insertKey(transaction, key);
    if (event !== undefined) await recordEvent(transaction, { kind: event.kind }, event.at);
  });

/**
 * Loads the keys and creates missing ones. Re-seals keys that were sealed under SECRET_KEY_PREVIOUS.
 * @throws Error if a key can't be decrypted
 */
export async function loadSigningKeys(database: Database, sealer: Sealer, now: Date): Promise<SigningKeys> {
  let rows = await listRows(database);
  if (listMissingAlgorithms(rows).length > 0) {
    const generated = await generateKeys(sealer, listMissingAlgorithms(rows), now, now);
    await changeStoredKeys(database, generated, (present) => ({ add: listMissingAlgorithms(present) }));
    rows = await listRows(database);
  }
  const published = await Promise.all(rows.map((row) => decryptKey(database, sealer, row)));
  const active = SIGNING_ALGORITHMS.map((algorithm) => [
    algorithm,
    published.find(({ kid }) => kid === findActiveRow(rows, algorithm, now)?.kid),
  ]);
  return { ...Object.fromEntries(active), published } as SigningKeys;
}

const listMissingAlgorithms = (rows: KeyRow[]): SigningAlgorithm[] =>
  SIGNING_ALGORITHMS.filter((algorithm) => !rows.some((row) => row.algorithm === algorithm));

function findActiveRow(rows: KeyRow[], algorithm: SigningAlgorithm, now: Date): KeyRow | undefined {
  const ofAlgorithm = rows.filter((row) => row.algorithm === algorithm);
  return ofAlgorithm.find(({ signsFrom }) => signsFrom <= now) ?? ofAlgorithm.at(-1);
}

/**
 * Reloads the stored keys into `keys`.
 * @returns whether `keys` changed
 * @throws Error if a key can't be decrypted. `keys` is then unchanged.
 */
export async function refreshSigningKeys(
  database: Database,
  sealer: Sealer,
  keys: SigningKeys,
  now: Date,
): Promise<boolean> {
  const rows = await listRows(database);
  const hasSameKeys =
    rows.length === keys.published.length &&
    rows.every(({ kid }, index) => kid === keys.published[index]?.kid);
  const hasSameActiveKeys = SIGNING_ALGORITHMS.every(
    (algorithm) => findActiveRow(rows, algorithm, now)?.kid === keys[algorithm].kid,
  );
  if (hasSameKeys && hasSameActiveKeys) return false;
  Object.assign(keys, await loadSigningKeys(database, sealer, now));
  return true;
}

/**
 * Publishes new keys and deletes expired ones, if due.
 * @returns whether the stored keys changed
 */
export async function maintainSigningKeys(
  database: Database,
  sealer: Sealer,
  rotation: KeyRotation,
  now: Date,
): Promise<boolean> {
  const plan = planRotation(await listRows(database), rotation, now);
  if (plan.next.length === 0 && plan.expired.length === 0) return false;
  const generated: KeyRow[] = [];
  for (const { algorithm, signsFrom } of plan.next)
    generated.push(...(await generateKeys(sealer, [algorithm], now, signsFrom)));
  await changeStoredKeys(database, generated, (rows) => {
    const { next, expired } = planRotation(rows, rotation, now);
    return { add: next.map(({ algorithm }) => algorithm), remove: expired };
  });
  return true;
}

/**
 * Rotates the keys ahead of schedule.
 * @param leadTime seconds until activation
 */
export async function rotateSigningKeys(
  database: Database,
  sealer: Sealer,
  leadTime: number,
  now: Date,
): Promise<void> {
  const generated = await generateKeys(sealer, SIGNING_ALGORITHMS, now, addSeconds(now, leadTime));
  const planAddition = (rows: KeyRow[]) => ({
    add: listMissingAlgorithms(rows.filter(({ signsFrom }) => signsFrom > now)),
  });
  await changeStoredKeys(database, generated, planAddition, { kind: 'signing_keys_rotated', at: now });
}

/** Replaces all keys immediately, even keys that can't be decrypted. All earlier tokens become invalid. */
export async function replaceSigningKeys(database: Database, sealer: Sealer, now: Date): Promise<void> {
  const generated = await generateKeys(sealer, SIGNING_ALGORITHMS, now, now);
  const planReplacement = (rows: KeyRow[]) => ({ add: SIGNING_ALGORITHMS, remove: rows });
  await changeStoredKeys(database, generated, planReplacement, { kind: 'signing_keys_replaced', at: now });
}

/** `decryptable` is true if the current secrets can decrypt the private key. */
export async function listSigningKeys(database: Queryable, sealer: Sealer, now: Date) {
  const rows = await listRows(database);
  return rows.map(({ kid, algorithm, createdAt, signsFrom, privateKeySealed }) => ({
    kid,
    algorithm,
    state:
      signsFrom > now
        ? ('next' as const)
        : findActiveRow(rows, algorithm, now)?.kid === kid
          ? ('signs' as const)
          : ('past' as const),
    createdAt,
    signsFrom,
    decryptable: sealer.open('signing-key', privateKeySealed) !== undefined,
  }));
}

const generateKeys = (
  sealer: Sealer,
  algorithms: readonly SigningAlgorithm[],
  createdAt: Date,
  signsFrom: Date,
): Promise<KeyRow[]> =>
  Promise.all(
    algorithms.map(async (algorithm) => {
      const pair = await generateKeyPair(algorithm, {
        extractable: true,
        ...(algorithm === 'RS256' && { modulusLength: 2048 }),
      });
      const jwk = await exportJWK(pair.publicKey);
      const kid = await calculateJwkThumbprint(jwk);
      const privateKey = Buffer.from(JSON.stringify(await exportJWK(pair.privateKey)));
      return {
        kid,
        algorithm,
        publicJwk: { ...jwk, kid, alg: algorithm, use: 'sig' },
        privateKeySealed: sealer.seal('signing-key', privateKey),
        createdAt,
        signsFrom,
      };
    }),
  );

async function decryptKey(database: Queryable, sealer: Sealer, row: KeyRow): Promise<SigningKey> {
  const bytes = sealer.open('signing-key', row.privateKeySealed);
  if (bytes === undefined)
    throw new Error(
      'The signing keys in the database cannot be decrypted with SECRET_KEY. Set SECRET_KEY or SECRET_KEY_PREVIOUS to the key that encrypted them. If that key was lost or leaked, run `sesame keys replace`.',
    );
  const resealed = sealer.seal('signing-key', bytes);
  if (resealed !== row.privateKeySealed) await resealKey(database, row.kid, resealed);
  return {
    kid: row.kid,
    algorithm: row.algorithm,
    privateKey: createPrivateKey({ key: JSON.parse(bytes.toString('utf8')), format: 'jwk' }),
    publicKey: createPublicKey({ key: row.publicJwk as JsonWebKey, format: 'jwk' }),
    publicJwk: row.publicJwk,
  };
}
