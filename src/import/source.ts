// The interface of import formats.
import type { NoteCode, RefusalCode, Remark } from './row-remark.ts';

/** One account in the file. */
export interface SourceRow {
  /** Line of the file, or position in its list of users. Starts at 1. */
  row: number;
  /** To be validated as a `UserRecord`. Undefined if the row isn't readable. */
  record?: Readonly<Record<string, unknown>>;
  /** The user's name in the source, for reports on rows without an email address. Default: the record's `sub`. */
  userName?: string | undefined;
  /** Reasons for refusing the row, in addition to those that validation finds. */
  refusals?: readonly Remark<RefusalCode>[];
  notes?: readonly Remark<NoteCode>[];
}

export type ConvertedRow = Omit<SourceRow, 'row'>;

export interface Source {
  /**
   * Reads the file from the beginning.
   * @throws UnreadableFileError if the file is malformed
   * @throws FileChangedError if the file has changed since the previous call
   */
  rows(): AsyncGenerator<SourceRow>;
  /** @throws FileChangedError if the file has changed since the first call of `rows` */
  assertUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** The file can't be read as the chosen format. The message tells the administrator why. */
export class UnreadableFileError extends Error {}

/** The file has changed since it was checked. Batches before the change have been imported. */
export class FileChangedError extends UnreadableFileError {}

/** Converts members that may have any type. Values of wrong types are passed on, because validation refuses them. */
export type Convert = (value: Readonly<Record<string, unknown>>) => ConvertedRow;

/** Maximum size of a row, in bytes. */
export const MAX_ROW_SIZE = 65_536;

export const SOURCE_FORMATS = ['keycloak', 'auth0', 'firebase', 'jsonl', 'csv'] as const;
export type SourceFormat = (typeof SOURCE_FORMATS)[number];
