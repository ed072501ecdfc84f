// Converts entered phone numbers to E.164.
import type { CountryCode } from 'libphonenumber-js/max';
import { loadPhoneLibrary } from '../i18n/phones.ts';

const DEFAULT_COUNTRY: CountryCode = 'FR';
const MAX_PHONE_INPUT_LENGTH = 40;

/**
 * Parses a phone number. Without a country code, tries the regions in Accept-Language, then France.
 * @param acceptLanguage for example `en-GB,en;q=0.9`
 * @returns the number in E.164 format, or undefined if it isn't valid
 */
export function parsePhone(text: string, acceptLanguage: string | undefined): string | undefined {
  if (text.length > MAX_PHONE_INPUT_LENGTH) return undefined;
  const { parsePhoneNumberFromString: parse, isSupportedCountry } = loadPhoneLibrary();
  const countries = [...(acceptLanguage ?? '').slice(0, 200).matchAll(/\b[a-z]{2,3}-([a-z]{2})\b/gi)]
    .map(([, region = '']) => region.toUpperCase())
    .filter((region): region is CountryCode => isSupportedCountry(region));
  for (const country of new Set([...countries, DEFAULT_COUNTRY])) {
    const number = parse(text, { defaultCountry: country, extract: false });
    if (number?.isValid() && number.ext === undefined) return number.number;
  }
  return undefined;
}
