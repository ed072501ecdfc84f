// Owns how telephone numbers are written: as their country groups them. The numbering plans of the whole world are loaded
// with the first number: a process that answers machines never needs them.
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/** The library of numbering plans. */
export const numberingPlans = (): typeof import('libphonenumber-js/max') => load('libphonenumber-js/max');

const NO_BREAK = '\u00a0';

/** A number as people read it, `+33 6 12 34 56 78`, in one piece; one that is not understood stays as it is. */
export const phoneInWords = (e164: string): string => typedPhone(e164).replaceAll(' ', NO_BREAK);

/** The same as people type it. */
export const typedPhone = (e164: string): string =>
  numberingPlans().parsePhoneNumberFromString(e164)?.formatInternational() ?? e164;
