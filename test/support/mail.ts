// The mails that a service has kept instead of sending them, read as a person reads them.
import type { KeptMail } from '../../src/mail/mailer.ts';
import type { TestService } from './service.ts';

/** The mails to an address, latest first, once nothing is on its way any more. */
export async function mailsTo(service: TestService, email: string): Promise<KeptMail[]> {
  await service.parts.mailer.idle();
  const { kept } = service.parts.mailer;
  if (kept === undefined) throw new Error('this service keeps no mails');
  return kept.list().filter(({ to }) => to.address === email);
}

/** The latest mail to an address. @throws Error when there is none */
export async function lastMailTo(service: TestService, email: string): Promise<KeptMail> {
  const [mail] = await mailsTo(service, email);
  if (mail === undefined) throw new Error(`no mail to ${email}`);
  return mail;
}

/** The path and query of the link in a mail. */
export function linkIn({ text }: { text: string }): string {
  const link = /^https?:\/\/\S+$/m.exec(text)?.[0];
  if (link === undefined) throw new Error(`no link in: ${text}`);
  const { pathname, search } = new URL(link);
  return `${pathname}${search}`;
}

/** The code in a mail. */
export function codeIn({ text }: { text: string }): string {
  const code = /^\d{8}$/m.exec(text)?.[0];
  if (code === undefined) throw new Error(`no code in: ${text}`);
  return code;
}

/** A code that is not that one. */
export const otherCode = (code: string): string =>
  ((Number(code) + 1) % 100_000_000).toString().padStart(8, '0');
