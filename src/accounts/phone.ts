// Telephone numbers as people write them, understood and brought into the one form in which they are kept (E.164).
import type { CountryCode } from 'libphonenumber-js/max';
import { numberingPlans } from '../i18n/phones.ts';

/** Where numbers without a country are from, unless the browser's languages say otherwise. */
const HOME: CountryCode = 'FR';
/** Nobody writes a longer one, however many spaces and dots they put in. */
const LONGEST = 40;

/**
 * Reads a number with its country (`+33 …`, `0033 …`), or without: then of one of the countries that the browser's
 * languages name, or French.
 * @param acceptLanguage the header as it came, such as `en-GB,en;q=0.9`
 * @returns E.164, or undefined when it is no number that anybody could have
 */
export function readPhone(text: string, acceptLanguage: string | undefined): string | undefined {
  if (text.length > LONGEST) return undefined;
  const { parsePhoneNumberFromString: parse, isSupportedCountry } = numberingPlans();
  const named = [...(acceptLanguage ?? '').slice(0, 200).matchAll(/\b[a-z]{2,3}-([a-z]{2})\b/gi)]
    .map(([, region = '']) => region.toUpperCase())
    .filter((region): region is CountryCode => isSupportedCountry(region));
  for (const country of new Set([...named, HOME])) {
    const number = parse(text, { defaultCountry: country, extract: false });
    if (number?.isValid() && number.ext === undefined) return number.number;
  }
  return undefined;
}
