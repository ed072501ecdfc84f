// Delivers one mail to an SMTP server, over its own connection. The first one loads nodemailer.
import { isIP } from 'node:net';
import { DeliveryFault } from './delivery-fault.ts';
import type { Mail } from './letter.ts';

/** @param id names the mail in its Message-ID, the same whenever it is sent */
export type Delivery = (mail: Mail, id: string) => Promise<void>;

// A server that does not answer must not keep mails from others for long, in milliseconds.
const TIMEOUTS = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
  dnsTimeout: 10_000,
};

/**
 * @param url smtp:// (STARTTLS where the server offers it) or smtps://, with user name and password
 * @param host the host that EHLO names: servers refuse the name or the private IP of a container
 */
export function openSmtp(url: string, host: string): Delivery {
  let opened: Promise<import('nodemailer').Transporter> | undefined;
  const open = async () => {
    const { createTransport } = await import('nodemailer'); // 10 MiB that a process which sends nothing does not need
    return createTransport({
      url,
      name: greetingHost(host),
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

/** What EHLO says (RFC 5321 §4.1.3): a host name, or an IP address in brackets. */
function greetingHost(host: string): string {
  const ip = host.replace(/^\[|\]$/g, '');
  if (isIP(ip) === 0) return host;
  return isIP(ip) === 6 ? `[IPv6:${ip}]` : `[${ip}]`;
}
