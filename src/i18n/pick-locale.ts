// Chooses the language of a response.
import Negotiator from 'negotiator';
import { LOCALES, type Locale } from './index.ts';

/**
 * Returns the first supported locale in the client's `ui_locales`, the user's saved choice or `Accept-Language`, in
 * this order. Ignores malformed values and defaults to French.
 */
export const pickLocale = (preferences: {
  uiLocales?: string | undefined;
  chosen?: string | undefined;
  acceptLanguage?: string | undefined;
}): Locale =>
  firstSupported(preferences.uiLocales ?? '') ??
  firstSupported(preferences.chosen ?? '') ??
  negotiate(preferences.acceptLanguage ?? '') ??
  'fr';

/** Maximum length of a language preference. The rest is ignored. */
const MAX_LENGTH = 1000;

/** Returns the first supported locale in a list of language tags, such as `fr`, `fr-CA` or `EN-gb`. */
const firstSupported = (tags: string): Locale | undefined =>
  tags
    .slice(0, MAX_LENGTH)
    .split(' ')
    .map((tag) => LOCALES.find((locale) => locale === tag.split('-', 1)[0]?.toLowerCase()))
    .find((locale) => locale !== undefined);

const negotiate = (header: string): Locale | undefined =>
  new Negotiator({ headers: { 'accept-language': header.slice(0, MAX_LENGTH) } }).language([...LOCALES]) as
    | Locale
    | undefined;
