// Development mode: embedded database, secret key, first administrator, example client.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { buildClient } from '../examples/client/app.ts';
import { registerClient } from '../src/clients/registration.ts';
import type { Config } from '../src/config.ts';
import { createAccount } from '../src/credentials/sign-up.ts';
import type { Services } from '../src/http/services.ts';
import { replaceRedirectUris } from '../src/store/clients.ts';
import { findUserByEmail, hasAdmin } from '../src/store/users.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { findFreePort } from './free-port.ts';

const ADMIN_EMAIL = 'admin@example.com';
const EXAMPLE_CLIENT_PORT = 4000;

type WelcomeServices = Pick<Services, 'config' | 'database' | 'hasher' | 'now'>;

const print = (line = '') => process.stdout.write(`${line}\n`);

/** Call `welcome` after startup and `goodbye` before shutdown. */
export async function prepareDevelopment(config: Config) {
  mkdirSync(config.dataDir, { recursive: true });
  const postgres =
    config.databaseUrl === undefined
      ? await startEmbeddedPostgres({ dataDir: join(config.dataDir, 'postgres'), log: print })
      : undefined;
  let example: FastifyInstance | undefined;
  return {
    settings: {
      databaseUrl: config.databaseUrl ?? postgres?.url ?? '',
      secretKey: config.secretKey ?? readOrCreateSecretKey(config.dataDir),
    },
    async welcome(services: WelcomeServices): Promise<void> {
      const password = await createFirstAdmin(services);
      try {
        example = await startExampleClient(services);
      } finally {
        // Print the password even if the example client fails to start. The password is never shown again.
        printBanner(services.config, example, password);
      }
    },
    goodbye: async () => example?.close(),
    stop: async () => postgres?.stop(),
  };
}

/** @param password set if the first administrator was just created */
function printBanner(
  { baseUrl, serviceName, smtpUrl }: Config,
  example: FastifyInstance | undefined,
  password: string | undefined,
): void {
  const rows = [
    [serviceName, baseUrl],
    ...(smtpUrl === undefined ? [['Emails', `${baseUrl}/dev/mail`]] : []),
    ['Example application', example === undefined ? 'not running' : getLocalUrl(example)],
    ...(password === undefined
      ? []
      : [
          ['First administrator', ADMIN_EMAIL],
          ['Password, shown once', password],
          ['Change password', `npm run sesame -- users set-password ${ADMIN_EMAIL}`],
        ]),
  ].map(([label = '', value]) => `  ${label.padEnd(22)}  ${value}`);
  print(['', ...rows, ''].join('\n'));
}

export function readOrCreateSecretKey(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, 'secret-key');
  if (!existsSync(path))
    writeFileSync(path, randomBytes(48).toString('base64url'), { mode: 0o600, flag: 'wx' });
  return readFileSync(path, 'utf8').trim();
}

async function createFirstAdmin({ database, hasher, now }: WelcomeServices): Promise<string | undefined> {
  if (await hasAdmin(database)) return undefined;
  const password = randomBytes(12).toString('base64url');
  const passwordHash = await hasher.hash(password);
  const account = { email: ADMIN_EMAIL, name: 'Administrator', passwordHash };
  const created = await database.transaction((transaction) =>
    createAccount(transaction, { ...account, emailVerified: true, isAdmin: true }, now()),
  );
  return created === undefined ? undefined : password;
}

/** Returns undefined if the example client can't start. */
async function startExampleClient(services: WelcomeServices): Promise<FastifyInstance | undefined> {
  for (const preferredPort of [EXAMPLE_CLIENT_PORT, 0, 0]) {
    const port = await findFreePort(preferredPort, 'localhost');
    const baseUrl = `http://localhost:${port}`;
    const credentials = await registerExampleClient(services, baseUrl);
    if (credentials === undefined) return undefined;
    const example = await buildClient({
      issuer: services.config.baseUrl,
      ...credentials,
      baseUrl,
      serviceName: services.config.serviceName,
      scope: 'openid profile email',
    });
    try {
      await example.listen({ host: 'localhost', port });
      return example;
    } catch (error) {
      await example.close();
      // Another process may have taken the port.
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
  return undefined;
}

async function registerExampleClient(services: WelcomeServices, baseUrl: string) {
  const redirectUri = `${baseUrl}/callback`;
  const postLogoutRedirectUri = `${baseUrl}/signed-out`;
  const { database, config, now } = services;
  const file = join(config.dataDir, 'example-client.json');
  if (existsSync(file)) {
    const stored = JSON.parse(readFileSync(file, 'utf8')) as { clientId: string; clientSecret: string };
    if (await replaceRedirectUris(database, stored.clientId, [redirectUri], [postLogoutRedirectUri]))
      return stored;
  }
  const owner = await findUserByEmail(database, ADMIN_EMAIL);
  if (owner === undefined) return undefined;
  const { clientId, clientSecret = '' } = await registerClient(
    database,
    {
      ownerId: owner.userId,
      name: 'Carnet',
      type: 'confidential',
      redirectUris: [redirectUri],
      postLogoutRedirectUris: [postLogoutRedirectUri],
      scopes: ['openid', 'profile', 'email', 'phone'],
      standard: false,
      refreshGrace: 0,
    },
    now(),
  );
  writeFileSync(file, JSON.stringify({ clientId, clientSecret }), { mode: 0o600 });
  return { clientId, clientSecret };
}

const getLocalUrl = (app: FastifyInstance): string =>
  app.listeningOrigin.replace(/\/\/[^/]+:/, '//localhost:');
