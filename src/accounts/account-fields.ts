// Validates account fields. Error codes are message keys in src/i18n.
import { z } from 'zod';
import { MAX_EMAIL_LENGTH, normalizeText } from '../oauth/email.ts';

export const MAX_NAME_LENGTH = 100;

export type NameError = 'nameMissing' | 'nameTooLong';

// Control and bidi characters can disguise a name. Some scripts need zero-width joiners.
const CONTROL_OR_BIDI = /(?![\u200c\u200d])\p{C}/gu;

export const cleanName = (text: string): string =>
  normalizeText(text).replace(CONTROL_OR_BIDI, ' ').replace(/\s+/g, ' ').trim();

// The Hangul filler and blank Braille are invisible but don't count as whitespace in Unicode.
const BLANK_NAME = /^[\p{Default_Ignorable_Code_Point}\p{M}\u2800\s]*$/u;

export function findNameError(name: string): NameError | undefined {
  if (BLANK_NAME.test(name)) return 'nameMissing';
  return [...name].length > MAX_NAME_LENGTH ? 'nameTooLong' : undefined;
}

const emailSchema = z.email({ pattern: z.regexes.html5Email });

export const isEmail = (text: string): boolean =>
  text.length <= MAX_EMAIL_LENGTH && emailSchema.safeParse(text).success;

export const isPhone = (text: string): boolean => /^\+[1-9]\d{6,14}$/.test(text);
