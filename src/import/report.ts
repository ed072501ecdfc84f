// Formats the report of an import as JSON Lines: a header, one line per row, and the totals.
import type { ImportSummary } from './import-users.ts';
import { formatRemark, type NoteCode, type RefusalCode, type Remark, type RowVerdict } from './row-remark.ts';
import type { SourceFormat } from './source.ts';

export const REPORT_PREFIX = '{"import":';

const formatLine = (value: object): string => `${JSON.stringify(value)}\n`;

export const formatHeader = (run: {
  file: string;
  from: SourceFormat;
  keepIds: boolean;
  dryRun: boolean;
  at: Date;
}): string => {
  const { file, from, keepIds, dryRun, at } = run;
  return formatLine({ import: { at, file, from, keep_ids: keepIds, dry_run: dryRun } });
};

export const formatVerdict = ({
  row,
  verdict,
  email,
  userName,
  sub,
  formerSub,
  ...remarks
}: RowVerdict): string =>
  formatLine({
    row,
    verdict,
    email,
    user: userName,
    sub,
    former_sub: formerSub,
    reasons: formatRemarks(remarks.refusals),
    notes: formatRemarks(remarks.notes),
  });

const formatRemarks = (remarks: readonly Remark<RefusalCode | NoteCode>[] = []) =>
  remarks.length === 0 ? undefined : remarks.map((entry) => ({ ...entry, message: formatRemark(entry) }));

export const formatReport = (
  verdicts: readonly RowVerdict[],
  summary: ImportSummary & { dryRun: boolean },
): string => verdicts.map(formatVerdict).join('') + formatSummary(summary);

export const formatSummary = (summary: ImportSummary & { dryRun: boolean }): string => {
  const { rows, created, exists, refused, stopped, dryRun } = summary;
  return formatLine({ summary: { rows, created, exists, refused, stopped, dry_run: dryRun } });
};
