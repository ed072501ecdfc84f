// Supported locales and their dictionaries.
import { en } from './en.ts';
import { fr, type Messages } from './fr.ts';

export type { ErrorPageText, Messages } from './fr.ts';

export type Locale = 'fr' | 'en';

const dictionaries: Record<Locale, Messages> = { fr, en };
export const LOCALES: readonly Locale[] = ['fr', 'en'];

export const isLocale = (value: string | undefined): value is Locale =>
  (LOCALES as readonly unknown[]).includes(value);

export function messagesFor(locale: Locale): Messages {
  return dictionaries[locale];
}
