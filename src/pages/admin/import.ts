// /console/operations/import: imports accounts from an uploaded file, or checks the file.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readQuery } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import { importUsers } from '../../import/import-users.ts';
import { openSource } from '../../import/open-source.ts';
import type { RowVerdict } from '../../import/row-remark.ts';
import { SOURCE_FORMATS, type Source, UnreadableFileError } from '../../import/source.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import type { Rejection, ValidationError } from '../../web/form-errors.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { uploadedFile } from '../../web/uploads.ts';
import { type ImportFields, type ImportResult, importFormView, importResultView } from './import-view.ts';
import { IMPORT_URL } from './layout.ts';

/** Importing this many accounts takes about three seconds. */
const MAX_ROWS = 5000;
/** In milliseconds. Rehashing an MD5 or SHA digest with Argon2id takes 10 ms. */
const IMPORT_TIMEOUT = 20_000;

export function importPage(area: FastifyInstance, services: Services): void {
  area.formPage<undefined, ImportFields>({
    path: IMPORT_URL,
    acceptsFile: true,
    loadSubject: () => undefined,
    // After a check, a link opens this form with the same values.
    initialFields: (_, request) => parseFields(readQuery(request)),
    parse: parseFields,
    validate({ request, fields: { format } }) {
      const errors: ValidationError[] = [];
      if (uploadedFile(request, 'file') === undefined)
        errors.push({ field: 'file', text: ({ operations }) => operations.imports.errors.fileMissing });
      if (format === undefined)
        errors.push({ field: 'format', text: ({ operations }) => operations.imports.errors.formatMissing });
      return errors;
    },
    requiresReauthentication: true,
    async act({ request, reply, fields }) {
      const result = await withUploadedSource(request, fields, (source) =>
        importFile(services, request, source, fields),
      );
      if ('errors' in result) return result;
      return () =>
        reply.page({
          title: ({ operations }) => operations.imports.title,
          main: (messages) => importResultView(result, messages),
        });
    },
    render: ({ fields }) => ({
      title: ({ operations }) => operations.imports.title,
      main: (form) => importFormView({ ...form, ...fields, maxRows: MAX_ROWS }),
    }),
  });
}

function parseFields(form: Parameters): ImportFields {
  const format = SOURCE_FORMATS.find((name) => name === form.get('format'));
  return { format, keepIds: form.get('keep_ids') === 'yes', dryRun: form.get('mode') !== 'import' };
}

async function importFile(
  services: Services,
  request: FastifyRequest,
  source: Source,
  fields: ImportFields,
): Promise<ImportResult | Rejection> {
  if (await hasTooManyRows(source))
    return {
      errors: [
        {
          field: 'file',
          text: ({ operations: { imports, number } }) => imports.errors.tooManyRows(number(MAX_ROWS)),
        },
      ],
    };
  const { format: from = 'jsonl', keepIds, dryRun } = fields;
  const verdicts: RowVerdict[] = [];
  const actorId = signedInUser(request).userId;
  const signal = AbortSignal.timeout(IMPORT_TIMEOUT);
  const summary = await importUsers(
    services,
    source,
    { from, keepIds, dryRun, actorId, signal },
    async (batch) => void verdicts.push(...batch),
  );
  return { ...fields, summary, verdicts };
}

async function hasTooManyRows(source: Source): Promise<boolean> {
  let count = 0;
  for await (const _ of source.rows()) {
    count += 1;
    if (count > MAX_ROWS) return true;
  }
  return false;
}

/** Stores the files in a folder that only this process's user can read. Deletes them when `use` has finished. */
async function withUploadedSource<Result>(
  request: FastifyRequest,
  { format = 'jsonl' }: ImportFields,
  use: (source: Source) => Promise<Result>,
): Promise<Result | Rejection> {
  const folder = await mkdtemp(join(tmpdir(), 'sesame-upload-'));
  try {
    const [path, configPath] = [join(folder, 'users'), join(folder, 'hash-config')];
    await writeFile(path, uploadedFile(request, 'file') ?? '', { mode: 0o600 });
    const hashConfig = uploadedFile(request, 'hash_config');
    if (hashConfig !== undefined) await writeFile(configPath, hashConfig, { mode: 0o600 });
    const source = await openSource(format, path, hashConfig && { hashConfig: configPath });
    try {
      return await use(source);
    } finally {
      await source.close();
    }
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    const field = error.code.startsWith('hash_config_') ? 'hash_config' : 'file';
    return { errors: [{ field, text: ({ operations }) => operations.imports.remark(error, error.message) }] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
