// Chooses the language of a response.
import Negotiator from 'negotiator';
import { LOCALES, type Locale } from './index.ts';

/** Tries `ui_locales`, the saved choice and `Accept-Language`, in this order. Defaults to French. */
export const pickLocale = (preferences: {
  uiLocales?: string | undefined;
  chosen?: string | undefined;
  acceptLanguage?: string | undefined;
}): Locale =>
  findSupportedLocale(preferences.uiLocales ?? '') ??
  findSupportedLocale(preferences.chosen ?? '') ??
  negotiateLocale(preferences.acceptLanguage ?? '') ??
  'fr';

const MAX_HEADER_LENGTH = 1000;

const findSupportedLocale = (tags: string): Locale | undefined =>
  tags
    .slice(0, MAX_HEADER_LENGTH)
    .split(' ')
    .map((tag) => LOCALES.find((locale) => locale === tag.split('-', 1)[0]?.toLowerCase()))
    .find((locale) => locale !== undefined);

const negotiateLocale = (header: string): Locale | undefined =>
  new Negotiator({ headers: { 'accept-language': header.slice(0, MAX_HEADER_LENGTH) } }).language([
    ...LOCALES,
  ]) as Locale | undefined;
