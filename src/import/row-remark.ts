// Remarks about a row in a report: why it was refused, or what wasn't imported.
import { HASH_ERRORS } from '../credentials/imported-hash-schemes.ts';
import type { UserRecord } from './user-record.ts';

/** Invalid values of these members are left out. A row is refused if any other member is invalid. */
export const OMITTED_MEMBERS = ['created_at', 'locale'] as const satisfies (keyof UserRecord)[];
export type OmittedMember = (typeof OMITTED_MEMBERS)[number];

/** `%s` is replaced with the remark's detail. */
export const REFUSAL_MESSAGES = {
  not_utf8: 'The row is not valid UTF-8.',
  not_json: 'The row is not a JSON object.',
  too_long: 'The row is larger than 64 kB.',
  wrong_columns: 'The row and the header have different numbers of columns.',
  service_account: 'This is the service account of the client %s, not a user.',
  email_missing: 'The email address is missing.',
  email_invalid: 'The email address is invalid.',
  sub_invalid: 'sub must be a string of 1 to 255 characters.',
  email_verified_invalid: 'email_verified must be true or false.',
  name_invalid: 'name must be 1 to 100 characters long.',
  phone_number_invalid: 'phone_number must be in international format, such as +33612345678.',
  password_hash_invalid: 'password_hash must be a string of at most 2048 characters.',
  password_hash_algorithm_invalid: 'password_hash_algorithm must be a string of at most 40 characters.',
  password_hash_salt_invalid: 'password_hash_salt must be a string of at most 512 characters.',
  password_hash_salt_position_invalid: 'password_hash_salt_position must be before or after.',
  totp_secret_invalid: 'totp_secret must be 16 to 128 base32 characters.',
  identities_invalid:
    'identities must be a list of at most 24 objects, each with an issuer (a URL) and a subject.',
  suspended_invalid: 'suspended must be true or false.',
  passkeys_invalid: 'passkeys must be a list from sesame export users --with-hashes.',
  recovery_codes_invalid: 'recovery_codes must be a list from sesame export users --with-hashes.',
  groups_invalid: 'groups must be a list of strings.',
  password_refused: 'The password cannot be imported: %s.',
  hash_config_missing: 'The password requires the hash parameters of the Firebase project (--hash-config).',
  sub_missing: 'sub is missing. Add it, or import without --keep-ids.',
  sub_not_uuid: 'sub is not a UUID. Import without --keep-ids.',
  account_unverified:
    'This email address belongs to an unverified account. Delete the account, or ask the user to verify the address.',
  sub_taken: 'Another account has this sub.',
  identity_taken: 'An identity from %s is already linked to another account.',
  duplicate_email: 'Row %s has the same email address.',
  duplicate_sub: 'Row %s has the same sub.',
  duplicate_identity: 'Row %s has the same linked identity.',
  database: 'The database refused the row (SQLSTATE %s).',
} as const satisfies Record<string, string> &
  Record<`${Exclude<keyof UserRecord, OmittedMember>}_invalid`, string>;

export const NOTE_MESSAGES = {
  created_at_invalid:
    'created_at must be a date and time, such as 2026-01-31T12:00:00Z, but is %s. The time of the import is used instead.',
  locale_invalid: 'locale must be a language tag, such as fr, but is %s. No language is set.',
  name_from_email: 'The name was taken from the email address.',
  locale_unsupported: 'The language %s is not supported.',
  groups: 'Groups are not imported: %s',
  roles: 'Roles are not imported: %s',
  attributes: 'Attributes are not imported: %s',
  required_actions: 'Required actions are not imported: %s',
  picture: 'The picture is not imported.',
  passkeys: 'Passkeys are not imported. They work only at the old service.',
  passkeys_need_ids: 'Passkeys and recovery codes are imported only if accounts keep their IDs (--keep-ids).',
  credentials: 'Credentials of this kind are not imported: %s',
  totp_unsupported:
    'The authenticator app is not imported because its codes do not use SHA-1, six digits and a period of 30 seconds.',
  identity_unmapped: "The identity from %s is not imported because it can't be used to sign in here.",
  provider_missing: 'No identity provider with the issuer %s has been added yet.',
  no_password: 'The account has no password. The user can set one with an emailed link.',
} as const satisfies Record<string, string> & Record<`${OmittedMember}_invalid`, string>;

export type RefusalCode = keyof typeof REFUSAL_MESSAGES;
export type NoteCode = keyof typeof NOTE_MESSAGES;

export interface Remark<Code extends RefusalCode | NoteCode> {
  code: Code;
  /** Text from the file, the number of another row, or a `HashErrorCode`. */
  detail?: string;
}

export interface RowVerdict {
  row: number;
  verdict: 'created' | 'exists' | 'refused';
  email?: string | undefined;
  userName?: string | undefined;
  /** Undefined for refused rows. Also undefined if a dry run would create a new ID. */
  sub?: string | undefined;
  /** The record's `sub`, if the account has a different one. */
  formerSub?: string | undefined;
  refusals?: readonly Remark<RefusalCode>[] | undefined;
  notes?: readonly Remark<NoteCode>[] | undefined;
}

/** Characters. */
const MAX_DETAIL_LENGTH = 200;

export function createRemark<Code extends RefusalCode | NoteCode>(code: Code, detail?: string): Remark<Code> {
  return detail === undefined ? { code } : { code, detail: cleanDetail(detail) };
}

export function cleanDetail(detail: string): string {
  const cleaned = detail
    .slice(0, MAX_DETAIL_LENGTH * 2)
    .replace(/\p{C}+/gu, ' ')
    .trim();
  return cleaned.length > MAX_DETAIL_LENGTH ? `${cleaned.slice(0, MAX_DETAIL_LENGTH)}…` : cleaned;
}

export const formatRemark = ({ code, detail = '' }: Remark<RefusalCode | NoteCode>): string =>
  ({ ...REFUSAL_MESSAGES, ...NOTE_MESSAGES })[code].replace('%s', () =>
    code === 'password_refused' ? (HASH_ERROR_MESSAGES[detail] ?? detail) : detail,
  );

const HASH_ERROR_MESSAGES: Readonly<Record<string, string>> = HASH_ERRORS;
