// Creates the accounts of one batch, unless their email addresses, IDs or identities are taken.
import { availableParallelism } from 'node:os';
import { sealSecret } from '../credentials/authenticator-app.ts';
import type { Digest } from '../credentials/hash-digests.ts';
import type { Sealer } from '../oauth/seal.ts';
import { type Database, rollback } from '../store/database.ts';
import { emailKey } from '../store/emails.ts';
import {
  findTakenIdentifiers,
  type ImportOrigin,
  identityHex,
  insertImportedUsers,
  type TakenIdentifiers,
} from '../store/imported-users.ts';
import { createRemark, type RefusalCode, type Remark, type RowVerdict } from './row-remark.ts';
import type { Candidate } from './validate-user.ts';

export interface ImportServices {
  database: Database;
  sealer: Sealer;
  hasher: { wrap(digest: Digest): Promise<string> };
  now: () => Date;
}

/** An attempt fails if another transaction has created one of the accounts. */
const MAX_INSERT_ATTEMPTS = 10;

export async function writeBatch(
  services: ImportServices,
  candidates: readonly Candidate[],
  run: ImportOrigin & { dryRun: boolean; keepIds: boolean },
): Promise<RowVerdict[]> {
  if (candidates.length === 0) return [];
  for (let attempt = 0; attempt < MAX_INSERT_ATTEMPTS; attempt += 1) {
    const taken = await findTakenIdentifiers(services.database, {
      emails: candidates.map(({ user }) => user.email),
      ids: run.keepIds ? candidates.map(({ user }) => user.id) : [],
      identities: candidates.flatMap(({ user }) => user.identities),
    });
    const verdicts = candidates.map((candidate) => decideVerdict(candidate, taken, run));
    const created = candidates.filter((_, index) => verdicts[index]?.verdict === 'created');
    if (run.dryRun || created.length === 0) return verdicts;
    await wrapDigests(services, created);
    try {
      if (await insertUsers(services, created, run)) return verdicts;
    } catch (error) {
      const code = findDataError(error);
      if (code === undefined) throw error;
      if (candidates.length === 1)
        return candidates.map((candidate) => refuse(candidate, [createRemark('database', code)]));
      // Split the batch to find the row that the database refuses.
      const middle = candidates.length >> 1;
      const first = await writeBatch(services, candidates.slice(0, middle), run);
      return [...first, ...(await writeBatch(services, candidates.slice(middle), run))];
    }
  }
  throw new Error('Other processes keep creating the same accounts. Run the import again later.');
}

const refuse = ({ row, user, formerSub }: Candidate, refusals: Remark<RefusalCode>[]): RowVerdict => ({
  row,
  verdict: 'refused',
  email: user.email,
  formerSub,
  refusals,
});

function decideVerdict(
  candidate: Candidate,
  taken: TakenIdentifiers,
  run: { dryRun: boolean; keepIds: boolean },
): RowVerdict {
  const { row, user, formerSub, notes } = candidate;
  const { id, email, identities } = user;
  const existing = taken.emails.get(emailKey(email));
  if (existing !== undefined && taken.unverified.has(existing))
    return refuse(candidate, [createRemark('account_unverified')]);
  if (existing !== undefined) return { row, verdict: 'exists', email, sub: existing, formerSub };
  const refusals: Remark<RefusalCode>[] = identities
    .filter((identity) => taken.identities.has(identityHex(identity)))
    .map(({ issuer }) => createRemark('identity_taken', issuer));
  if (taken.ids.has(id)) refusals.push(createRemark('sub_taken'));
  if (refusals.length > 0) return refuse(candidate, refusals);
  return {
    row,
    verdict: 'created',
    email,
    sub: run.dryRun && !run.keepIds ? undefined : id,
    formerSub,
    notes,
  };
}

/** Returns false if another transaction took an email address, ID or identity. */
const insertUsers = (
  { database, sealer, now }: ImportServices,
  candidates: readonly Candidate[],
  origin: ImportOrigin,
): Promise<boolean> => {
  const users = candidates.map(({ user, totpSecret }) => ({
    ...user,
    sealedTotpSecret: totpSecret === undefined ? null : sealSecret(sealer, user.id, totpSecret),
  }));
  return database.transaction(
    async (transaction) => (await insertImportedUsers(transaction, users, origin, now())) || rollback(false),
  );
};

async function wrapDigests({ hasher }: ImportServices, candidates: readonly Candidate[]): Promise<void> {
  const queue = candidates
    .filter(({ user, wrap }) => wrap !== undefined && user.passwordHash === null)
    .values();
  const runWorker = async () => {
    for (const { user, wrap } of queue) if (wrap !== undefined) user.passwordHash = await hasher.wrap(wrap);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, runWorker));
}

/** Returns the SQLSTATE if the database refused a value: class 22 (data exception) or 23 (constraint violation). */
export function findDataError(error: unknown): string | undefined {
  const { code } = error as { code?: unknown };
  return error instanceof Error && typeof code === 'string' && /^2[23]...$/.test(code) ? code : undefined;
}
