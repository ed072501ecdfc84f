// What a scope of an API must be like (D46); each fault by name, its words are in the dictionaries.
import type { ApiScope } from '../oauth/api.ts';
import { OFFLINE_ACCESS, SCOPES } from '../oauth/scopes.ts';
import { type WordsFault, type WordsField, wordsFaults } from './settings-fields.ts';

export const MAX_SCOPES = 40;
const MAX_NAME = 64;

/** One thing to put right, and the field that it belongs to; without one it is of the API's scopes as a whole. */
export type ScopeFault =
  | {
      field: 'scope';
      fault: 'scopeMissing' | 'scopeTooLong' | 'scopeCharacters' | 'scopeReserved' | 'scopeExists';
    }
  | { field: WordsField; fault: WordsFault }
  | { field?: never; fault: 'tooManyScopes' };

/** What is wrong with a scope's name and words. */
export const scopeFaults = (scope: Pick<ApiScope, 'name' | 'fr' | 'en'>): ScopeFault[] => {
  const fault = nameFault(scope.name);
  return [...(fault === undefined ? [] : [{ field: 'scope', fault } as const]), ...scopeWordsFaults(scope)];
};

/** What is wrong with its words. */
export const scopeWordsFaults = ({ fr, en }: Pick<ApiScope, 'fr' | 'en'>): ScopeFault[] =>
  wordsFaults(fr, en);

function nameFault(name: string) {
  if (name === '') return 'scopeMissing';
  if (name.length > MAX_NAME) return 'scopeTooLong';
  // RFC 6749 §3.3.
  if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name)) return 'scopeCharacters';
  return name === OFFLINE_ACCESS || (SCOPES as readonly string[]).includes(name)
    ? 'scopeReserved'
    : undefined;
}
