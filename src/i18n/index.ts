// Owns which languages there are.
import { en } from './en.ts';
import { fr, type Messages } from './fr.ts';

export type { Failure, Messages } from './fr.ts';

export type Locale = 'fr' | 'en';

const dictionaries: Record<Locale, Messages> = { fr, en };
export const LOCALES: readonly Locale[] = ['fr', 'en'];

/** Whether a text names one of them. */
export const isLocale = (text: string | undefined): text is Locale =>
  (LOCALES as readonly unknown[]).includes(text);

export function messagesFor(locale: Locale): Messages {
  return dictionaries[locale];
}
