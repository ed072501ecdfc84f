// A real SMTP server on a free port, as strict or as broken as a test wants it; what it takes is read by a mail parser.
import { readFile } from 'node:fs/promises';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { SelfSigned } from './self-signed.ts';

interface ReceivedMail extends Email {
  /** As it came over the line. */
  raw: string;
  /** Whom the envelope named, and whether it came over TLS. */
  recipients: string[];
  secure: boolean;
  /** The host that the client named in EHLO. */
  greeting: string;
}

export interface TestSmtp {
  port: number;
  mails: ReceivedMail[];
  /** How often a mail was offered, taken or not. */
  offered(): number;
  close(): Promise<void>;
}

interface SmtpOptions {
  /** TLS from the first byte (`tls`), or offered by STARTTLS (`starttls`). */
  security?: 'tls' | 'starttls';
  certificate?: SelfSigned;
  /** Only whoever knows them may send. */
  login?: { user: string; password: string };
  /** Called for each mail that is offered, counted from 1; throws to refuse it. */
  judge?: (count: number) => void | Promise<void>;
  /** The reply that refuses every recipient. */
  refuseRecipient?: Error;
  /** The reply that refuses every sender. */
  refuseSender?: Error;
  port?: number;
}

/** An answer of the server that refuses a mail. */
export const refusal = (responseCode: number, text: string): Error =>
  Object.assign(new Error(text), { responseCode });

export async function startSmtp(options: SmtpOptions = {}): Promise<TestSmtp> {
  const { security, certificate, login, judge, port = 0 } = options;
  const mails: ReceivedMail[] = [];
  let offered = 0;
  const settings: SMTPServerOptions = {
    secure: security === 'tls',
    ...(certificate && { key: await readFile(certificate.keyFile), cert: certificate.cert }),
    disabledCommands: [...(security === 'starttls' ? [] : ['STARTTLS']), ...(login ? [] : ['AUTH'])],
    authOptional: login === undefined,
    logger: false,
    onAuth: ({ username, password }, _session, callback) =>
      username === login?.user && password === login?.password
        ? callback(null, { user: username })
        : callback(refusal(535, 'wrong user name or password')),
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
          offered += 1;
          await judge?.(offered);
          const raw = Buffer.concat(chunks).toString('latin1');
          mails.push({
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
  server.on('error', () => {}); // clients that give up
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    mails,
    offered: () => offered,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
