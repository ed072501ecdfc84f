// Writes accounts as the JSONL that `import users --from jsonl` reads.
import { openSecret } from '../credentials/authenticator-app.ts';
import { isImportedHash } from '../credentials/imported-hash-checks.ts';
import type { Sealer } from '../oauth/seal.ts';
import { type ExportedUser, readUsers } from '../store/account-export.ts';
import type { Database } from '../store/database.ts';
import { IMPORTED_PREFIX } from '../store/imported-passwords.ts';
import type { UserRecord } from './user-record.ts';

/**
 * Yields one JSON line, without a line break, for each account.
 * @param options.withHashes includes password hashes, authenticator app secrets, passkeys and hashes of recovery codes
 * @throws Error if SECRET_KEY can't decrypt an authenticator app's secret
 */
export async function* exportUsers(
  database: Database,
  sealer: Sealer,
  { withHashes }: { withHashes: boolean },
): AsyncGenerator<string[]> {
  for await (const users of readUsers(database))
    yield users.map((user) =>
      JSON.stringify({ ...toRecord(user), ...(withHashes && toCredentials(user, sealer)) }),
    );
}

const toRecord = (user: ExportedUser): UserRecord => ({
  sub: user.userId,
  email: user.email,
  email_verified: user.emailVerified,
  name: user.name,
  ...(user.phone !== null && { phone_number: user.phone }),
  ...(user.locale !== null && { locale: user.locale }),
  suspended: user.suspended,
  created_at: user.createdAt.toISOString(),
  ...(user.identities.length > 0 && {
    identities: user.identities.map(({ issuer, subject, label }) => ({ issuer, subject, label })),
  }),
});

function toCredentials(
  { userId, email, passwordHash, totpSecret, passkeys, recoveryCodes }: ExportedUser,
  sealer: Sealer,
): Partial<UserRecord> {
  const totp = totpSecret === null ? undefined : openSecret(sealer, userId, totpSecret);
  if (totpSecret !== null && totp === undefined)
    throw new Error(`The authenticator app secret of ${email} cannot be decrypted with SECRET_KEY.`);
  return {
    ...(passwordHash !== null && { password_hash: toPortableHash(passwordHash) }),
    ...(totp !== undefined && { totp_secret: totp }),
    ...(passkeys.length > 0 && {
      passkeys: passkeys.map((passkey) => ({
        credential_id: passkey.credentialId.toString('base64url'),
        public_key: passkey.publicKey.toString('base64url'),
        counter: passkey.counter,
        transports: passkey.transports,
        synced: passkey.synced,
        backed_up: passkey.backedUp,
        aaguid: passkey.aaguid,
        name: passkey.name,
        created_at: passkey.createdAt.toISOString(),
        ...(passkey.lastUsedAt !== null && { last_used_at: passkey.lastUsedAt.toISOString() }),
      })),
    }),
    ...(recoveryCodes.length > 0 && {
      recovery_codes: recoveryCodes.map(({ hash, createdAt, usedAt }) => ({
        hash: hash.toString('base64url'),
        created_at: createdAt.toISOString(),
        ...(usedAt !== null && { used_at: usedAt.toISOString() }),
      })),
    }),
  };
}

const toPortableHash = (stored: string): string =>
  isImportedHash(stored) ? stored.slice(IMPORTED_PREFIX.length) : stored;
