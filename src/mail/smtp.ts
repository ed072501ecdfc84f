// Delivers one mail to an SMTP server, over its own connection. The first one loads nodemailer.
import { isIP } from 'node:net';
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

interface SmtpError {
  code?: string;
  /** The code of the system or of OpenSSL, where nodemailer has put its own in its place. */
  originalCode?: string;
  timeoutType?: string;
  /** The SMTP command that failed: CONN, EHLO, STARTTLS, AUTH …, MAIL FROM, RCPT TO, DATA. */
  command?: string;
  responseCode?: number;
  /** The server's reply. It may name the mailbox, so it is never logged. */
  response?: string;
}

/** A mail that was not delivered. Its members are fit for the log: they hold nothing of the mail or of the settings. */
export class DeliveryFault extends Error {
  readonly fault: string;
  readonly reason: string | undefined;
  /** The server refused this recipient or this content, so trying again can't help. */
  readonly permanent: boolean;
  constructor(error: SmtpError) {
    const { code, originalCode, responseCode, command } = error;
    const parts = [code, originalCode === code ? undefined : originalCode, responseCode, command];
    const fault = parts.filter((part) => part !== undefined).join(' ');
    super(fault);
    this.fault = fault;
    this.reason = reasonOf(error);
    this.permanent = isPermanent(error);
  }
}

/** What an error most likely means, by its codes and the SMTP command that failed. */
const REASONS: readonly (readonly [codes: RegExp, reason: string])[] = [
  [/GREETING_TIMEOUT/, 'the server sent no greeting: a port for TLS (usually 465) needs smtps://'],
  [/ECONNREFUSED|CONNECT_TIMEOUT/, 'nothing answers on this host and port'],
  [/EDNS|ENOTFOUND/, 'the host name was not found'],
  [/EXPIRED|ALTNAME/, "the server's certificate has expired or is for another host name"],
  [/SELF_SIGNED|UNABLE_TO_|CERT_/, "the server's certificate is not trusted: see NODE_EXTRA_CA_CERTS"],
  [/ERR_SSL_|EPROTO/, 'the TLS handshake failed: a port without TLS at first (usually 587) needs smtp://'],
  [/ETLS/, 'TLS could not be set up: the server may not offer STARTTLS'],
  [/EAUTH/, 'the server refused the user name or the password'],
];

function reasonOf(error: SmtpError): string | undefined {
  const codes = [error.timeoutType, error.originalCode, error.code].join(' ');
  const known = REASONS.find(([pattern]) => pattern.test(codes))?.[1];
  if (known !== undefined) return known;
  if (demandsLogin(error)) return 'the server wants a user name and a password';
  if (refusesRelay(error)) return 'the server does not relay mail from this client';
  return error.command === 'MAIL FROM' ? 'the server refused the sender: see MAIL_FROM' : undefined;
}

const demandsLogin = ({ responseCode, response = '' }: SmtpError): boolean =>
  responseCode === 530 || /authenticat/i.test(response);

const refusesRelay = ({ response = '' }: SmtpError): boolean => /\brelay|rcpthosts/i.test(response);

/**
 * Whether the server refused the recipient or the content for good (RFC 5321 §4.2.1). Servers report at RCPT TO what they
 * hold against the client or the sender too, which the administrator can mend while the mail waits.
 */
function isPermanent(error: SmtpError): boolean {
  const { code, command, responseCode = 0, response = '' } = error;
  if (responseCode < 500 || demandsLogin(error) || refusesRelay(error)) return false;
  if (code === 'EMESSAGE') return true;
  return command === 'RCPT TO' && REFUSED_RECIPIENT.test(response);
}

/** RFC 3463: 5.1.x and 5.2.x are about the recipient, but for 5.1.7 and 5.1.8; without such a code RFC 5321's own. */
const REFUSED_RECIPIENT = /^5\d\d[ -]5\.(1\.(?![78]\b)|2\.)|^55[0-3](?![ -]5\.\d)/;
