// Normalizes typed texts and email addresses.
import { domainToASCII } from 'node:url';

/** No mailbox has a longer address (RFC 5321 §4.5.3.1). */
export const EMAIL_MAX_LENGTH = 254;

/**
 * An email address as it was typed, without spaces around it and with its domain in ASCII (RFC 5890 A-labels). What is too
 * long, or has no such domain, stays as it is and is refused elsewhere.
 */
export function readEmail(typed: string | undefined): string {
  const email = typed?.trim() ?? '';
  const at = email.lastIndexOf('@') + 1;
  const domain = email.slice(at);
  if (at === 0 || email.length > EMAIL_MAX_LENGTH || /^\p{ASCII}*$/u.test(domain)) return email;
  return email.slice(0, at) + (domainToASCII(domain) || domain);
}

/** Longer texts exceed the limit of every field that is normalized: 1,024 characters of a password in UTF-8. */
const MAX_BYTES = 4096;

/** The text in a normal form. One longer than 4,096 bytes is returned as it is, for its field's length check to refuse. */
export const normalized = (text: string, form: 'NFC' | 'NFD' = 'NFC'): string =>
  Buffer.byteLength(text) > MAX_BYTES ? text : text.normalize(form);
