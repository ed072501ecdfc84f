// Validates rows and finds duplicates within the file.
import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { cleanName } from '../accounts/account-fields.ts';
import type { Digest } from '../credentials/hash-digests.ts';
import { parseImportedHash } from '../credentials/imported-hashes.ts';
import { LOCALES, type Locale } from '../i18n/index.ts';
import { emailKey } from '../store/emails.ts';
import { type ImportedUser, identityHex } from '../store/imported-users.ts';
import { NIL_USER_ID } from '../store/nil-user-id.ts';
import { createRowIndex } from './row-index.ts';
import {
  cleanDetail,
  createRemark,
  type NoteCode,
  OMITTED_MEMBERS,
  type OmittedMember,
  type RefusalCode,
  type Remark,
  type RowVerdict,
} from './row-remark.ts';
import type { SourceRow } from './source.ts';
import { userRecordSchema, type ValidUserRecord } from './user-record.ts';

export interface Candidate {
  row: number;
  user: Omit<ImportedUser, 'sealedTotpSecret'>;
  totpSecret: string | undefined;
  /** A fast digest, from which `user.passwordHash` is computed later. */
  wrap: Digest | undefined;
  formerSub: string | undefined;
  notes: readonly Remark<NoteCode>[];
}

export interface RowCheckOptions {
  keepIds: boolean;
  providers: ReadonlyMap<string, string>;
  total: number;
  now: Date;
}

const partialSchema = userRecordSchema.partial();
type ValidMembers = z.output<typeof partialSchema>;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Django marks unusable passwords with `!`. Unix also uses `*`. */
const UNUSABLE_PASSWORD = /^[!*]/;

/** Call the created function with the rows in order. */
export function createRowCheck({
  keepIds,
  providers,
  total,
  now,
}: RowCheckOptions): (row: SourceRow) => Candidate | RowVerdict {
  const rowIndex = createRowIndex(total);

  function findDuplicates(row: number, { email, sub, identities }: ValidMembers): Remark<RefusalCode>[] {
    const findDuplicate = (code: RefusalCode, key: string): Remark<RefusalCode>[] => {
      const found = rowIndex.add(`${code} ${key}`, row);
      return found === undefined ? [] : [createRemark(code, String(found))];
    };
    return [
      ...(email === undefined ? [] : findDuplicate('duplicate_email', emailKey(email))),
      ...(keepIds && sub ? findDuplicate('duplicate_sub', sub.toLowerCase()) : []),
      ...(identities ?? []).flatMap((identity) => findDuplicate('duplicate_identity', identityHex(identity))),
    ];
  }

  return ({ row, record = {}, refusals: found = [], notes: sourceNotes = [], userName }) => {
    if (Object.keys(record).length === 0 && found.length > 0)
      return { row, verdict: 'refused', refusals: found };
    const { invalid, omitted, members } = validateRecord(record);
    const refusals = [...invalid, ...found];
    const sub = members.sub ?? undefined;
    if (keepIds && !isUsableId(sub)) refusals.push(createRemark(sub ? 'sub_not_uuid' : 'sub_missing'));
    const password = parsePassword(members);
    if (password !== undefined && 'refused' in password)
      refusals.push(createRemark('password_refused', password.refused));
    refusals.push(...findDuplicates(row, members));
    const { email } = members;
    if (refusals.length > 0 || email === undefined) {
      const name = email === undefined ? (userName ?? sub) : undefined;
      const shownName = name === undefined ? undefined : cleanDetail(name);
      return { row, verdict: 'refused', email, userName: shownName, formerSub: sub, refusals };
    }

    const userId = keepIds && sub !== undefined ? sub.toLowerCase() : randomUUID();
    const identities = new Map(
      (members.identities ?? []).map(({ issuer, subject, label }) => [
        identityHex({ issuer, subject }),
        {
          issuer,
          subject,
          label: label || cleanName(subject),
          // Until the provider is added (`assignImportedLinks`), the issuer is stored as the provider's ID. No real
          // provider ID can equal an issuer.
          providerId: providers.get(issuer) ?? issuer,
        },
      ]),
    );
    const name = members.name || email.slice(0, email.lastIndexOf('@')).slice(0, 100);
    const user = {
      id: userId,
      email,
      emailVerified: members.email_verified ?? false,
      name,
      phone: members.phone_number || null,
      locale: findLocale(members.locale) ?? null,
      passwordHash: password !== undefined && 'stored' in password ? password.stored : null,
      suspended: members.suspended ?? false,
      createdAt: members.created_at && members.created_at < now ? members.created_at : now,
      identities: [...identities.values()],
      ...(keepIds ? toCredentials(members) : { passkeys: [], recoveryCodes: [] }),
    };
    const wrap = password !== undefined && 'wrap' in password ? password.wrap : undefined;
    return {
      row,
      user,
      totpSecret: members.totp_secret || undefined,
      wrap,
      formerSub: sub === userId ? undefined : sub,
      notes: [
        ...sourceNotes,
        ...omitted,
        ...(!keepIds && (members.passkeys?.length || members.recovery_codes?.length)
          ? [createRemark('passkeys_need_ids')]
          : []),
        ...listNotes(members, providers, password !== undefined),
      ],
    };
  };
}

function validateRecord(record: Readonly<Record<string, unknown>>): {
  invalid: Remark<RefusalCode>[];
  omitted: Remark<NoteCode>[];
  members: ValidMembers;
} {
  const { success, data, error } = userRecordSchema.safeParse(record);
  if (success) return { invalid: [], omitted: [], members: data };
  const names = new Set(error.issues.map(({ path: [name] }) => name as keyof ValidUserRecord));
  const isMissing = (name: string) =>
    name === 'email' && [undefined, null, ''].includes(record.email as null);
  const others = Object.entries(record).filter(([name]) => !names.has(name as keyof ValidUserRecord));
  return {
    invalid: [...names]
      .filter((name): name is Exclude<typeof name, OmittedMember> => !isOmitted(name))
      .map((name) => createRemark(isMissing(name) ? 'email_missing' : `${name}_invalid`)),
    omitted: OMITTED_MEMBERS.filter((name) => names.has(name)).map((name) => {
      const value = record[name];
      return createRemark(`${name}_invalid`, typeof value === 'string' ? value : JSON.stringify(value));
    }),
    members: partialSchema.parse(Object.fromEntries(others)),
  };
}

const isOmitted = (name: string): name is OmittedMember => OMITTED_MEMBERS.some((member) => member === name);

const isUsableId = (sub: string | undefined): sub is string =>
  sub !== undefined && UUID.test(sub) && sub !== NIL_USER_ID;

function parsePassword(members: ValidMembers) {
  const { password_hash: hash, password_hash_algorithm: algorithm, password_hash_salt: salt } = members;
  if (!hash || UNUSABLE_PASSWORD.test(hash)) return undefined;
  return parseImportedHash(hash, {
    algorithm: algorithm ?? undefined,
    salt: salt ?? undefined,
    saltPosition: members.password_hash_salt_position ?? undefined,
  });
}

const findLocale = (tag: string | null | undefined): Locale | undefined =>
  LOCALES.find((locale) => locale === tag?.split(/[-_]/, 1)[0]?.toLowerCase());

const toCredentials = ({ passkeys, recovery_codes: codes }: ValidMembers) => ({
  passkeys: (passkeys ?? []).map((passkey) => ({
    credentialId: Buffer.from(passkey.credential_id, 'base64url'),
    publicKey: Buffer.from(passkey.public_key, 'base64url'),
    counter: passkey.counter,
    transports: passkey.transports,
    synced: passkey.synced,
    backedUp: passkey.backed_up,
    aaguid: passkey.aaguid,
    name: passkey.name,
    createdAt: passkey.created_at,
    lastUsedAt: passkey.last_used_at ?? null,
  })),
  recoveryCodes: (codes ?? []).map(({ hash, created_at: createdAt, used_at: usedAt }) => ({
    hash: Buffer.from(hash, 'base64url'),
    createdAt,
    usedAt: usedAt ?? null,
  })),
});

function listNotes(
  { name, locale, groups, identities }: ValidMembers,
  providers: ReadonlyMap<string, string>,
  hasPassword: boolean,
): Remark<NoteCode>[] {
  const notes: Remark<NoteCode>[] = [];
  if (!name) notes.push(createRemark('name_from_email'));
  if (locale && findLocale(locale) === undefined) notes.push(createRemark('locale_unsupported', locale));
  if (groups && groups.length > 0) notes.push(createRemark('groups', groups.join(', ')));
  for (const { issuer } of identities ?? [])
    if (!providers.has(issuer)) notes.push(createRemark('provider_missing', issuer));
  if (!hasPassword) notes.push(createRemark('no_password'));
  return notes;
}
