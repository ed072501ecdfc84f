// Normalizes and parses codes that users enter.

/** Longer than any valid code with separators. */
const MAX_ENTERED_CODE_LENGTH = 64;

// Copied codes may contain invisible characters (Cf). The minus sign (U+2212) isn't in Pd.
const SEPARATOR_PATTERN = /[\s\p{Pd}\p{Cf}\u2212]/gu;

/** Returns '' if the input is too long. */
export const normalizeEnteredCode = (entered: string): string =>
  entered.length > MAX_ENTERED_CODE_LENGTH
    ? ''
    : entered
        .normalize('NFKC')
        .replace(SEPARATOR_PATTERN, '')
        .replace(/\p{Nd}/gu, toAsciiDigit);

/** Returns undefined if the code doesn't have exactly `length` digits. */
export function parseDigits(entered: string, length: number): string | undefined {
  const code = normalizeEnteredCode(entered);
  return code.length === length && /^\d+$/.test(code) ? code : undefined;
}

/** In every script, the digits 0 to 9 have consecutive code points. */
function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let precedingDigits = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - precedingDigits - 1))) precedingDigits += 1;
  return String(precedingDigits % 10);
}
