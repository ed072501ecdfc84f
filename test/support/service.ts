// Starts the service with its own database, port and clock.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, inject } from 'vitest';
import { type ClientRegistration, registerClient } from '../../src/clients/registration.ts';
import { readConfig } from '../../src/config.ts';
import { createAccount, type Registration } from '../../src/credentials/sign-up.ts';
import type { Services } from '../../src/http/services.ts';
import { newApiId } from '../../src/oauth/secrets.ts';
import type { ResolveHost } from '../../src/outgoing/guarded-request.ts';
import { openInstance, type ResolvedConfig } from '../../src/process/instance.ts';
import { createLogger } from '../../src/process/logger.ts';
import { insertApi, type NewApi } from '../../src/store/apis.ts';
import { createTestDatabase } from './database.ts';
import { findFreePort } from './free-port.ts';
import { SECRET_KEY } from './secret-key.ts';

export { findFreePort };

export interface TestUser {
  userId: string;
  email: string;
  name: string;
  password: string;
}

export interface TestClient {
  clientId: string;
  clientSecret: string;
  redirectUri: string;
}

export interface TestService {
  baseUrl: string;
  databaseUrl: string;
  app: FastifyInstance;
  services: Services;
  clock: { now(): Date; advance(seconds: number): void };
  /** Delays that the service requested, in milliseconds. They end immediately. */
  delays: number[];
  createUser(fields?: Partial<Omit<Registration, 'passwordHash'> & { password: string }>): Promise<TestUser>;
  createClient(fields?: Partial<ClientRegistration>): Promise<TestClient>;
  /** The default API is open to all clients. Its scopes are `read` and `write` (sensitive). */
  createApi(fields?: Partial<NewApi>): Promise<NewApi>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** For tests with more than two concurrent transactions. */
export const LARGE_POOL = { DATABASE_POOL_SIZE: '10' };

export const PASSWORD = 'horse-battery-staple-42';
let counter = 0;

/** The sign-up page uses the slow production parameters. */
const hashCheaply = (password: string): Promise<string> =>
  hash(password.normalize('NFC'), { algorithm: 2, memoryCost: 8, timeCost: 1, parallelism: 1 });

interface ServiceOptions {
  databaseUrl?: string;
  wait?: () => Promise<void>;
  resolve?: ResolveHost;
}

export function useTestService(
  environment: Record<string, string> = {},
  options: () => ServiceOptions = () => ({}),
): TestService {
  const service = {} as TestService;
  beforeAll(async () => {
    Object.assign(service, await startTestService(environment, options()));
  });
  afterAll(() => service.close?.());
  return service;
}

/** Creating an RSA key takes 0.1 s, so the template contains signing keys. */
const selectTemplate = (environment: Record<string, string>) =>
  inject(environment.SECRET_KEY === undefined ? 'templateWithKeys' : 'templateDatabase');

/**
 * @param environment settings. Rate limits are off by default.
 * @param resolve replaces DNS lookups of outgoing requests
 * @param wait implements delays, which end immediately by default
 */
export async function startTestService(
  environment: Record<string, string> = {},
  { databaseUrl, wait, resolve }: ServiceOptions = {},
): Promise<TestService> {
  const database =
    databaseUrl === undefined ? await createTestDatabase(selectTemplate(environment)) : undefined;
  const port = await findFreePort();
  const config = readConfig({
    NODE_ENV: 'test',
    PORT: String(port),
    BASE_URL: `http://localhost:${port}`,
    DATABASE_URL: databaseUrl ?? database?.url,
    SECRET_KEY,
    RATE_LIMIT_PER_MINUTE: '0',
    HOURLY_LIMITS: 'off',
    DATABASE_POOL_SIZE: '2',
    LOG_LEVEL: 'silent',
    ...environment,
  }) as ResolvedConfig;
  let offset = 0;
  const now = () => new Date(Date.now() + offset);
  const delays: number[] = [];
  const service = await openInstance(config, createLogger(config.logLevel), {
    now,
    resolve,
    wait: async (milliseconds) => {
      delays.push(milliseconds);
      await wait?.();
    },
    usagePeriod: 3_600_000, // tests flush usage records themselves
  });
  await service.app.listen({ host: config.host, port: config.port });
  const { services } = service;

  const createUser: TestService['createUser'] = async (fields = {}) => {
    counter += 1;
    const user = {
      email: `person${counter}@example.com`,
      name: 'Ada Lovelace',
      password: PASSWORD,
      ...fields,
    };
    const { password, ...registration } = user;
    const passwordHash = await hashCheaply(password);
    const account = await services.database.transaction((transaction) =>
      createAccount(transaction, { ...registration, passwordHash }, now()),
    );
    if (account === undefined) throw new Error(`the email address ${user.email} is already in use`);
    return { ...user, userId: account.userId };
  };
  const close = async () => {
    await service.close();
    await database?.drop();
  };
  return {
    baseUrl: config.baseUrl,
    databaseUrl: config.databaseUrl,
    app: service.app,
    services,
    clock: {
      now,
      advance: (seconds) => {
        offset += seconds * 1000;
      },
    },
    delays: delays,
    createUser,
    createClient: async (fields = {}) => {
      const application: ClientRegistration = {
        ownerId: fields.ownerId ?? (await createUser()).userId,
        name: 'Carnet',
        type: 'confidential',
        redirectUris: ['https://client.example/callback'],
        scopes: ['openid', 'profile', 'email', 'phone'],
        standard: false,
        refreshGrace: 0,
        ...fields,
      };
      const { clientId, clientSecret = '' } = await registerClient(services.database, application, now());
      return { clientId, clientSecret, redirectUri: application.redirectUris[0] ?? '' };
    },
    createApi: async (fields = {}) => {
      const apiId = newApiId();
      const buildScope = (name: string, sensitive: boolean) => ({
        name,
        fr: `${name} en français`,
        en: `${name} in English`,
        sensitive,
        agents: true,
      });
      const api: NewApi = {
        apiId,
        ownerId: fields.ownerId ?? (await createUser()).userId,
        identifier: `https://${apiId.toLowerCase()}.example/v1`,
        name: 'Archives',
        descriptionFr: 'Vos documents.',
        descriptionEn: 'Your documents.',
        scopes: [buildScope('read', false), buildScope('write', true)],
        tokenLifetime: 600,
        allowedClients: 'applications',
        ...fields,
      };
      if (!(await insertApi(services.database, api, now())))
        throw new Error(`the identifier ${api.identifier} is taken`);
      return api;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

export const SERVICE_LINKS = {
  SUPPORT: 'aide@example.fr',
  PRIVACY_URL: 'https://www.example.fr/donnees',
  TERMS_URL: 'https://www.example.fr/conditions',
  LEGAL_NOTICE_URL: 'https://www.example.fr/mentions',
  ACCESSIBILITY_URL: 'https://www.example.fr/accessibilite',
};

export function createBranding(): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'sesame-branding-'));
  const logo = join(folder, 'logo.svg');
  writeFileSync(
    logo,
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><path fill="#0b6e4f" d="M8 56C8 24 24 8 56 8c0 32-16 48-48 48z"/></svg>',
  );
  return {
    SERVICE_NAME: 'Exemple',
    ACCENT_COLOR: '#0b6e4f',
    LOGO_FILE: logo,
  };
}
