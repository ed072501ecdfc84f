// Reads CSV whose first line names the members of a user record.
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { InputFile } from './input-file.ts';
import { createRemark } from './row-remark.ts';
import { MAX_ROW_SIZE, type SourceRow, UnreadableFileError } from './source.ts';
import { userRecordSchema } from './user-record.ts';

/** A CSV cell can't contain a list. */
const LIST_MEMBERS: ReadonlySet<string> = new Set(['identities', 'passkeys', 'recovery_codes']);
const MEMBERS: ReadonlySet<string> = new Set(
  Object.keys(userRecordSchema.shape).filter((name) => !LIST_MEMBERS.has(name)),
);
const BOOLEAN_MEMBERS: ReadonlySet<string> = new Set(['email_verified', 'suspended']);
const TRUE_VALUES = /^(?:true|t|yes|1)$/i;
const FALSE_VALUES = /^(?:false|f|no|0)$/i;

interface CsvRecord {
  record: string[];
  info: { lines: number };
}

/** @throws UnreadableFileError if the file isn't CSV in UTF-8 or has no column `email` */
export async function* readCsv(file: InputFile): AsyncGenerator<SourceRow> {
  const delimiter = await detectDelimiter(file);
  const parser = Readable.from(decode(file.chunks())).compose(
    parse({
      bom: true,
      delimiter,
      info: true,
      max_record_size: MAX_ROW_SIZE,
      // Files that were merged from different systems may mix line endings.
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
    }),
  ) as AsyncIterable<CsvRecord>;
  let columns: string[] | undefined;
  try {
    for await (const { record, info } of parser) {
      if (columns === undefined) columns = validateHeader(record.map((name) => name.trim().toLowerCase()));
      else if (record.length === columns.length) yield { row: info.lines, record: toRecord(columns, record) };
      else yield { row: info.lines, refusals: [createRemark('wrong_columns')] };
    }
  } catch (error) {
    if (error instanceof CsvError) throw toFileError(error);
    throw error;
  }
}

const toFileError = ({ code, lines }: CsvError & { lines?: number }): UnreadableFileError =>
  new UnreadableFileError(code === 'CSV_MAX_RECORD_SIZE' ? 'csv_line_too_long' : 'csv_quotes', String(lines));

async function* decode(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    throw error instanceof TypeError ? new UnreadableFileError('file_not_utf8') : error;
  }
}

/** Detects the delimiter from the first line. Member names contain no delimiters. */
async function detectDelimiter(file: InputFile): Promise<string> {
  for await (const chunk of file.chunks()) {
    const [line = ''] = chunk.toString('latin1').split('\n', 1);
    return [';', '\t'].find((separator) => line.includes(separator)) ?? ',';
  }
  return ',';
}

function validateHeader(columns: string[]): string[] {
  const known = columns.filter((name) => MEMBERS.has(name));
  const repeated = known.find((name, index) => known.indexOf(name) !== index);
  if (!known.includes('email')) throw new UnreadableFileError('csv_email_missing');
  if (repeated !== undefined) throw new UnreadableFileError('csv_column_repeated', repeated);
  return columns;
}

function toRecord(columns: readonly string[], cells: readonly string[]): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  columns.forEach((name, index) => {
    const cell = cells[index] ?? '';
    if (cell !== '' && MEMBERS.has(name)) record[name] = toMemberValue(name, cell);
  });
  return record;
}

function toMemberValue(name: string, cell: string): unknown {
  if (name === 'groups') return [cell];
  if (!BOOLEAN_MEMBERS.has(name)) return cell;
  if (TRUE_VALUES.test(cell)) return true;
  return FALSE_VALUES.test(cell) ? false : cell;
}
