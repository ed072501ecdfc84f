// English: the administrators' page that imports accounts.
import type { imports as reference } from '../fr/imports.ts';

export const imports: typeof reference = {
  remark: (_, english) => english,
  action: 'Import accounts',
  title: 'Import accounts',
  text: 'Move accounts from another service, with their passwords. Accounts that already exist are never changed.',
  limits: (rows) =>
    `The file may contain at most ${rows} accounts and 2 MB. For larger files, use the command:`,
  file: 'File',
  format: 'File format',
  formats: {
    keycloak: 'Keycloak: export of a realm (JSON)',
    auth0: 'Auth0: export of users (NDJSON)',
    firebase: 'Firebase: export of accounts (JSON)',
    jsonl: 'JSONL',
    csv: 'CSV, with the field names in the first line',
  },
  hashConfig: 'Firebase hash parameters',
  hashConfigHint: 'For Firebase only: a JSON file. Without it, accounts that have a password are refused.',
  optional: 'optional',
  options: 'Identifiers',
  keepIds: 'Keep the identifiers (sub)',
  keepIdsHint:
    'Rows whose identifier is missing or not a UUID are refused. If this box is not checked, each account gets a new identifier, and the report contains the former one.',
  mode: 'Action',
  modes: { check: 'Check the file', import: 'Import the accounts' },
  modeHints: {
    check: 'Nothing is saved. You get the same report as after an import.',
    import: 'Creates the accounts. Their owners get no email.',
  },
  submit: 'Continue',
  errors: {
    fileMissing: 'Choose a file.',
    formatMissing: 'Choose a format.',
    unreadable: (detail) => `This file cannot be read in this format: ${detail}`,
    tooManyRows: (rows) =>
      `The file contains more than ${rows} accounts. Use the command “sesame import users”.`,
  },
  result: {
    checked: 'File checked',
    imported: 'Import finished',
    stopped: 'Import stopped',
    nothingWritten: 'Nothing was saved. To import the accounts, choose the file again.',
    stoppedText: 'The import took too long. Upload the same file again to continue, or use the command.',
    wouldCreate: 'Accounts to create',
    created: 'Accounts created',
    exists: 'Existing accounts, unchanged',
    refused: 'Refused rows',
    download: 'Download the report',
    importFile: 'Import this file',
    again: 'Choose another file',
    toAccounts: 'See the accounts',
    row: 'Row',
    email: 'Email address',
    reason: 'Reason',
    note: 'Note',
    refusedRows: 'Refused rows',
    notedRows: 'Notes',
    more: (count) => `The report contains ${count} more.`,
  },
};
