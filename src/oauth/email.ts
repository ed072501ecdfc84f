// Normalizes email addresses and other user input.
import { domainToASCII } from 'node:url';

export const MAX_EMAIL_LENGTH = 254; // RFC 5321 §4.5.3.1

/**
 * Trims an email address and converts its domain to ASCII (RFC 5890). Callers reject invalid addresses, so they are
 * returned unchanged.
 */
export function normalizeEmail(entered: string | undefined): string {
  const email = entered?.trim() ?? '';
  const domainStart = email.lastIndexOf('@') + 1;
  const domain = email.slice(domainStart);
  if (domainStart === 0 || email.length > MAX_EMAIL_LENGTH || /^\p{ASCII}*$/u.test(domain)) return email;
  return email.slice(0, domainStart) + (domainToASCII(domain) || domain);
}

/** Maximum bytes of a form field. The longest one is a password of 1,024 characters. */
const MAX_BYTES = 4096;

/** The form field's length check rejects strings over MAX_BYTES, so they are returned unchanged. */
export const normalizeText = (text: string, form: 'NFC' | 'NFD' = 'NFC'): string =>
  Buffer.byteLength(text) > MAX_BYTES ? text : text.normalize(form);
