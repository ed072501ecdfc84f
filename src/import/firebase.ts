// Reads the users of `firebase auth:export --format=json`.
import { readFile } from 'node:fs/promises';
import type { FirebaseHashConfig } from '../credentials/imported-hash-schemes.ts';
import { parseImportedHash } from '../credentials/imported-hashes.ts';
import { isObject } from '../oauth/parse-json.ts';
import { assertFormat } from './assert-format.ts';
import type { InputFile } from './input-file.ts';
import { readMembers } from './json-members.ts';
import { FIREBASE_ISSUERS } from './known-issuers.ts';
import { createRemark, type NoteCode, type RefusalCode, type Remark } from './row-remark.ts';
import { type ConvertedRow, MAX_ROW_SIZE, type SourceRow, UnreadableFileError } from './source.ts';
import { asObjects, asString, toIsoDate } from './values.ts';

export async function* readFirebase(
  file: InputFile,
  config: FirebaseHashConfig | undefined,
): AsyncGenerator<SourceRow> {
  let row = 0;
  for await (const { name, value, refused } of readMembers(file.chunks(), () => MAX_ROW_SIZE)) {
    assertFormat('firebase', name === 'users' && isObject(value) ? value : { [name]: value });
    if (name !== 'users') continue;
    row += 1;
    if (refused !== undefined) yield { row, refusals: [createRemark(refused)] };
    else if (isObject(value)) yield { row, ...convertUser(value, config) };
    else yield { row, refusals: [createRemark('not_json')] };
  }
}

/** Characters. */
const MAX_CONFIG_LENGTH = 10_000;

/**
 * Reads Firebase's hash parameters from JSON, or from the text that the Firebase console shows.
 * @throws UnreadableFileError for other content
 */
export async function readHashConfig(path: string): Promise<FirebaseHashConfig> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UnreadableFileError('file_not_opened', `${path} (${error.code})`);
  });
  const values = new Map(
    [...text.slice(0, MAX_CONFIG_LENGTH).matchAll(/(\w+)"?\s*:\s*"?([\w+/=]+)/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  );
  const [signerKey, saltSeparator] = ['base64_signer_key', 'base64_salt_separator'].map((name) =>
    values.get(name),
  );
  const [rounds, memCost] = ['rounds', 'mem_cost'].map((name) => Number(values.get(name)));
  if (values.get('algorithm') !== 'SCRYPT' || !signerKey || !saltSeparator || !rounds || !memCost)
    throw new UnreadableFileError('hash_config_invalid');
  return { signerKey, saltSeparator, rounds, memCost };
}

/** Firebase's own sign-in methods aren't identity providers. */
const SIGN_IN_METHODS = new Set(['password', 'phone', 'emailLink']);

function convertUser(user: Record<string, unknown>, config: FirebaseHashConfig | undefined): ConvertedRow {
  const notes: Remark<NoteCode>[] = [];
  const identities: object[] = [];
  for (const { providerId, rawId, email, displayName } of asObjects(user.providerUserInfo)) {
    const provider = asString(providerId) ?? '';
    if (SIGN_IN_METHODS.has(provider)) continue;
    const issuer = FIREBASE_ISSUERS.get(provider);
    if (issuer === undefined) notes.push(createRemark('identity_unmapped', provider));
    else identities.push({ issuer, subject: rawId, label: asString(email) ?? asString(displayName) });
  }
  if (asString(user.photoUrl) !== undefined) notes.push(createRemark('picture'));
  if (Array.isArray(user.mfaInfo) && user.mfaInfo.length > 0) notes.push(createRemark('credentials', 'SMS'));
  if (asString(user.customAttributes) !== undefined) notes.push(createRemark('attributes', 'custom claims'));
  const { members, refusals } = convertPassword(user, config);
  return {
    record: {
      sub: user.localId,
      email: user.email,
      email_verified: user.emailVerified,
      name: asString(user.displayName),
      phone_number: user.phoneNumber,
      suspended: user.disabled,
      created_at: toIsoDate(user.createdAt),
      identities,
      ...members,
    },
    refusals,
    notes,
  };
}

function convertPassword(
  user: Record<string, unknown>,
  firebase: FirebaseHashConfig | undefined,
): { members?: { password_hash: string }; refusals: Remark<RefusalCode>[] } {
  const hash = asString(user.passwordHash);
  if (hash === undefined) return { refusals: [] };
  if (firebase === undefined) return { refusals: [createRemark('hash_config_missing')] };
  const parsed = parseImportedHash(hash, { firebase, salt: asString(user.salt) });
  if ('stored' in parsed) return { members: { password_hash: parsed.stored }, refusals: [] };
  return { refusals: [createRemark('password_refused', 'refused' in parsed ? parsed.refused : 'unknown')] };
}
