// What the service makes up for itself outside production: a database, a secret key, an operator, the example application.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { buildClient } from '../examples/client/app.ts';
import { registerApplication } from '../src/applications/registration.ts';
import type { Config } from '../src/config.ts';
import { createAccount } from '../src/credentials/sign-up.ts';
import type { Parts } from '../src/http/parts.ts';
import { replaceRedirectUris } from '../src/store/clients.ts';
import { findUserByEmail, hasOperator } from '../src/store/users.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { freePort } from './free-port.ts';

const OPERATOR_EMAIL = 'operator@example.com';
const EXAMPLE_PORT = 4000;

/** What the operator and the example application are made with. */
type WelcomeParts = Pick<Parts, 'config' | 'database' | 'hasher' | 'now'>;

const say = (line = '') => process.stdout.write(`${line}\n`);

/** Makes up the settings that are missing. `welcome` runs once the service listens, `goodbye` before it stops. */
export async function prepareDevelopment(config: Config) {
  mkdirSync(config.dataDir, { recursive: true });
  const postgres =
    config.databaseUrl === undefined
      ? await startEmbeddedPostgres({ dataDir: join(config.dataDir, 'postgres'), log: say })
      : undefined;
  let example: FastifyInstance | undefined;
  return {
    settings: {
      databaseUrl: config.databaseUrl ?? postgres?.url ?? '',
      secretKey: config.secretKey ?? keptSecret(config.dataDir),
    },
    async welcome(parts: WelcomeParts): Promise<void> {
      const password = await createFirstOperator(parts);
      try {
        example = await startExample(parts);
      } finally {
        // Whatever fails: this is the only copy of the password.
        printBanner(parts.config, example, password);
      }
    },
    goodbye: async () => example?.close(),
    stop: async () => postgres?.stop(),
  };
}

/** The last thing that the start prints, in one piece. @param password of the first operator, where it was made now */
function printBanner(
  { baseUrl, serviceName, smtpUrl }: Config,
  example: FastifyInstance | undefined,
  password: string | undefined,
): void {
  const lines = [
    [serviceName, baseUrl],
    ...(smtpUrl === undefined ? [['Mails', `${baseUrl}/dev/mail`]] : []),
    ['Example application', example === undefined ? 'not running' : addressOf(example)],
    ...(password === undefined
      ? []
      : [
          ['First operator', OPERATOR_EMAIL],
          ['Password, shown once', password],
          ['Another password', `npm run sesame -- users set-password ${OPERATOR_EMAIL}`],
        ]),
  ].map(([label = '', value]) => `  ${label.padEnd(22)}  ${value}`);
  say(['', ...lines, ''].join('\n'));
}

/** The secret key of a data folder: a random value kept in a file that only the owner can read. */
export function keptSecret(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, 'secret-key');
  if (!existsSync(path))
    writeFileSync(path, randomBytes(48).toString('base64url'), { mode: 0o600, flag: 'wx' });
  return readFileSync(path, 'utf8').trim();
}

async function createFirstOperator({ database, hasher, now }: WelcomeParts): Promise<string | undefined> {
  if (await hasOperator(database)) return undefined;
  const password = randomBytes(12).toString('base64url');
  const passwordHash = await hasher.hash(password);
  const account = { email: OPERATOR_EMAIL, name: 'Operator', passwordHash };
  const created = await database.transaction((transaction) =>
    createAccount(transaction, { ...account, emailVerified: true, operator: true }, now()),
  );
  return created === undefined ? undefined : password;
}

/** Registers the example application once, and runs it on port 4000, or on a free one; undefined when none stays free. */
async function startExample(parts: WelcomeParts): Promise<FastifyInstance | undefined> {
  for (const wished of [EXAMPLE_PORT, 0, 0]) {
    const port = await freePort(wished, 'localhost');
    const baseUrl = `http://localhost:${port}`;
    const credentials = await exampleCredentials(parts, baseUrl);
    if (credentials === undefined) return undefined;
    const example = await buildClient({
      issuer: parts.config.baseUrl,
      ...credentials,
      baseUrl,
      serviceName: parts.config.serviceName,
      scope: 'openid profile email',
    });
    try {
      await example.listen({ host: 'localhost', port });
      return example;
    } catch (error) {
      await example.close();
      // Another process that starts now may have been faster.
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
  return undefined;
}

async function exampleCredentials(parts: WelcomeParts, baseUrl: string) {
  const callback = `${baseUrl}/callback`;
  const signedOut = `${baseUrl}/signed-out`;
  const { database, config, now } = parts;
  const file = join(config.dataDir, 'example-client.json');
  if (existsSync(file)) {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { clientId: string; clientSecret: string };
    if (await replaceRedirectUris(database, kept.clientId, [callback], [signedOut])) return kept;
  }
  const owner = await findUserByEmail(database, OPERATOR_EMAIL);
  if (owner === undefined) return undefined;
  const { clientId, clientSecret = '' } = await registerApplication(
    database,
    {
      ownerId: owner.userId,
      name: 'Carnet',
      type: 'confidential',
      redirectUris: [callback],
      postLogoutRedirectUris: [signedOut],
      scopes: ['openid', 'profile', 'email', 'phone'],
      standard: false,
      refreshGrace: 0,
    },
    now(),
  );
  writeFileSync(file, JSON.stringify({ clientId, clientSecret }), { mode: 0o600 });
  return { clientId, clientSecret };
}

const addressOf = (app: FastifyInstance): string => app.listeningOrigin.replace(/\/\/[^/]+:/, '//localhost:');
