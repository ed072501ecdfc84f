// Pages as a person gets to see them in a real browser, each with the way that leads there.
import type { Page } from 'playwright-core';
import { rememberConsent } from '../../src/store/consents.ts';
import { statement } from '../../src/store/statement.ts';
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

/** Opens the services. */
export async function openGallery(): Promise<Gallery> {
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
    name: 'Zoé Lefèvre',
    email: 'zoe.lefevre@exemple.fr',
    phone: '+33612345678',
    emailVerified: true,
  });
  const application = await service.createApplication({
    name: 'Carnet',
    redirectUris: ['https://carnet.exemple.fr/callback'],
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
  await page.locator('form button[type=submit]').filter({ hasText: name }).first().click();
  await page.waitForLoadState();
}

/** The consent page, for everything that can be shared. */
const askConsent = (page: Page, { service, application }: Gallery) =>
  page.goto(
    authorizeAddress(service, application, { scope: 'openid profile email phone', prompt: 'consent' }).href,
  );

export interface PageWay {
  status: number;
  /** It comes from another service than all the other pages: they are opened by support/every-page.ts. */
  elsewhere?: true;
  open(page: Page, gallery: Gallery): Promise<unknown>;
}

/** The pages by name: the status each comes with, and what leads to it. */
export const PAGES = {
  'the landing page': { status: 200, open: (page, { service }) => go(page, service, '/') },
  'the connected applications with a notice': {
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
      await go(page, service, '/account/applications?done=withdrawn');
    },
  },
  'sign-in on the way to an application': {
    status: 200,
    open: (page, { service, application }) => page.goto(authorizeAddress(service, application).href),
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
  'sign-out': {
    status: 200,
    open: async (page, gallery) => {
      await enter(page, gallery);
      await go(page, gallery.service, '/signout');
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
  'the error for closed sign-up': {
    status: 403,
    elsewhere: true,
    open: (page, { others }) => go(page, others.closed, '/signup'),
  },
  'the error for too many requests': {
    status: 429,
    elsewhere: true,
    open: async (page, { others: { limited } }) => {
      while ((await go(page, limited, '/signin'))?.status() === 200);
    },
  },
  'the error for a fault of ours': {
    status: 500,
    elsewhere: true,
    open: async (page, { others: { broken } }) =>
      page.goto(authorizeAddress(broken, await broken.createApplication()).href),
  },
  'the error for an absent database': {
    status: 503,
    elsewhere: true,
    open: (page, { others: { unavailable }, application }) =>
      page.goto(authorizeAddress(unavailable, application).href),
  },
} satisfies Record<string, PageWay>;

export type PageName = keyof typeof PAGES;
