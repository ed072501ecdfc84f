// Errors in the settings of an application, in words.
import type { DefinitionFault } from '../../applications/definition.ts';
import type { Fault } from '../../web/faults.ts';

/** The entries of a text, one a line. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** @param typed the list that it is in, as it was typed: an error of one entry names its line */
export const settingsError =
  (typed = '') =>
  (fault: DefinitionFault): Fault => ({
    field: fault.field,
    text({ applications }) {
      const words = applications.faults[fault.fault];
      const entry = 'uri' in fault ? fault.uri : 'entry' in fault ? fault.entry : undefined;
      if (entry === undefined) return words;
      const lines = typed.split('\n').map((line) => line.trim());
      return applications.line(lines.indexOf(entry) + 1, words);
    },
  });
