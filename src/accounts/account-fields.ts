// What a new account's fields must be like; each fault by name, its words are in the dictionaries.
import { z } from 'zod';
import { EMAIL_MAX_LENGTH, normalized } from '../oauth/email.ts';

export const NAME_MAX = 100;

export type NameFault = 'nameMissing' | 'nameTooLong';

// Control and direction characters would let a name pretend to be something else on a page; joiners are letters' own.
const INVISIBLE = /(?![\u200c\u200d])\p{C}/gu;

/** A display name without control or direction characters and with single spaces. */
export const cleanName = (text: string): string =>
  normalized(text).replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim();

// Characters that show nothing, some of them letters: a name of nothing else is none (Hangul filler, blank Braille …).
const BLANK = /^[\p{Default_Ignorable_Code_Point}\p{M}\u2800\s]*$/u;

export function nameFault(name: string): NameFault | undefined {
  if (BLANK.test(name)) return 'nameMissing';
  return [...name].length > NAME_MAX ? 'nameTooLong' : undefined;
}

const emailSchema = z.email({ pattern: z.regexes.html5Email });

/** Whether a text has the form of an email address (as HTML's email field sees it, and not longer than mail can carry). */
export const isEmail = (text: string): boolean =>
  text.length <= EMAIL_MAX_LENGTH && emailSchema.safeParse(text).success;

/** An E.164 number: `+` and up to 15 digits. */
export const isPhone = (text: string): boolean => /^\+[1-9]\d{6,14}$/.test(text);
