// A service on a database of its own, with people and applications in it as pictures of its pages want them.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { moderateThing } from '../src/accounts/moderation.ts';
import { encodePicture } from '../src/accounts/pictures.ts';
import { changeLogo } from '../src/applications/changes.ts';
import { type Application, registerApplication } from '../src/applications/registration.ts';
import { readConfig } from '../src/config.ts';
import { createAccount, type Registration } from '../src/credentials/sign-up.ts';
import { createLogger } from '../src/process/logger.ts';
import { type CompleteConfig, openService, type Service } from '../src/process/service.ts';
import { migrate } from '../src/store/migrate.ts';
import { statement } from '../src/store/statement.ts';
import { openBrowserSession } from '../test/support/browser-session.ts';
import { authorizeAddress, obtainTokens, redeem, signIn, userinfo } from '../test/support/flow.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { countExampleActivity } from './example-activity.ts';
import { freePort } from './free-port.ts';

const PASSWORD = 'une-grotte-quarante-voleurs';
const WISHED_PORT = 3000;
const LINKS = statement(
  'example_links',
  'update clients set home_page = $2, privacy_policy = $3, device_flow = true where client_id = $1',
);

export interface Person {
  userId: string;
  name: string;
  email: string;
  password: string;
}

/** Starts it: somebody who develops applications, somebody who uses them, an operator, and what they did. */
export async function openExampleService() {
  const folder = mkdtempSync(join(tmpdir(), 'sesame-example-'));
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), durable: false });
  const port = await freePort(WISHED_PORT);
  const config = readConfig({
    NODE_ENV: 'development',
    PORT: String(port),
    BASE_URL: `http://localhost:${port}`,
    DATABASE_URL: postgres.url,
    SECRET_KEY: randomBytes(32).toString('base64url'),
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'silent',
  }) as CompleteConfig;
  await migrate(postgres.url);
  const service = await openService(config, createLogger(config.logLevel));
  await service.app.listen({ host: config.host, port });
  const { baseUrl } = config;
  const close = async () => {
    await service.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    return { baseUrl, ...(await fillIn(service, baseUrl)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function fillIn({ parts }: Service, baseUrl: string) {
  const { database, hasher } = parts;
  const service = { baseUrl };
  const now = parts.now();
  const person = async (name: string, email: string, more: Partial<Registration> = {}): Promise<Person> => {
    const passwordHash = await hasher.hash(PASSWORD);
    const fields = { name, email, passwordHash, emailVerified: true, ...more };
    const account = await database.transaction((transaction) => createAccount(transaction, fields, now));
    if (account === undefined) throw new Error(`${email} is taken`);
    return { userId: account.userId, name, email, password: PASSWORD };
  };
  const developer = await person('Zoé Lefèvre', 'zoe.lefevre@exemple.fr', { phone: '+33612345678' });
  const operator = await person('Grace Hopper', 'grace@exemple.fr', { operator: true });
  for (const name of ['Awa Diallo', 'Louis Moreau', 'Inès Garnier', 'Théo Lambert'])
    await person(name, `${name.split(' ')[0]?.normalize('NFD').replace(/\W/g, '').toLowerCase()}@exemple.fr`);

  const register = async (
    name: string,
    color: [number, number, number],
    fields: Partial<Application> = {},
  ) => {
    const host = `${name.toLowerCase()}.exemple.fr`;
    const application: Application = {
      ownerId: developer.userId,
      name,
      type: 'confidential',
      redirectUris: [`https://${host}/callback`],
      scopes: ['openid', 'profile', 'email', 'phone'],
      standard: false,
      refreshGrace: 0,
      ...fields,
    };
    const { clientId, clientSecret = '' } = await registerApplication(database, application, now);
    await database.query(LINKS, [clientId, `https://${host}/`, `https://${host}/donnees`]);
    const owner = { userId: application.ownerId, address: '192.0.2.1' };
    await changeLogo(database, owner, clientId, await drawnLogo(color), now);
    return { clientId, clientSecret, redirectUri: application.redirectUris[0] ?? '' };
  };
  const carnet = await register('Carnet', [15, 118, 110]);
  await register('Potager', [180, 83, 9], { type: 'public' });
  const agenda = await register('Agenda', [190, 24, 93], { ownerId: operator.userId });
  await moderateThing(
    { database },
    'application',
    'verify',
    carnet.clientId,
    { userId: operator.userId },
    now,
  );

  for (const application of [carnet, agenda]) {
    const browser = openBrowserSession(baseUrl);
    await signIn(browser, developer);
    const { accessToken } = await obtainTokens(service, application, browser);
    await userinfo(service, accessToken);
  }
  const stranger = openBrowserSession(baseUrl);
  await stranger.get(authorizeAddress(service, carnet, { redirect_uri: `${carnet.redirectUri}/` }));
  await redeem(service, carnet, 'sesame_no_such_code');
  await redeem(service, { ...carnet, clientSecret: 'sesame_cs_of-yesterday' }, 'sesame_no_such_code');
  await parts.usage.flush();
  await countExampleActivity(parts, [carnet.clientId, agenda.clientId]);
  return { developer, operator, carnet };
}

/** A disc on a ground of one colour. */
async function drawnLogo([red, green, blue]: readonly [number, number, number]): Promise<Buffer> {
  const size = 256;
  const pixels = Buffer.alloc(size * size * 3);
  for (let i = 0; i < size * size; i += 1) {
    const inDisc = Math.hypot((i % size) - size / 2, Math.floor(i / size) - size / 2) < size / 4;
    pixels.set(inDisc ? [255, 255, 255] : [red, green, blue], i * 3);
  }
  const drawing = await sharp(pixels, { raw: { width: size, height: size, channels: 3 } })
    .png()
    .toBuffer();
  const encoded = await encodePicture(drawing);
  if (encoded === undefined) throw new Error('the logo cannot be encoded');
  return encoded;
}
