// Validates API scopes. Error codes are message keys in src/i18n.
import type { ApiScope } from '../oauth/api.ts';
import { OFFLINE_ACCESS, SCOPES } from '../oauth/scopes.ts';
import { type DescriptionError, validateDescriptions } from './settings-fields.ts';

export const MAX_SCOPES = 40;
const MAX_NAME_LENGTH = 64;

/** An error without a field applies to the list of scopes. */
export type ScopeError =
  | {
      field: 'scope';
      code: 'scopeMissing' | 'scopeTooLong' | 'scopeCharacters' | 'scopeReserved' | 'scopeExists';
    }
  | DescriptionError
  | { field?: never; code: 'tooManyScopes' };

export const validateScope = (scope: Pick<ApiScope, 'name' | 'fr' | 'en'>): ScopeError[] => {
  const error = validateName(scope.name);
  return [
    ...(error === undefined ? [] : [{ field: 'scope', code: error } as const]),
    ...validateDescriptions(scope),
  ];
};

function validateName(name: string) {
  if (name === '') return 'scopeMissing';
  if (name.length > MAX_NAME_LENGTH) return 'scopeTooLong';
  // RFC 6749 §3.3 allows only these characters.
  if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name)) return 'scopeCharacters';
  return name === OFFLINE_ACCESS || (SCOPES as readonly string[]).includes(name)
    ? 'scopeReserved'
    : undefined;
}
