// SMTP server with configurable TLS, credentials and failures.
import { readFile } from 'node:fs/promises';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { SelfSignedCertificate } from './self-signed-certificate.ts';

interface ReceivedEmail extends Email {
  raw: string;
  recipients: string[];
  secure: boolean;
  greeting: string;
}

export interface TestSmtp {
  port: number;
  emails: ReceivedEmail[];
  countAttempts(): number; // includes rejected attempts
  close(): Promise<void>;
}

interface SmtpOptions {
  security?: 'tls' | 'starttls';
  certificate?: SelfSignedCertificate;
  login?: { user: string; password: string };
  /** Throws to reject the delivery. `count` starts at 1. */
  acceptEmail?: (count: number) => void | Promise<void>;
  refuseRecipient?: Error;
  refuseSender?: Error;
  port?: number;
}

export const createSmtpError = (responseCode: number, text: string): Error =>
  Object.assign(new Error(text), { responseCode });

export async function startSmtp(options: SmtpOptions = {}): Promise<TestSmtp> {
  const { security, certificate, login, acceptEmail, port = 0 } = options;
  const emails: ReceivedEmail[] = [];
  let attempts = 0;
  const settings: SMTPServerOptions = {
    secure: security === 'tls',
    ...(certificate && { key: await readFile(certificate.keyFile), cert: certificate.cert }),
    disabledCommands: [...(security === 'starttls' ? [] : ['STARTTLS']), ...(login ? [] : ['AUTH'])],
    authOptional: login === undefined,
    logger: false,
    onAuth: ({ username, password }, _session, callback) =>
      username === login?.user && password === login?.password
        ? callback(null, { user: username })
        : callback(createSmtpError(535, 'wrong user name or password')),
    ...(options.refuseSender && {
      onMailFrom: (_address, _session, callback) => callback(options.refuseSender),
    }),
    ...(options.refuseRecipient && {
      onRcptTo: (_address, _session, callback) => callback(options.refuseRecipient),
    }),
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        try {
          attempts += 1;
          await acceptEmail?.(attempts);
          const raw = Buffer.concat(chunks).toString('latin1');
          emails.push({
            ...(await PostalMime.parse(Buffer.concat(chunks))),
            raw,
            recipients: session.envelope.rcptTo.map(({ address }) => address),
            secure: session.secure,
            greeting: String(session.hostNameAppearsAs),
          });
          callback();
        } catch (error) {
          callback(error as Error);
        }
      });
    },
  };
  const server = new SMTPServer(settings);
  server.on('error', () => {}); // a client may close its connection early
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    emails: emails,
    countAttempts: () => attempts,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
