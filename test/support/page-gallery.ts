// Every page that a person can get to see in a real browser, each with the way that leads there.
import type { Page } from 'playwright-core';
import { newClientId } from '../../src/oauth/secrets.ts';
import { deleteClient } from '../../src/store/clients.ts';
import { rememberConsent } from '../../src/store/consents.ts';
import { statement } from '../../src/store/database.ts';
import { openBrowserSession } from './browser-session.ts';
import { createTestDatabase } from './database.ts';
import { openDatabaseProxy } from './database-proxy.ts';
import { authorizeAddress, signedInBrowser } from './flow.ts';
import { startTestService, type TestApplication, type TestService, type TestUser } from './service.ts';

/** The services that the pages come from, and what is in them. */
export interface Gallery {
  service: TestService;
  application: TestApplication;
  user: TestUser;
  /** One with sign-up closed, one that answers once a minute, one in production, two whose database failed them. */
  others: Record<'closed' | 'limited' | 'production' | 'broken' | 'unavailable', TestService>;
  close(): Promise<void>;
}

/** What people see at most: names and addresses as long as they may be, without a good place to break them. */
export const LONG = {
  name: `${'Wolfeschlegelsteinhausen'.repeat(3)} de la Très-Haute-Tour`,
  email: `${'prenom-compose.tres-long'.repeat(2)}@${'sous-domaine.'.repeat(5)}exemple.fr`,
  applicationName: 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
  callback: `https://${'un-tres-long-sous-domaine.'.repeat(4)}exemple.fr:8443/callback`,
};

/** Opens the services; `long` fills them with the longest names and addresses. */
export async function openGallery({ long = false } = {}): Promise<Gallery> {
  const [service, closed, limited, production, broken] = await Promise.all([
    startTestService(),
    startTestService({ SIGN_UP: 'closed' }),
    startTestService({ RATE_LIMIT_PER_MINUTE: '1' }),
    startTestService({ NODE_ENV: 'production', BASE_URL: 'https://sesame.example' }),
    startTestService(),
  ]);
  await broken.parts.database.query(statement('break', 'drop table consents'), []);
  const { unavailable, closeDatabase } = await startWithoutDatabase();

  const user = await service.createUser({
    name: long ? LONG.name : 'Zoé Lefèvre',
    email: long ? LONG.email : 'zoe.lefevre@exemple.fr',
    phone: '+33612345678',
    emailVerified: true,
  });
  const application = await service.createApplication({
    name: long ? LONG.applicationName : 'Carnet',
    redirectUris: [long ? LONG.callback : 'https://carnet.exemple.fr/callback'],
  });
  const others = { closed, limited, production, broken, unavailable };
  return {
    service,
    application,
    user,
    others,
    close: async () => {
      await Promise.all([service, ...Object.values(others)].map((one) => one.close()));
      await closeDatabase();
    },
  };
}

/** A service whose database has gone away. */
async function startWithoutDatabase(): Promise<{
  unavailable: TestService;
  closeDatabase: () => Promise<void>;
}> {
  const database = await createTestDatabase();
  const proxy = await openDatabaseProxy(database.url);
  const unavailable = await startTestService({}, { databaseUrl: proxy.url });
  await proxy.cut();
  return {
    unavailable,
    closeDatabase: async () => {
      await proxy.close();
      await database.drop();
    },
  };
}

/** Signs the person in, in this browser profile, without showing a page. */
export async function enter(page: Page, { service, user }: Pick<Gallery, 'service' | 'user'>): Promise<void> {
  const { cookies } = await signedInBrowser(service, user);
  await page
    .context()
    .addCookies([...cookies].map(([name, value]) => ({ name, value, url: service.baseUrl })));
}

const go = (page: Page, service: TestService, path: string) => page.goto(new URL(path, service.baseUrl).href);

/** Sends the first form of the page by its first button, or by the one that is named. */
async function send(page: Page, name = /./): Promise<void> {
  await page.locator('form').getByRole('button', { name }).first().click();
  await page.waitForLoadState();
}

/** Puts another value into a hidden field, as a form that went stale would have it. */
const forge = (page: Page, field: string, value: string) =>
  page
    .locator(`input[name=${field}]`)
    .first()
    .evaluate((input, text) => input.setAttribute('value', text), value);

/** The consent page, for everything that can be shared. */
const askConsent = (page: Page, { service, application }: Gallery) =>
  page.goto(
    authorizeAddress(service, application, { scope: 'openid profile email phone', prompt: 'consent' }).href,
  );

export interface PageWay {
  status: number;
  open(page: Page, gallery: Gallery): Promise<unknown>;
}

/** The pages by name: the status each comes with, and what leads to it. */
export const PAGES = {
  'the landing page': { status: 200, open: (page, { service }) => go(page, service, '/') },
  'the landing page after signing out': {
    status: 200,
    open: async (page, gallery) => {
      await enter(page, gallery);
      await go(page, gallery.service, '/');
      await send(page, /déconnecter|Sign out/);
    },
  },
  'the account without applications': {
    status: 200,
    open: async (page, { service }) => {
      await enter(page, { service, user: await service.createUser() });
      await go(page, service, '/');
    },
  },
  'the account with an application and a notice': {
    status: 200,
    open: async (page, gallery) => {
      const { service, user, application } = gallery;
      await enter(page, gallery);
      await rememberConsent(service.parts.database, {
        userId: user.userId,
        clientId: application.clientId,
        scopes: ['openid', 'profile', 'email', 'phone'],
        now: service.clock.now(),
      });
      await go(page, service, '/?withdrawn=1');
    },
  },
  'sign-in': { status: 200, open: (page, { service }) => go(page, service, '/signin') },
  'sign-in on the way to an application': {
    status: 200,
    open: (page, { service, application }) => page.goto(authorizeAddress(service, application).href),
  },
  'sign-in with errors': {
    status: 400,
    open: async (page, { service, application }) => {
      await page.goto(authorizeAddress(service, application).href);
      await send(page);
    },
  },
  'sign-in with a wrong password': {
    status: 401,
    open: async (page, { service }) => {
      await go(page, service, '/signin');
      await page.fill('#email', 'nobody@example.com');
      await page.fill('#password', 'not the password');
      await send(page);
    },
  },
  'sign-up': { status: 200, open: (page, { service }) => go(page, service, '/signup') },
  'sign-up with errors': {
    status: 400,
    open: async (page, { service, application }) => {
      await page.goto(authorizeAddress(service, application).href);
      await page.getByRole('link', { name: /Créer un compte|Create an account/ }).click();
      await page.fill('#password', 'password');
      await send(page);
    },
  },
  consent: {
    status: 200,
    open: async (page, gallery) => {
      await enter(page, gallery);
      await askConsent(page, gallery);
    },
  },
  'consent after the account changed': {
    status: 409,
    open: async (page, gallery) => {
      await enter(page, { ...gallery, user: await gallery.service.createUser() });
      await askConsent(page, gallery);
      await forge(page, 'csrf', 'stale');
      await send(page);
    },
  },
  'sign-out': {
    status: 200,
    open: async (page, gallery) => {
      await enter(page, gallery);
      await go(page, gallery.service, '/signout');
    },
  },
  'the error for an unknown application': {
    status: 401,
    open: (page, { service, application }) =>
      page.goto(authorizeAddress(service, application, { client_id: newClientId() }).href),
  },
  'the error for a wrong callback': {
    status: 400,
    open: (page, { service, application }) =>
      page.goto(authorizeAddress(service, application, { redirect_uri: 'https://evil.example/' }).href),
  },
  'the error for a missing parameter': {
    status: 400,
    open: (page, { service, application }) =>
      page.goto(authorizeAddress(service, application, { client_id: undefined }).href),
  },
  'the error for a deleted application': {
    status: 403,
    open: async (page, { service }) => {
      const application = await service.createApplication();
      await page.goto(authorizeAddress(service, application).href);
      await deleteClient(service.parts.database, application.clientId);
      await send(page);
    },
  },
  'the error for an expired request': {
    status: 400,
    open: async (page, { others: { closed: service } }) => {
      await page.goto(authorizeAddress(service, await service.createApplication()).href);
      service.clock.advance(3601);
      await send(page);
    },
  },
  'the error for a request of another browser': {
    status: 400,
    open: async (page, { service, application }) => {
      const other = openBrowserSession(service.baseUrl);
      const { location } = await other.get(authorizeAddress(service, application));
      await page.goto(String(location));
    },
  },
  'the error for a malformed request': {
    status: 400,
    open: (page, { service }) => go(page, service, '/signin?pending=nonsense'),
  },
  'the error for a form from nowhere': {
    status: 403,
    open: async (page, gallery) => {
      await enter(page, gallery);
      await go(page, gallery.service, '/signout');
      await forge(page, 'csrf', 'forged');
      await send(page);
    },
  },
  'the error for closed sign-up': {
    status: 403,
    open: (page, { others }) => go(page, others.closed, '/signup'),
  },
  'the error for an address that does not exist': {
    status: 404,
    open: (page, { service }) => go(page, service, '/nowhere'),
  },
  'the error for too many requests': {
    status: 429,
    open: async (page, { others: { limited } }) => {
      while ((await go(page, limited, '/signin'))?.status() === 200);
    },
  },
  'the error for a fault of ours': {
    status: 500,
    open: async (page, { others: { broken } }) =>
      page.goto(authorizeAddress(broken, await broken.createApplication()).href),
  },
  'the error for an absent database': {
    status: 503,
    open: (page, { others: { unavailable }, application }) =>
      page.goto(authorizeAddress(unavailable, application).href),
  },
} satisfies Record<string, PageWay>;

export type PageName = keyof typeof PAGES;
