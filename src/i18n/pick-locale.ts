// Chooses the language of a response.
import Negotiator from 'negotiator';
import { LOCALES, type Locale } from './index.ts';

/**
 * The application's wish (`ui_locales`, most preferred first), then the user's earlier choice, then `Accept-Language`, then
 * French. Takes all three as they came from the network; anything malformed counts as absent.
 */
export const pickLocale = (wishes: {
  uiLocales?: string | undefined;
  chosen?: string | undefined;
  acceptLanguage?: string | undefined;
}): Locale =>
  firstKnown(wishes.uiLocales ?? '') ??
  firstKnown(wishes.chosen ?? '') ??
  negotiated(wishes.acceptLanguage ?? '') ??
  'fr';

/** What is beyond this many characters is not read. */
const MAX_LENGTH = 1000;

/** The first language of tags such as `fr`, `fr-CA` or `EN-gb` for which there is a dictionary. */
const firstKnown = (tags: string): Locale | undefined =>
  tags
    .slice(0, MAX_LENGTH)
    .split(' ')
    .map((tag) => LOCALES.find((locale) => locale === tag.split('-', 1)[0]?.toLowerCase()))
    .find((locale) => locale !== undefined);

const negotiated = (header: string): Locale | undefined =>
  new Negotiator({ headers: { 'accept-language': header.slice(0, MAX_LENGTH) } }).language([...LOCALES]) as
    | Locale
    | undefined;
