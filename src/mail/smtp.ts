// Handing one mail to an SMTP server, over a connection of its own, and which of its refusals are for good; nodemailer is loaded with the first one.
import type { Mail } from './letter.ts';

/** @param id names the mail in its Message-ID, the same whenever it is sent */
export type Delivery = (mail: Mail, id: string) => Promise<void>;

/** A mail that was not taken. `fault` is fit for the log: it holds nothing of the mail, nor of the settings. */
export class DeliveryFault extends Error {
  readonly fault: string;
  /**
   * Trying again will not help: the server has refused the mail for good (RFC 5321 §4.2.1). Refusing us is another
   * matter: an operator mends it.
   */
  readonly permanent: boolean;
  constructor({ code, responseCode, command }: { code?: string; responseCode?: number; command?: string }) {
    const fault = [code, responseCode, command].filter((part) => part !== undefined).join(' ');
    super(fault);
    this.fault = fault;
    this.permanent = responseCode !== undefined && responseCode >= 500 && code !== 'EAUTH';
  }
}

// A server that does not answer must not keep mails from others for long, in milliseconds.
const TIMEOUTS = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
  dnsTimeout: 10_000,
};

/** @param url smtp:// (STARTTLS where the server offers it) or smtps://, with user name and password */
export function openSmtp(url: string): Delivery {
  let opened: Promise<import('nodemailer').Transporter> | undefined;
  const open = async () => {
    const { createTransport } = await import('nodemailer'); // 10 MiB that a process which sends nothing does not need
    return createTransport({
      url,
      ...TIMEOUTS,
      logger: false,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  };
  return async ({ from, to, subject, text, html, images, date }, id) => {
    opened ??= open();
    const transport = await opened;
    try {
      await transport.sendMail({
        from,
        to,
        subject,
        text,
        html,
        date,
        attachments: images.map(({ cid, content }) => ({
          cid,
          content,
          filename: `${cid}.png`,
          contentType: 'image/png',
          contentDisposition: 'inline',
        })),
        messageId: `<${id}@${from.address.split('@').at(-1)}>`,
        // Nobody's holiday answers to it (RFC 3834 §5.1).
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    } catch (error) {
      throw new DeliveryFault(error as object);
    }
  };
}
