// Runs a service with example data for screenshots, in a separate database.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { moderateResource } from '../src/accounts/moderation.ts';
import { encodePicture } from '../src/accounts/pictures.ts';
import { type ClientRegistration, registerClient } from '../src/clients/registration.ts';
import { updateLogo } from '../src/clients/updates.ts';
import { readConfig } from '../src/config.ts';
import { createAccount, type Registration } from '../src/credentials/sign-up.ts';
import { type Instance, openInstance, type ResolvedConfig } from '../src/process/instance.ts';
import { createLogger } from '../src/process/logger.ts';
import { migrate } from '../src/store/migrate.ts';
import { statement } from '../src/store/statement.ts';
import { openBrowserSession } from '../test/support/browser-session.ts';
import {
  buildAuthorizeUrl,
  fetchUserinfo,
  obtainTokens,
  redeemCode,
  signIn,
} from '../test/support/oauth-flow.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { addExampleActivity } from './example-activity.ts';
import { findFreePort } from './free-port.ts';

const PASSWORD = 'une-grotte-quarante-voleurs';
const PREFERRED_PORT = 3000;
const SET_CLIENT_LINKS = statement(
  'example_links',
  'update clients set home_page = $2, privacy_policy = $3, device_flow = true where client_id = $1',
);

export interface ExampleUser {
  userId: string;
  name: string;
  email: string;
  password: string;
}

export async function openExampleService() {
  const folder = mkdtempSync(join(tmpdir(), 'sesame-example-'));
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), durable: false });
  const port = await findFreePort(PREFERRED_PORT);
  const config = readConfig({
    NODE_ENV: 'development',
    PORT: String(port),
    BASE_URL: `http://localhost:${port}`,
    DATABASE_URL: postgres.url,
    SECRET_KEY: randomBytes(32).toString('base64url'),
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'silent',
  }) as ResolvedConfig;
  await migrate(postgres.url);
  const service = await openInstance(config, createLogger(config.logLevel));
  await service.app.listen({ host: config.host, port });
  const { baseUrl } = config;
  const close = async () => {
    await service.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    return { baseUrl, ...(await createExampleData(service, baseUrl)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function createExampleData({ services }: Instance, baseUrl: string) {
  const { database, hasher } = services;
  const service = { baseUrl };
  const now = services.now();
  const createUser = async (
    name: string,
    email: string,
    overrides: Partial<Registration> = {},
  ): Promise<ExampleUser> => {
    const passwordHash = await hasher.hash(PASSWORD);
    const fields = { name, email, passwordHash, emailVerified: true, ...overrides };
    const account = await database.transaction((transaction) => createAccount(transaction, fields, now));
    if (account === undefined) throw new Error(`${email} is taken`);
    return { userId: account.userId, name, email, password: PASSWORD };
  };
  const developer = await createUser('Zoé Lefèvre', 'zoe.lefevre@exemple.fr', { phone: '+33612345678' });
  const admin = await createUser('Grace Hopper', 'grace@exemple.fr', { isAdmin: true });
  for (const name of ['Awa Diallo', 'Louis Moreau', 'Inès Garnier', 'Théo Lambert'])
    await createUser(
      name,
      `${name.split(' ')[0]?.normalize('NFD').replace(/\W/g, '').toLowerCase()}@exemple.fr`,
    );

  const registerExampleClient = async (
    name: string,
    color: [number, number, number],
    fields: Partial<ClientRegistration> = {},
  ) => {
    const host = `${name.toLowerCase()}.exemple.fr`;
    const application: ClientRegistration = {
      ownerId: developer.userId,
      name,
      type: 'confidential',
      redirectUris: [`https://${host}/callback`],
      scopes: ['openid', 'profile', 'email', 'phone'],
      standard: false,
      refreshGrace: 0,
      ...fields,
    };
    const { clientId, clientSecret = '' } = await registerClient(database, application, now);
    await database.query(SET_CLIENT_LINKS, [clientId, `https://${host}/`, `https://${host}/donnees`]);
    const owner = { userId: application.ownerId, ip: '192.0.2.1' };
    await updateLogo(database, owner, clientId, await drawLogo(color), now);
    return { clientId, clientSecret, redirectUri: application.redirectUris[0] ?? '' };
  };
  const carnet = await registerExampleClient('Carnet', [15, 118, 110]);
  await registerExampleClient('Potager', [180, 83, 9], { type: 'public' });
  const agenda = await registerExampleClient('Agenda', [190, 24, 93], { ownerId: admin.userId });
  await moderateResource(
    { database },
    'application',
    'verify',
    carnet.clientId,
    { userId: admin.userId },
    now,
  );

  for (const application of [carnet, agenda]) {
    const browser = openBrowserSession(baseUrl);
    await signIn(browser, developer);
    const { accessToken } = await obtainTokens(service, application, browser);
    await fetchUserinfo(service, accessToken);
  }
  const anonymous = openBrowserSession(baseUrl);
  await anonymous.get(buildAuthorizeUrl(service, carnet, { redirect_uri: `${carnet.redirectUri}/` }));
  await redeemCode(service, carnet, 'sesame_no_such_code');
  await redeemCode(service, { ...carnet, clientSecret: 'sesame_cs_of-yesterday' }, 'sesame_no_such_code');
  await services.usage.flush();
  await addExampleActivity(services, [carnet.clientId, agenda.clientId]);
  return { developer, admin, carnet };
}

async function drawLogo([red, green, blue]: readonly [number, number, number]): Promise<Buffer> {
  const size = 256;
  const pixels = Buffer.alloc(size * size * 3);
  for (let i = 0; i < size * size; i += 1) {
    const isInDisc = Math.hypot((i % size) - size / 2, Math.floor(i / size) - size / 2) < size / 4;
    pixels.set(isInDisc ? [255, 255, 255] : [red, green, blue], i * 3);
  }
  const drawing = await sharp(pixels, { raw: { width: size, height: size, channels: 3 } })
    .png()
    .toBuffer();
  const encoded = await encodePicture(drawing);
  if (encoded === undefined) throw new Error('the logo could not be encoded');
  return encoded;
}
