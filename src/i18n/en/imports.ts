// English: the administrators' page that imports accounts.
import type { imports as reference } from '../fr/imports.ts';

export const imports: typeof reference = {
  remark: (_, english) => english,
  action: 'Import accounts',
  title: 'Import accounts',
  text: 'Import accounts from another service, with their passwords. Existing accounts are never changed.',
  limits: (rows) =>
    `The file may contain up to ${rows} accounts, and be up to 2 MB in size. For larger files, use the command:`,
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
  hashConfigHint: 'Only for Firebase. Without this file, accounts that have a password are refused.',
  optional: 'optional',
  options: 'Identifiers',
  keepIds: 'Keep the identifiers (sub)',
  keepIdsHint:
    'Your applications will recognize their users. Rows without a UUID are refused. Without this option, accounts get new identifiers. The report lists the old and new ones.',
  modesText: 'A check saves nothing and gives the same report as an import. Users get no email.',
  modes: { check: 'Check the file', import: 'Import the accounts' },
  errors: {
    fileMissing: 'Choose a file.',
    formatMissing: 'Choose a format.',
    tooManyRows: (rows) =>
      `The file contains more than ${rows} accounts. Use the command “sesame import users”.`,
  },
  result: {
    checked: 'File checked',
    imported: 'Import finished',
    stopped: 'Import stopped',
    nothingWritten: 'Nothing was saved. The file is not kept after a check.',
    nothingToImport: 'This file contains no accounts to import.',
    stoppedText: 'The import took too long. To continue, upload the same file again, or use the command.',
    wouldCreate: 'Accounts to create',
    created: 'Accounts created',
    exists: 'Existing accounts, unchanged',
    refused: 'Refused rows',
    download: 'Download the report',
    importFile: 'Choose the file and import',
    again: 'Choose another file',
    toAccounts: 'View accounts',
    row: 'Row',
    email: 'Email address',
    reason: 'Reason',
    note: 'Note',
    refusedRows: 'Refused rows',
    notedRows: 'Notes',
    more: (count) => `The report lists ${count} more.`,
  },
};
