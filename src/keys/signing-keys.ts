// Signing keys: made once, shared by every process, private halves encrypted under SECRET_KEY, replaced in their turn.
import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Sealer } from '../oauth/seal.ts';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import type { Database, Queryable } from '../store/database.ts';
import { type EventKind, recordEvent } from '../store/events.ts';
import { execute, findAll } from '../store/query.ts';
import { due, type KeyRotation, later } from './rotation.ts';
import type { SigningKey, SigningKeys } from './tokens.ts';

interface Row {
  kid: string;
  algorithm: SigningAlgorithm;
  publicJwk: JWK;
  privateKeySealed: string;
  createdAt: Date;
  /** When it takes over from the one before it. */
  signsFrom: Date;
}

const insertKey = execute<[key: Row]>(
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
 * Any constant will do that no other advisory lock uses. On Citus, processes at different nodes don't wait for each other, so two
 * first starts may store two keys per algorithm. All processes then use the same one, and rotation deletes both.
 */
const lock = execute('lock_signing_keys', `select pg_advisory_xact_lock(${0x5e5a4b})`);

const list = findAll<Row>(
  'list_signing_keys',
  `select kid, algorithm, public_jwk as "publicJwk", private_key_sealed as "privateKeySealed",
    created_at as "createdAt", signs_from as "signsFrom"
  from signing_keys order by algorithm, signs_from desc, kid`,
);

/**
 * Adds and removes stored keys, one process at a time.
 * @param made new keys, because making them takes long; those of `add` are stored
 */
const change = (
  database: Database,
  made: readonly Row[],
  decide: (rows: Row[]) => { add: readonly SigningAlgorithm[]; remove?: readonly { kid: string }[] },
  recorded?: { kind: EventKind; at: Date },
): Promise<void> =>
  database.transaction(async (transaction) => {
    await lock(transaction);
    const { add, remove = [] } = decide(await list(transaction));
    await deleteKeys(transaction, remove);
    for (const key of made) if (add.includes(key.algorithm)) await insertKey(transaction, key);
    if (recorded !== undefined) await recordEvent(transaction, { kind: recorded.kind }, recorded.at);
  });

/**
 * Loads the keys, and creates them on the first start. A key sealed under SECRET_KEY_PREVIOUS is sealed again.
 * @throws Error if they don't open with the configured secrets
 */
export async function loadSigningKeys(database: Database, sealer: Sealer, now: Date): Promise<SigningKeys> {
  let rows = await list(database);
  if (missing(rows).length > 0) {
    const made = await newKeys(sealer, missing(rows), now, now);
    await change(database, made, (present) => ({ add: missing(present) }));
    rows = await list(database);
  }
  const published = await Promise.all(rows.map((row) => openKey(database, sealer, row)));
  const signing = SIGNING_ALGORITHMS.map((algorithm) => [
    algorithm,
    published.find(({ kid }) => kid === signingRow(rows, algorithm, now)?.kid),
  ]);
  return { ...Object.fromEntries(signing), published } as SigningKeys;
}

const missing = (rows: Row[]): SigningAlgorithm[] =>
  SIGNING_ALGORITHMS.filter((algorithm) => !rows.some((row) => row.algorithm === algorithm));

/** The key of an algorithm that signs now: the last one whose turn has come. */
function signingRow(rows: Row[], algorithm: SigningAlgorithm, now: Date): Row | undefined {
  const own = rows.filter((row) => row.algorithm === algorithm);
  return own.find(({ signsFrom }) => signsFrom <= now) ?? own.at(-1);
}

/**
 * Reads the stored keys again, and replaces `keys` in place if they or the active ones changed.
 * @returns whether they did
 * @throws Error if they don't open with the configured secrets; `keys` stays as it was
 */
export async function refreshSigningKeys(
  database: Database,
  sealer: Sealer,
  keys: SigningKeys,
  now: Date,
): Promise<boolean> {
  const rows = await list(database);
  const sameSet =
    rows.length === keys.published.length &&
    rows.every(({ kid }, index) => kid === keys.published[index]?.kid);
  const sameSigners = SIGNING_ALGORITHMS.every(
    (algorithm) => signingRow(rows, algorithm, now)?.kid === keys[algorithm].kid,
  );
  if (sameSet && sameSigners) return false;
  Object.assign(keys, await loadSigningKeys(database, sealer, now));
  return true;
}

/** Publishes the next keys when it is time, and deletes expired ones. @returns whether the stored keys changed */
export async function tendSigningKeys(
  database: Database,
  sealer: Sealer,
  rotation: KeyRotation,
  now: Date,
): Promise<boolean> {
  const found = due(await list(database), rotation, now);
  if (found.next.length === 0 && found.past.length === 0) return false;
  const made: Row[] = [];
  for (const { algorithm, signsFrom } of found.next)
    made.push(...(await newKeys(sealer, [algorithm], now, signsFrom)));
  await change(database, made, (rows) => {
    const { next, past } = due(rows, rotation, now);
    return { add: next.map(({ algorithm }) => algorithm), remove: past };
  });
  return true;
}

/** Publishes the next key of every algorithm ahead of its time. @param lead seconds until they sign */
export async function rotateSigningKeys(
  database: Database,
  sealer: Sealer,
  lead: number,
  now: Date,
): Promise<void> {
  const made = await newKeys(sealer, SIGNING_ALGORITHMS, now, later(now, lead));
  const withoutNext = (rows: Row[]) => ({ add: missing(rows.filter(({ signsFrom }) => signsFrom > now)) });
  await change(database, made, withoutNext, { kind: 'signing_keys_rotated', at: now });
}

/** Replaces all keys, which need not open. Processes load the new ones within seconds; old signatures become invalid. */
export async function replaceSigningKeys(database: Database, sealer: Sealer, now: Date): Promise<void> {
  const made = await newKeys(sealer, SIGNING_ALGORITHMS, now, now);
  const all = (rows: Row[]) => ({ add: SIGNING_ALGORITHMS, remove: rows });
  await change(database, made, all, { kind: 'signing_keys_replaced', at: now });
}

/** The stored keys as an operator sees them; `opens` is whether they open with the secrets in force. */
export async function listSigningKeys(database: Queryable, sealer: Sealer, now: Date) {
  const rows = await list(database);
  return rows.map(({ kid, algorithm, createdAt, signsFrom, privateKeySealed }) => ({
    kid,
    algorithm,
    state:
      signsFrom > now
        ? ('next' as const)
        : signingRow(rows, algorithm, now)?.kid === kid
          ? ('signs' as const)
          : ('past' as const),
    createdAt,
    signsFrom,
    opens: sealer.open('signing-key', privateKeySealed) !== undefined,
  }));
}

const newKeys = (
  sealer: Sealer,
  algorithms: readonly SigningAlgorithm[],
  createdAt: Date,
  signsFrom: Date,
): Promise<Row[]> =>
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

async function openKey(database: Queryable, sealer: Sealer, row: Row): Promise<SigningKey> {
  const bytes = sealer.open('signing-key', row.privateKeySealed);
  if (bytes === undefined)
    throw new Error(
      'The signing keys in the database do not open with SECRET_KEY. Set it, or SECRET_KEY_PREVIOUS, to the value they were stored under; if that is lost or known to others, `sesame keys replace` makes new ones.',
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
