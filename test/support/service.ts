// The real service on a database of its own, listening on a free port, with a clock that tests move.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, inject } from 'vitest';
import { type Application, registerApplication } from '../../src/applications/registration.ts';
import { readConfig } from '../../src/config.ts';
import { createAccount, type Registration } from '../../src/credentials/sign-up.ts';
import type { Parts } from '../../src/http/parts.ts';
import { newApiId } from '../../src/oauth/secrets.ts';
import type { Resolve } from '../../src/outgoing/guarded-request.ts';
import { createLogger } from '../../src/process/logger.ts';
import { type CompleteConfig, openService } from '../../src/process/service.ts';
import { insertApi, type NewApi } from '../../src/store/apis.ts';
import { createTestDatabase } from './database.ts';
import { freePort } from './free-port.ts';
import { SECRET_KEY } from './secret-key.ts';

export { freePort };

export interface TestUser {
  userId: string;
  email: string;
  name: string;
  password: string;
}

export interface TestApplication {
  clientId: string;
  /** '' for a public application. */
  clientSecret: string;
  redirectUri: string;
}

export interface TestService {
  baseUrl: string;
  databaseUrl: string;
  app: FastifyInstance;
  parts: Parts;
  clock: { now(): Date; advance(seconds: number): void };
  /** The waits, in milliseconds, that the service asked for; in tests they are over at once. */
  waits: number[];
  createUser(fields?: Partial<Omit<Registration, 'passwordHash'> & { password: string }>): Promise<TestUser>;
  createApplication(fields?: Partial<Application>): Promise<TestApplication>;
  /** Registers an API of its own owner unless told, with the scopes `read` and, sensitive, `write`; it admits every application. */
  createApi(fields?: Partial<NewApi>): Promise<NewApi>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * The usual number of connections, for tests in which more than two really meet in the database. A page that asks it ten
 * things opens all that it may, and each costs as much as some twenty requests.
 */
export const CROWD = { DATABASE_POOL_SIZE: '10' };

export const PASSWORD = 'horse-battery-staple-42';
let counter = 0;

/**
 * Hashes a password in a tenth of a millisecond, and so that it is verified in no more: what that costs is the subject of
 * the accounts that tests make through pages.
 */
const cheaply = (password: string): Promise<string> =>
  hash(password.normalize('NFC'), { algorithm: 2, memoryCost: 8, timeCost: 1, parallelism: 1 });

interface ServiceOptions {
  databaseUrl?: string;
  wait?: () => Promise<void>;
  resolve?: Resolve;
}

/** The service of a test file or a describe block: started before its first test, closed after its last one. */
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

/** Making an RSA key takes a tenth of a second: a service with the usual secret finds the keys of the whole run. */
const templateFor = (environment: Record<string, string>) =>
  inject(environment.SECRET_KEY === undefined ? 'templateWithKeys' : 'templateDatabase');

/**
 * @param environment settings as they would stand in the environment; limits by address are off unless told
 * @param resolve how names of agents are looked up, where the real way cannot be made to lie
 * @param wait what a wait of the service is, instead of none
 */
export async function startTestService(
  environment: Record<string, string> = {},
  { databaseUrl, wait, resolve }: ServiceOptions = {},
): Promise<TestService> {
  const database = databaseUrl === undefined ? await createTestDatabase(templateFor(environment)) : undefined;
  const port = await freePort();
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
  }) as CompleteConfig;
  let offset = 0;
  const now = () => new Date(Date.now() + offset);
  const waits: number[] = [];
  const service = await openService(config, createLogger(config.logLevel), {
    now,
    resolve,
    wait: async (milliseconds) => {
      waits.push(milliseconds);
      await wait?.();
    },
    usagePeriod: 3_600_000, // tests write what was gathered when they want to see it
  });
  await service.app.listen({ host: config.host, port: config.port });
  const { parts } = service;

  const createUser: TestService['createUser'] = async (fields = {}) => {
    counter += 1;
    const user = {
      email: `person${counter}@example.com`,
      name: 'Ada Lovelace',
      password: PASSWORD,
      ...fields,
    };
    const { password, ...registration } = user;
    const passwordHash = await cheaply(password);
    const account = await parts.database.transaction((transaction) =>
      createAccount(transaction, { ...registration, passwordHash }, now()),
    );
    if (account === undefined) throw new Error(`the email ${user.email} is taken`);
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
    parts,
    clock: {
      now,
      advance: (seconds) => {
        offset += seconds * 1000;
      },
    },
    waits,
    createUser,
    createApplication: async (fields = {}) => {
      const application: Application = {
        ownerId: fields.ownerId ?? (await createUser()).userId,
        name: 'Carnet',
        type: 'confidential',
        redirectUris: ['https://client.example/callback'],
        scopes: ['openid', 'profile', 'email', 'phone'],
        standard: false,
        refreshGrace: 0,
        ...fields,
      };
      const { clientId, clientSecret = '' } = await registerApplication(parts.database, application, now());
      return { clientId, clientSecret, redirectUri: application.redirectUris[0] ?? '' };
    },
    createApi: async (fields = {}) => {
      const apiId = newApiId();
      const scope = (name: string, sensitive: boolean) => ({
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
        wordsFr: 'Vos documents.',
        wordsEn: 'Your documents.',
        scopes: [scope('read', false), scope('write', true)],
        tokenLifetime: 600,
        admits: 'applications',
        ...fields,
      };
      if (!(await insertApi(parts.database, api, now()))) throw new Error('its identifier is taken');
      return api;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Where the operator's own pages are, and how the operators are reached. */
export const HOUSE = {
  SUPPORT: 'aide@example.fr',
  PRIVACY_URL: 'https://www.example.fr/donnees',
  TERMS_URL: 'https://www.example.fr/conditions',
  LEGAL_NOTICE_URL: 'https://www.example.fr/mentions',
  ACCESSIBILITY_URL: 'https://www.example.fr/accessibilite',
};

/** All that an operator can put in place of ours, except what leads elsewhere. */
export function brandedHouse(): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'sesame-house-'));
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
