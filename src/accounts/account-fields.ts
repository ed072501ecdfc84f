// Validates account fields. Error codes are message keys in src/i18n.
import { z } from 'zod';
import { MAX_EMAIL_LENGTH, normalizeText } from '../oauth/email.ts';

export const MAX_NAME_LENGTH = 100;

export type NameError = 'nameMissing' | 'nameTooLong';

// Control and bidi characters can disguise a name. Zero-width joiners and non-joiners are allowed because some scripts
// need them.
const CONTROL_OR_BIDI = /(?![\u200c\u200d])\p{C}/gu;

/** Normalizes a display name: removes control and bidi characters, and collapses whitespace. */
export const cleanName = (text: string): string =>
  normalizeText(text).replace(CONTROL_OR_BIDI, ' ').replace(/\s+/g, ' ').trim();

// Matches names that look empty. The Hangul filler and blank Braille are invisible, but Unicode doesn't classify them
// as whitespace.
const BLANK = /^[\p{Default_Ignorable_Code_Point}\p{M}\u2800\s]*$/u;

export function findNameError(name: string): NameError | undefined {
  if (BLANK.test(name)) return 'nameMissing';
  return [...name].length > MAX_NAME_LENGTH ? 'nameTooLong' : undefined;
}

const emailSchema = z.email({ pattern: z.regexes.html5Email });

/** Checks whether a string matches HTML's pattern for email inputs and is short enough for SMTP. */
export const isEmail = (text: string): boolean =>
  text.length <= MAX_EMAIL_LENGTH && emailSchema.safeParse(text).success;

/** Checks whether a string is a phone number in E.164 format (`+` and 7 to 15 digits). */
export const isPhone = (text: string): boolean => /^\+[1-9]\d{6,14}$/.test(text);
