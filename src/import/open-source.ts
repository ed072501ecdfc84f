// Opens a file of users in one of the supported formats.
import { convertAuth0User } from './auth0.ts';
import { readCsv } from './csv.ts';
import { readFirebase, readHashConfig } from './firebase.ts';
import { type InputFile, openInputFile } from './input-file.ts';
import { openKeycloak } from './keycloak.ts';
import { readJsonLines } from './lines.ts';
import { type Source, type SourceFormat, type SourceRow, UnreadableFileError } from './source.ts';

/**
 * @param path a file or, for Keycloak, the directory of an export
 * @param options.hashConfig path of a file with Firebase's hash parameters
 * @throws UnreadableFileError if a file can't be opened or `hashConfig` doesn't apply to the format
 */
export async function openSource(
  format: SourceFormat,
  path: string,
  { hashConfig }: { hashConfig?: string | undefined } = {},
): Promise<Source> {
  if (hashConfig !== undefined && format !== 'firebase') throw new UnreadableFileError('hash_config_unused');
  switch (format) {
    case 'keycloak':
      return openKeycloak(path);
    case 'auth0':
      return openFile(path, (file) => readJsonLines(file.chunks(), convertAuth0User, format));
    case 'firebase': {
      const config = hashConfig === undefined ? undefined : await readHashConfig(hashConfig);
      return openFile(path, (file) => readFirebase(file, config));
    }
    case 'jsonl':
      return openFile(path, (file) => readJsonLines(file.chunks(), (record) => ({ record }), format));
    case 'csv':
      return openFile(path, readCsv);
  }
}

async function openFile(path: string, read: (file: InputFile) => AsyncGenerator<SourceRow>): Promise<Source> {
  const file = await openInputFile(path);
  return { rows: () => read(file), assertUnchanged: file.assertUnchanged, close: file.close };
}
