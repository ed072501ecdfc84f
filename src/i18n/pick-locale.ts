// Owns the choice of language: which of those there are a person gets.
import { LOCALES, type Locale } from './index.ts';

/**
 * D31: the application's wish (`ui_locales`, most preferred first), then the person's earlier choice, then
 * `Accept-Language`, then French. Takes all three as they came from the network; anything malformed counts as absent.
 */
export function pickLocale(wishes: {
  uiLocales?: string | undefined;
  chosen?: string | undefined;
  acceptLanguage?: string | undefined;
}): Locale {
  return (
    firstKnown(wishes.uiLocales ?? '') ??
    firstKnown(wishes.chosen ?? '') ??
    negotiated(wishes.acceptLanguage ?? '') ??
    'fr'
  );
}

/** Nobody sends more than this; what lies beyond is not read. */
const longestHeader = 1000;

function firstKnown(tags: string): Locale | undefined {
  for (const tag of tags.slice(0, longestHeader).split(' ')) {
    const locale = known(tag);
    if (locale) return locale;
  }
  return undefined;
}

/** The language of a tag such as `fr`, `fr-CA` or `EN-gb`, if there is a dictionary for it. */
function known(tag: string): Locale | undefined {
  const language = tag.trim().split('-', 1)[0]?.toLowerCase();
  return LOCALES.find((locale) => locale === language);
}

/** RFC 9110 §12.5.4: highest quality first, then order of appearance; `*` stands for the languages not named. */
function negotiated(header: string): Locale | undefined {
  const ranges = header.slice(0, longestHeader).split(',').map(parseRange);
  const quality = (locale: Locale): number => {
    const named = ranges.filter((range) => known(range.tag) === locale);
    const matching = named.length > 0 ? named : ranges.filter((range) => range.tag === '*');
    return Math.max(0, ...matching.map((range) => range.quality));
  };
  const position = (locale: Locale): number => {
    const index = ranges.findIndex((range) => known(range.tag) === locale && range.quality > 0);
    return index < 0 ? ranges.length : index;
  };
  return LOCALES.filter((locale) => quality(locale) > 0).sort(
    (a, b) => quality(b) - quality(a) || position(a) - position(b),
  )[0];
}

function parseRange(part: string): { tag: string; quality: number } {
  const [tag = '', ...parameters] = part.split(';').map((piece) => piece.trim());
  const weight = parameters.find((parameter) => /^q\s*=/i.test(parameter));
  if (weight === undefined) return { tag, quality: 1 };
  const value = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i.exec(weight)?.[1];
  return { tag, quality: value === undefined ? 0 : Number(value) };
}
