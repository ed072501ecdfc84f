// The interface that import formats implement.
import type { NoteCode, RefusalCode, Remark } from './row-remark.ts';

export interface SourceRow {
  /** The line number, or the position in the list of users, starting at 1. */
  row: number;
  /** Validated as a `UserRecord`. Undefined if the row isn't readable. */
  record?: Readonly<Record<string, unknown>>;
  /** Identifies rows without an email address in reports. Default: the record's `sub`. */
  userName?: string | undefined;
  refusals?: readonly Remark<RefusalCode>[];
  notes?: readonly Remark<NoteCode>[];
}

export type ConvertedRow = Omit<SourceRow, 'row'>;

export interface Source {
  /**
   * Reads the file from the beginning.
   * @throws UnreadableFileError if the file is malformed or has changed
   */
  rows(): AsyncGenerator<SourceRow>;
  /** @throws UnreadableFileError if the file has changed */
  assertUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** `%s` is replaced with the error's detail. src/i18n contains the French messages. */
export const FILE_ERRORS = {
  file_not_opened: 'Cannot open %s.',
  file_irregular: "%s is not a regular file. It can't be a pipe because the import reads it twice.",
  file_changed:
    '%s changed while it was read. Accounts that were already imported remain. Run the import again.',
  file_not_utf8: 'The file is not UTF-8. Export it as UTF-8.',
  other_format: 'The file looks like %s. Import it in this format.',
  no_users: 'The file contains no users.',
  no_readable_row: 'No row of the file is readable. Check the format.',
  no_clients: '%s contains no applications.',
  json_malformed: 'The file is not valid JSON (near byte %s).',
  json_not_object: 'The file is not a single JSON object (near byte %s).',
  json_incomplete: 'The file ends before the JSON object is complete (near byte %s).',
  csv_line_too_long: 'Line %s is larger than 64 kB, or a quotation mark is missing.',
  csv_quotes: 'Line %s is not valid CSV: a quotation mark is missing or misplaced.',
  csv_email_missing: 'The first line must contain the column names, including email.',
  csv_column_repeated: 'The first line contains the column %s twice.',
  realm_missing: '%s contains no file NAME-realm.json.',
  realm_ambiguous: "%s contains several realms. Move one realm's files to their own directory.",
  realm_without_users: 'The export contains no users. Export the realm with: kc.sh export --users same_file',
  realm_without_clients: '%s is not a Keycloak realm export. It must contain a realm and clients.',
  hash_config_unused: 'Hash parameters (--hash-config) apply only to Firebase exports.',
  hash_config_invalid:
    'The hash parameters must contain algorithm (SCRYPT), base64_signer_key, base64_salt_separator, rounds and mem_cost.',
} as const satisfies Record<string, string>;

export class UnreadableFileError extends Error {
  readonly code: keyof typeof FILE_ERRORS;
  readonly detail: string;
  constructor(code: keyof typeof FILE_ERRORS, detail = '') {
    super(FILE_ERRORS[code].replace('%s', () => detail));
    this.code = code;
    this.detail = detail;
  }
}

/** Converts a user. Values of the wrong type are kept so that validation can refuse them. */
export type UserConverter = (value: Readonly<Record<string, unknown>>) => ConvertedRow;

/** Bytes. */
export const MAX_ROW_SIZE = 65_536;

export const SOURCE_FORMATS = ['keycloak', 'auth0', 'firebase', 'jsonl', 'csv'] as const;
export type SourceFormat = (typeof SOURCE_FORMATS)[number];
