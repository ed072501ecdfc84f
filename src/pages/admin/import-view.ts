// Views of the account import: the form and the result.

import type { Messages } from '../../i18n/index.ts';
import type { ImportSummary } from '../../import/import-users.ts';
import { formatReport } from '../../import/report.ts';
import { formatRemark, type RowVerdict } from '../../import/row-remark.ts';
import { SOURCE_FORMATS, type SourceFormat } from '../../import/source.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { choiceField, fileField, selectField } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { attentionNotice } from '../../web/html/notices.ts';
import { reauthenticationFields } from '../../web/html/reauthentication-fields.ts';
import { recordsTable } from '../../web/html/records-table.ts';
import { ACCOUNTS_URL, adminNavigation, IMPORT_URL, urlWithParameters } from './layout.ts';

export interface ImportFields {
  format: SourceFormat | undefined;
  keepIds: boolean;
  dryRun: boolean;
}

export interface ImportResult extends ImportFields {
  summary: ImportSummary;
  verdicts: readonly RowVerdict[];
}

/** The downloadable report contains all rows. */
const MAX_ROWS_SHOWN = 100;

export function importFormView(view: FormState & ImportFields & { maxRows: number }): Html {
  const { messages, errors, keepIds, dryRun } = view;
  const { imports: text, number, cancel } = messages.operations;
  const modes = dryRun ? (['check', 'import'] as const) : (['import', 'check'] as const);
  const hashConfig = fileField({
    name: 'hash_config',
    label: text.hashConfig,
    hint: text.hashConfigHint,
    optional: text.optional,
    errors,
  });
  return html`${adminNavigation(messages, 'accounts', { within: true })}
${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text}</p>
<p class="quiet">${text.limits(number(view.maxRows))} <code>sesame import users</code></p>
${form({
  action: IMPORT_URL,
  csrf: view.csrf,
  upload: true,
  body: html`${selectField({
    name: 'format',
    label: text.format,
    options: SOURCE_FORMATS.map((value) => ({ value, label: text.formats[value] })),
    value: view.format ?? 'keycloak',
    errors,
  })}
${fileField({ name: 'file', label: text.file, errors })}
${isHiddenForOtherFormats(view) ? html`<div class="firebase-only">${hashConfig}</div>` : hashConfig}
${choiceField({
  name: 'keep_ids',
  kind: 'checkbox',
  legend: text.options,
  choices: [{ value: 'yes', label: text.keepIds, hint: text.keepIdsHint, checked: keepIds }],
})}
${reauthenticationFields(view)}
<p class="quiet">${text.modesText}</p>
<p class="actions">
${modes.map((mode, index) => submitButton({ text: text.modes[mode], kind: index === 0 ? 'primary' : 'secondary', name: 'mode', value: mode }))}
${buttonLink({ text: cancel, href: ACCOUNTS_URL, kind: 'secondary' })}
</p>`,
})}`;
}

/** CSS hides the hash settings unless the format is Firebase. A field with errors stays visible. */
const isHiddenForOtherFormats = ({ errors }: FormState): boolean =>
  !errors.some(({ field }) => field === 'hash_config');

export function importResultView(result: ImportResult, messages: Messages): Html {
  const { summary, verdicts, dryRun, format, keepIds } = result;
  const importFields = { format, keep_ids: keepIds ? 'yes' : undefined, mode: 'import' };
  const { imports, number } = messages.operations;
  const text = imports.result;
  const canImport = dryRun && summary.created > 0;
  const isFinished = !dryRun && !summary.stopped;
  const report = Buffer.from(formatReport(verdicts, { ...summary, dryRun })).toString('base64');
  const sums = [
    [dryRun ? text.wouldCreate : text.created, summary.created],
    [text.exists, summary.exists],
    [text.refused, summary.refused],
  ] as const;
  return html`${adminNavigation(messages, 'accounts', { within: true })}
${summary.stopped ? attentionNotice(text.stoppedText) : dryRun && !canImport && attentionNotice(text.nothingToImport)}
<h1>${summary.stopped ? text.stopped : dryRun ? text.checked : text.imported}</h1>
${canImport && !summary.stopped && html`<p class="lead">${text.nothingWritten}</p>`}
<dl class="facts facts--framed">
${sums.map(
  ([label, count]) => html`<div><dt>${label}</dt><dd>${number(count)}</dd></div>
`,
)}</dl>
${rowsView(messages, {
  title: text.refusedRows,
  heading: text.reason,
  rows: verdicts
    .filter(({ verdict }) => verdict === 'refused')
    .map((row) => ({ row, remarks: row.refusals ?? [] })),
})}
${rowsView(messages, {
  title: text.notedRows,
  heading: text.note,
  rows: verdicts
    .filter(({ notes = [] }) => notes.length > 0)
    .map((row) => ({ row, remarks: row.notes ?? [] })),
})}
<p class="actions">
${isFinished && buttonLink({ text: text.toAccounts, href: ACCOUNTS_URL })}
${
  canImport
    ? buttonLink({ text: text.importFile, href: urlWithParameters(IMPORT_URL, importFields) })
    : buttonLink({ text: text.again, href: IMPORT_URL, kind: isFinished ? 'secondary' : 'primary' })
}
<a class="button button--secondary" href="data:text/plain;charset=utf-8;base64,${report}" download="import-report.jsonl"><span>${text.download}</span></a>
</p>`;
}

function rowsView(
  messages: Messages,
  section: {
    title: string;
    heading: string;
    rows: readonly { row: RowVerdict; remarks: NonNullable<RowVerdict['refusals'] | RowVerdict['notes']> }[];
  },
): Html | undefined {
  const { imports, number } = messages.operations;
  const text = imports.result;
  const hidden = section.rows.length - MAX_ROWS_SHOWN;
  if (section.rows.length === 0) return undefined;
  return html`<section>
<h2>${section.title}</h2>
${recordsTable({
  caption: section.title,
  headings: [text.row, text.email, section.heading],
  rows: section.rows
    .slice(0, MAX_ROWS_SHOWN)
    .map(({ row, remarks }) => [
      number(row.row),
      row.email ?? html`<bdi>${row.userName ?? '–'}</bdi>`,
      html`<ul class="lines">${remarks.map((entry) => html`<li><bdi>${imports.remark(entry, formatRemark(entry))}</bdi></li>`)}</ul>`,
    ]),
})}
${hidden > 0 && html`<p class="quiet">${text.more(number(hidden))}</p>`}
</section>`;
}
