// Delivers emails by SMTP, with a new connection for each email.
import { isIP } from 'node:net';
import type { RenderedEmail } from './email.ts';

/** @param id local part of the Message-ID */
export type DeliverEmail = (mail: RenderedEmail, id: string) => Promise<void>;

/** Milliseconds. An unresponsive server must not block other emails for long. */
const TIMEOUTS = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
  dnsTimeout: 10_000,
};

/**
 * @param url `smtp:` (STARTTLS if offered) or `smtps:`, optionally with credentials
 * @param host sent in EHLO because servers would reject the container's host name
 */
export function createSmtpDelivery(url: string, host: string): DeliverEmail {
  let transportPromise: Promise<import('nodemailer').Transporter> | undefined;
  const loadTransport = async () => {
    const { createTransport } = await import('nodemailer'); // loaded on demand because it takes 10 MiB of memory
    return createTransport({
      url,
      name: toEhloHost(host),
      ...TIMEOUTS,
      logger: false,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  };
  return async ({ from, to, subject, text, html, images, date }, id) => {
    transportPromise ??= loadTransport();
    const transport = await transportPromise;
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
        // Prevent automatic replies (RFC 3834 §5.1).
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    } catch (error) {
      throw new DeliveryError(error as object);
    }
  };
}

/** Formats an IP address as an address literal (RFC 5321 §4.1.3). */
function toEhloHost(host: string): string {
  const ip = host.replace(/^\[|\]$/g, '');
  if (isIP(ip) === 0) return host;
  return isIP(ip) === 6 ? `[IPv6:${ip}]` : `[${ip}]`;
}

interface SmtpError {
  code?: string;
  /** The error code from the system or OpenSSL, if nodemailer replaced it. */
  originalCode?: string;
  timeoutType?: string;
  /** The failed SMTP command, such as `STARTTLS`, `AUTH PLAIN` or `RCPT TO`. */
  command?: string;
  responseCode?: number;
  /** The reply may contain the email address, so it is never logged. */
  response?: string;
}

/** Contains no email content and no settings, so it can be logged. */
export class DeliveryError extends Error {
  readonly code: string;
  readonly reason: string | undefined;
  readonly permanent: boolean;
  constructor(error: SmtpError) {
    const { code, originalCode, responseCode, command } = error;
    const parts = [code, originalCode === code ? undefined : originalCode, responseCode, command];
    const summary = parts.filter((part) => part !== undefined).join(' ');
    super(summary);
    this.code = summary;
    this.reason = findReason(error);
    this.permanent = isPermanent(error);
  }
}

const FAILURE_REASONS: readonly (readonly [codes: RegExp, reason: string])[] = [
  [/GREETING_TIMEOUT/, 'the server sent no greeting; a TLS port (usually 465) requires smtps://'],
  [/ECONNREFUSED|CONNECT_TIMEOUT/, 'no server is listening on this host and port'],
  [/EDNS|ENOTFOUND/, 'the host name could not be resolved'],
  [/EXPIRED|ALTNAME/, "the server's certificate has expired or is for another host name"],
  [/SELF_SIGNED|UNABLE_TO_|CERT_/, "the server's certificate is not trusted; check NODE_EXTRA_CA_CERTS"],
  [/ERR_SSL_|EPROTO/, 'the TLS handshake failed; a STARTTLS port (usually 587) requires smtp://'],
  [/ETLS/, 'TLS could not be established; the server may not support STARTTLS'],
  [/EAUTH/, 'the server rejected the user name or password'],
];

function findReason(error: SmtpError): string | undefined {
  const codes = [error.timeoutType, error.originalCode, error.code].join(' ');
  const known = FAILURE_REASONS.find(([pattern]) => pattern.test(codes))?.[1];
  if (known !== undefined) return known;
  if (requiresLogin(error)) return 'the server requires a user name and a password';
  if (refusesRelay(error)) return 'the server does not relay mail from this client';
  return error.command === 'MAIL FROM' ? 'the server rejected the sender; check MAIL_FROM' : undefined;
}

const requiresLogin = ({ responseCode, response = '' }: SmtpError): boolean =>
  responseCode === 530 || /authenticat/i.test(response);

const refusesRelay = ({ response = '' }: SmtpError): boolean => /\brelay|rcpthosts/i.test(response);

/**
 * Whether the server permanently rejected the recipient or content (RFC 5321 §4.2.1). Delivery is retried after other
 * rejections because an administrator can fix the cause.
 */
function isPermanent(error: SmtpError): boolean {
  const { code, command, responseCode = 0, response = '' } = error;
  if (responseCode < 500 || requiresLogin(error) || refusesRelay(error)) return false;
  if (code === 'EMESSAGE') return true;
  return command === 'RCPT TO' && REFUSED_RECIPIENT.test(response);
}

/**
 * Matches enhanced status codes 5.1.x and 5.2.x except 5.1.7 and 5.1.8 (RFC 3463). Also matches replies 550 to 553
 * without an enhanced status code.
 */
const REFUSED_RECIPIENT = /^5\d\d[ -]5\.(1\.(?![78]\b)|2\.)|^55[0-3](?![ -]5\.\d)/;
