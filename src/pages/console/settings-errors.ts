// Converts errors in application settings into form errors.
import type { ClientDefinitionError } from '../../clients/definition.ts';
import type { ValidationError } from '../../web/form-errors.ts';

export const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** @param entered the text of the list field, used to find the line of an invalid entry */
export const toSettingsError =
  (entered = '') =>
  (error: ClientDefinitionError): ValidationError => ({
    // Machine clients have no field for redirect URIs.
    ...(error.code !== 'redirectUriOfMachine' && { field: error.field }),
    text({ applications }) {
      const message = applications.errors[error.code];
      const entry = 'uri' in error ? error.uri : 'entry' in error ? error.entry : undefined;
      if (entry === undefined) return message;
      const lines = entered.split('\n').map((line) => line.trim());
      return applications.line(lines.indexOf(entry) + 1, message);
    },
  });
