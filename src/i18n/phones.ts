// Formats phone numbers with their country's usual digit groups.
// The numbering plans are large and are loaded on first use.
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

export const numberingPlans = (): typeof import('libphonenumber-js/max') => load('libphonenumber-js/max');

const NO_BREAK = '\u00a0';

/** Uses no-break spaces. Returns an unparsable number unchanged. */
export const displayPhone = (e164: string): string => editablePhone(e164).replaceAll(' ', NO_BREAK);

/** Uses ordinary spaces. Returns an unparsable number unchanged. */
export const editablePhone = (e164: string): string =>
  numberingPlans().parsePhoneNumberFromString(e164)?.formatInternational() ?? e164;
