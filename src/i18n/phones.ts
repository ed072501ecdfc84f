// Formats phone numbers with their country's usual digit groups.
// The numbering plans are large and are loaded on first use.
import { createRequire } from 'node:module';

const requireModule = createRequire(import.meta.url);

export const loadPhoneLibrary = (): typeof import('libphonenumber-js/max') =>
  requireModule('libphonenumber-js/max');

const NO_BREAK_SPACE = '\u00a0';

/** Uses no-break spaces. Returns an unparsable number unchanged. */
export const formatPhone = (e164: string): string =>
  formatEditablePhone(e164).replaceAll(' ', NO_BREAK_SPACE);

/** Uses ordinary spaces. Returns an unparsable number unchanged. */
export const formatEditablePhone = (e164: string): string =>
  loadPhoneLibrary().parsePhoneNumberFromString(e164)?.formatInternational() ?? e164;
