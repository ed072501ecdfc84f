// Email addresses as people type them. An international domain has two spellings, and browsers send either of them.
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
