// Signing keys: made once, shared by every process, private halves encrypted under SECRET_KEY, replaced in their turn.
import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Sealer } from '../oauth/seal.ts';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import type { Database, Queryable } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import { findAll } from '../store/query.ts';
import { statement } from '../store/statement.ts';
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

const INSERT = statement(
  'insert_signing_key',
  `insert into signing_keys (kid, algorithm, public_jwk, private_key_sealed, created_at, signs_from)
  values ($1::text, $2::text, $3::jsonb, $4::text, $5::timestamptz, $6::timestamptz)`,
);

const RESEAL = statement(
  'reseal_signing_key',
  'update signing_keys set private_key_sealed = $2::text where kid = $1::text',
);

const DELETE = statement('delete_signing_keys', 'delete from signing_keys where kid = any ($1::text[])');

/** Any constant will do; it names this work among the database's advisory locks. */
const LOCK = 0x5e5a4b;
const TAKE_LOCK = statement('lock_signing_keys', 'select pg_advisory_xact_lock($1::int)');

const list = findAll<Row>(
  'list_signing_keys',
  `select kid, algorithm, public_jwk as "publicJwk", private_key_sealed as "privateKeySealed",
    created_at as "createdAt", signs_from as "signsFrom"
  from signing_keys order by algorithm, signs_from desc, kid`,
);

/** Changes the stored keys after a look at them, one process at a time. New ones are made before: that takes its time. */
const change = (
  database: Database,
  work: (transaction: Queryable, rows: Row[]) => Promise<unknown>,
): Promise<void> =>
  database.transaction(async (transaction) => {
    await transaction.query(TAKE_LOCK, [LOCK]);
    await work(transaction, await list(transaction));
  });

/**
 * The keys of this service, made on the first start; of several processes that start at once, one makes them and all
 * use them. A key sealed under SECRET_KEY_PREVIOUS is sealed anew, so that the previous secret can be dropped.
 * @throws Error when the keys do not open with the secrets in force
 */
export async function loadSigningKeys(database: Database, sealer: Sealer, now: Date): Promise<SigningKeys> {
  let rows = await list(database);
  if (missing(rows).length > 0) {
    const made = await newKeys(sealer, missing(rows), now, now);
    await change(database, async (transaction, present) => {
      for (const algorithm of missing(present)) await transaction.query(INSERT, made[algorithm] ?? []);
    });
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
 * Reads the stored keys again. If they are others than before, or another's turn has come, they are exchanged in place,
 * so that whoever holds `keys` signs with and publishes the new ones from the next request on.
 * @returns whether they were others
 * @throws Error when they do not open with the secrets in force; `keys` stays as it was
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

/**
 * Publishes the next keys when it is time, and drops those that nothing needs any more. Cheap when there is nothing to
 * do, which is nearly always.
 * @returns whether the stored keys changed
 */
export async function tendSigningKeys(
  database: Database,
  sealer: Sealer,
  rotation: KeyRotation,
  now: Date,
): Promise<boolean> {
  const found = due(await list(database), rotation, now);
  if (found.next.length === 0 && found.past.length === 0) return false;
  const made: NewKeys = {};
  for (const { algorithm, signsFrom } of found.next)
    Object.assign(made, await newKeys(sealer, [algorithm], now, signsFrom));
  await change(database, async (transaction, rows) => {
    const { next, past } = due(rows, rotation, now);
    for (const { algorithm } of next) if (made[algorithm]) await transaction.query(INSERT, made[algorithm]);
    await transaction.query(DELETE, [past.map(({ kid }) => kid)]);
  });
  return true;
}

/**
 * Publishes the next key of every algorithm that has none waiting, ahead of its time.
 * @param lead seconds until they sign
 */
export async function rotateSigningKeys(
  database: Database,
  sealer: Sealer,
  lead: number,
  now: Date,
): Promise<void> {
  const made = await newKeys(sealer, SIGNING_ALGORITHMS, now, later(now, lead));
  await change(database, async (transaction, rows) => {
    for (const algorithm of SIGNING_ALGORITHMS)
      if (!rows.some((row) => row.algorithm === algorithm && row.signsFrom > now))
        await transaction.query(INSERT, made[algorithm] ?? []);
    await recordEvent(transaction, { kind: 'signing_keys_rotated' }, now);
  });
}

/**
 * Puts new keys in the place of all that are stored, which need not open any more. All processes take them over
 * within seconds (refreshSigningKeys); nothing verifies what the old ones signed.
 */
export async function replaceSigningKeys(database: Database, sealer: Sealer, now: Date): Promise<void> {
  const made = await newKeys(sealer, SIGNING_ALGORITHMS, now, now);
  await change(database, async (transaction, rows) => {
    await transaction.query(DELETE, [rows.map(({ kid }) => kid)]);
    for (const key of Object.values(made)) await transaction.query(INSERT, key);
    await recordEvent(transaction, { kind: 'signing_keys_replaced' }, now);
  });
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

type NewKeys = Partial<Record<SigningAlgorithm, unknown[]>>;

async function newKeys(
  sealer: Sealer,
  algorithms: readonly SigningAlgorithm[],
  now: Date,
  signsFrom: Date,
): Promise<NewKeys> {
  const made = algorithms.map(async (algorithm) => [
    algorithm,
    await newKey(sealer, algorithm, now, signsFrom),
  ]);
  return Object.fromEntries(await Promise.all(made));
}

async function newKey(
  sealer: Sealer,
  algorithm: SigningAlgorithm,
  now: Date,
  signsFrom: Date,
): Promise<unknown[]> {
  const pair = await generateKeyPair(algorithm, {
    extractable: true,
    ...(algorithm === 'RS256' && { modulusLength: 2048 }),
  });
  const publicJwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  const sealed = sealer.seal('signing-key', Buffer.from(JSON.stringify(await exportJWK(pair.privateKey))));
  return [kid, algorithm, { ...publicJwk, kid, alg: algorithm, use: 'sig' }, sealed, now, signsFrom];
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
