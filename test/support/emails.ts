// Reads the emails that the service has captured.
import type { CapturedEmail } from '../../src/mail/delivery.ts';
import type { TestService } from './service.ts';

/** Waits until the outbox is empty, then returns the recipient's emails, newest first. */
export async function listEmailsTo(service: TestService, email: string): Promise<CapturedEmail[]> {
  await service.services.mailer.idle();
  const { captured } = service.services.mailer;
  if (captured === undefined) throw new Error('this service sends emails over SMTP; unset SMTP_URL');
  return captured.list().filter(({ to }) => to.address === email);
}

export async function findLastEmailTo(service: TestService, email: string): Promise<CapturedEmail> {
  const [latest] = await listEmailsTo(service, email);
  if (latest === undefined) throw new Error(`no email to ${email}`);
  return latest;
}

export function readLink({ text }: { text: string }): string {
  const link = /^https?:\/\/\S+$/m.exec(text)?.[0];
  if (link === undefined) throw new Error(`no link in: ${text}`);
  const { pathname, search } = new URL(link);
  return `${pathname}${search}`;
}

export function readCode({ text }: { text: string }): string {
  const code = /^\d{8}$/m.exec(text)?.[0];
  if (code === undefined) throw new Error(`no code in: ${text}`);
  return code;
}

export const createWrongCode = (code: string): string =>
  ((Number(code) + 1) % 100_000_000).toString().padStart(8, '0');
