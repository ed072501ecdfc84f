// Normalizes email addresses and other user input.
import { domainToASCII } from 'node:url';

/** See RFC 5321 §4.5.3.1. */
export const MAX_EMAIL_LENGTH = 254;

/** Trims an email address and converts its domain to ASCII (RFC 5890). The caller must reject invalid addresses. */
export function normalizeEmail(entered: string | undefined): string {
  const email = entered?.trim() ?? '';
  const domainStart = email.lastIndexOf('@') + 1;
  const domain = email.slice(domainStart);
  if (domainStart === 0 || email.length > MAX_EMAIL_LENGTH || /^\p{ASCII}*$/u.test(domain)) return email;
  return email.slice(0, domainStart) + (domainToASCII(domain) || domain);
}

/** Enough for the longest field, a password of 1,024 characters. */
const MAX_TEXT_BYTES = 4096;

/** Text longer than MAX_TEXT_BYTES is returned unchanged, because forms reject it anyway. */
export const normalizeText = (text: string, form: 'NFC' | 'NFD' = 'NFC'): string =>
  Buffer.byteLength(text) > MAX_TEXT_BYTES ? text : text.normalize(form);
