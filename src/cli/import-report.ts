// Exit codes, report files and printed refusals of imports.
import { type FileHandle, open, stat } from 'node:fs/promises';
import { REPORT_PREFIX } from '../import/report.ts';
import { formatRemark, type RowVerdict } from '../import/row-remark.ts';
import { CommandError, type Context } from './context.ts';

export const EXIT_UNREADABLE = 2;
export const EXIT_SOME_REFUSED = 3;

export const MAX_PRINTED_REFUSALS = 20;

export interface ReportFile {
  append(lines: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Only the file's owner can read the report because it contains email addresses.
 * Later runs append, so that the ID mappings from earlier runs are kept.
 * @param input path of the file being imported
 * @throws CommandError if the file exists and isn't a report
 */
export async function openReportFile(path: string, input: string): Promise<ReportFile> {
  const [report, imported] = await Promise.all(
    [path, input].map((name) => stat(name).catch(() => undefined)),
  );
  if (report !== undefined && report.dev === imported?.dev && report.ino === imported.ino)
    throw new CommandError('--report must not be the file to import. Choose another file.');
  const file = await open(path, 'a+', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`Can't write the report ${path}: ${error.code}.`);
  });
  try {
    await prepareReport(file, path);
  } catch (error) {
    await file.close();
    throw error;
  }
  return { append: (lines) => file.appendFile(lines), close: () => file.close() };
}

async function prepareReport(file: FileHandle, path: string): Promise<void> {
  const { size } = await file.stat();
  if (size === 0) return;
  const read = async (position: number, length: number) =>
    (await file.read(Buffer.alloc(length), 0, length, position)).buffer.toString();
  if ((await read(0, REPORT_PREFIX.length)) !== REPORT_PREFIX)
    throw new CommandError(`${path} already exists and isn't an import report. Choose another file name.`);
  // A killed run can leave an incomplete last line.
  if ((await read(size - 1, 1)) !== '\n') await file.appendFile('\n');
}

export function printRefusedRows({ errors }: Context, refused: readonly RowVerdict[], total: number): void {
  for (const { row, email, userName, refusals = [] } of refused)
    errors.write(
      `Row ${row}${email || userName ? ` (${email ?? userName})` : ''}: ${refusals.map(formatRemark).join(' ')}\n`,
    );
  const others = total - refused.length;
  if (others > 0)
    errors.write(
      `${others} more ${others === 1 ? 'row was' : 'rows were'} refused. To list all refused rows, pass --report FILE.\n`,
    );
}
