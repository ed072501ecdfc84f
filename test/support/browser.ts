// Real Chromium: the one that npm carries, else the system's. Tabs remember what went wrong in them.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { signedInBrowser } from './flow.ts';
import type { TestService, TestUser } from './service.ts';

const SYSTEM_CHROMIUM = '/usr/bin/chromium';
const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // What runs in a page for a tenth of a second takes longer to be optimised than it will ever run.
  '--js-flags=--no-maglev --no-opt',
];

interface Executable {
  executablePath: string;
  env?: Record<string, string>;
}

/**
 * The two ways to come by a Chromium; each gives nothing where this machine does not have it. The carried one is the same
 * everywhere, and without a window it starts in a tenth of the system's time.
 */
const WAYS: Record<'system' | 'carried', () => Promise<Executable | undefined>> = {
  carried: carriedChromium,
  system: async () => (existsSync(SYSTEM_CHROMIUM) ? { executablePath: SYSTEM_CHROMIUM } : undefined),
};

/** Launches Chromium one way. @throws Error when it does not start */
const launch = (executable: Executable): Promise<Browser> => chromium.launch({ ...executable, args: FLAGS });

let shared: Promise<Browser | undefined> | undefined;

/**
 * The browser that all test files of a worker share: closing it closes what one file opened in it, and Playwright ends it
 * with the worker. Undefined, with a warning, if none starts on this machine: the tests are skipped then.
 */
export function openBrowser(): Promise<Browser | undefined> {
  shared ??= startBrowser().then((browser) => {
    if (browser !== undefined)
      browser.close = async () => {
        await Promise.all(browser.contexts().map((context) => context.close()));
      };
    return browser;
  });
  return shared;
}

async function startBrowser(): Promise<Browser | undefined> {
  for (const [way, find] of Object.entries(WAYS)) {
    try {
      const executable = await find();
      if (executable !== undefined) return await launch(executable);
    } catch (error) {
      console.warn(`The ${way} Chromium does not start: ${firstLine(error)}`);
    }
  }
  console.warn(
    'NO CHROMIUM STARTS ON THIS MACHINE: EVERY TEST OF THIS FILE THAT NEEDS A BROWSER IS SKIPPED.',
  );
  return undefined;
}

/** What went wrong, without Playwright's page of flags. */
const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';

/**
 * Unpacks @sparticuz/chromium once, into a folder of our own: its usual place, /tmp/chromium, may be somebody else's,
 * and two test files that unpack at the same time would start a half-written program there.
 */
async function carriedChromium(): Promise<Executable> {
  const home = join(CACHE, 'chromium');
  if (!existsSync(home)) {
    await mkdir(CACHE, { recursive: true });
    const fresh = await mkdtemp(join(CACHE, 'chromium-'));
    const before = { ...process.env };
    // Told that it runs on Lambda, the package brings the system libraries that a bare machine lacks.
    Object.assign(process.env, { AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x', TMPDIR: fresh });
    try {
      const { default: carried } = await import('@sparticuz/chromium');
      await carried.executablePath();
    } catch (error) {
      await rm(fresh, { recursive: true });
      throw error;
    } finally {
      for (const name of ['AWS_EXECUTION_ENV', 'TMPDIR', 'LD_LIBRARY_PATH', 'FONTCONFIG_PATH', 'HOME'])
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
    }
    // Whoever comes second finds the folder taken and uses that one.
    await rename(fresh, home).catch(() => rm(fresh, { recursive: true }));
  }
  // Whole at any time: another test file may be starting its own.
  const fonts = join(home, 'fonts.conf');
  const begun = `${fonts}-${randomUUID()}`;
  await writeFile(begun, fontsConf(join(home, 'fonts')));
  await rename(begun, fonts);
  return {
    executablePath: join(home, 'chromium'),
    env: {
      ...(process.env as Record<string, string>),
      LD_LIBRARY_PATH: join(home, 'al2023', 'lib'),
      FONTCONFIG_FILE: fonts,
    },
  };
}

/** Without the alias, what is to be monospaced comes in any font that there is. */
const fontsConf = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}</dir><dir>/usr/share/fonts</dir><cachedir>${folder}/cache</cachedir>
<alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family><family>Liberation Mono</family></prefer></alias>
</fontconfig>
`;

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 740 };

/** A tab, in a browser profile of its own unless it was opened from another tab's. */
export interface Tab {
  page: Page;
  context: BrowserContext;
  /**
   * What no page may have: errors on the console (violations of the Content Security Policy among them), uncaught
   * exceptions, requests that failed. A page that itself answers with an error status is no fault.
   */
  faults: string[];
  /** The pages that were shown, by their path, latest last; redirects on the way to them are not. */
  shown: string[];
  /** The status of the latest page. */
  status(): number | undefined;
}

export interface TabOptions {
  language?: 'fr' | 'en' | undefined;
  theme?: 'light' | 'dark' | undefined;
  viewport?: { width: number; height: number } | undefined;
  javaScript?: boolean | undefined;
  /** Where the reader is, such as `Asia/Tokyo`. */
  zone?: string | undefined;
}

/** Opens a tab in a fresh browser profile: French, light and wide unless told. */
export async function openTab(browser: Browser | undefined, options: TabOptions = {}): Promise<Tab> {
  const { language = 'fr', theme = 'light', viewport = DESKTOP, javaScript = true } = options;
  if (browser === undefined) throw new Error('there is no browser: the test should have been skipped');
  const context = await browser.newContext({
    locale: language === 'fr' ? 'fr-FR' : 'en-GB',
    colorScheme: theme,
    reducedMotion: 'reduce',
    viewport,
    javaScriptEnabled: javaScript,
    ...(options.zone !== undefined && { timezoneId: options.zone }),
  });
  context.setDefaultTimeout(30_000);
  return openTabIn(context);
}

/** Opens another tab beside those of the same browser profile. */
export async function openTabIn(context: BrowserContext): Promise<Tab> {
  const page = await context.newPage();
  const faults: string[] = [];
  const shown: string[] = [];
  const pages = new Set<string>();
  let status: number | undefined;
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    const { url } = message.location();
    // Chromium reports the status of the page itself as a failed resource.
    if (
      /^Failed to load resource: the server responded with a status of/.test(message.text()) &&
      pages.has(url)
    )
      return;
    faults.push(`console: ${message.text()} (${url})`);
  });
  page.on('pageerror', (error) => faults.push(`exception: ${error.message}`));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    if (reason !== 'net::ERR_ABORTED') faults.push(`request: ${request.url()} ${reason}`);
  });
  page.on('request', (request) => {
    if (request.isNavigationRequest()) pages.add(request.url());
  });
  page.on('response', (response) => {
    if (response.request().isNavigationRequest()) status = response.status();
  });
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) shown.push(new URL(frame.url()).pathname);
  });
  return { page, context, faults, shown, status: () => status };
}

/** Gives a tab's window another size. */
export type Resize = (size: { width: number; height: number }) => Promise<unknown>;

/**
 * For tabs whose window changes its size often, and whose picture nobody looks at: it is drawn at a tenth, once all is laid
 * out at full size. Drawing it takes longer than laying it out.
 */
export async function resizer({ page, context }: Tab): Promise<Resize> {
  const session = await context.newCDPSession(page);
  return (size) =>
    session.send('Emulation.setDeviceMetricsOverride', {
      ...size,
      deviceScaleFactor: 1,
      mobile: false,
      scale: 0.1,
    });
}

/** By how many pixels the page is wider than the window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

/** Signs the user in, in this browser profile, without showing a page. */
export async function enter(
  page: Page,
  { service, user }: { service: Pick<TestService, 'baseUrl'>; user: TestUser },
): Promise<void> {
  const { cookies } = await signedInBrowser(service, user);
  await page
    .context()
    .addCookies([...cookies].map(([name, value]) => ({ name, value, url: service.baseUrl })));
}

export interface VirtualAuthenticator {
  /** The ids of the passkeys that it keeps, base64url. */
  kept(): Promise<string[]>;
  /** Forgets one, as somebody does who deletes it from their device. */
  forget(id: string): Promise<void>;
  /** Whether it recognises its person. */
  recognises(person: boolean): Promise<void>;
  /** Whether somebody touches it when it asks. */
  touched(automatically: boolean): Promise<void>;
}

/** Gives a tab an authenticator that keeps discoverable passkeys. */
export async function giveAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const idsOf = async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
  const base64url = (id: string) => Buffer.from(id, 'base64').toString('base64url');
  return {
    kept: async () => (await idsOf()).map(({ credentialId }) => base64url(credentialId)),
    forget: async (id) => {
      const credentialId = Buffer.from(id, 'base64url').toString('base64');
      await session.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
    },
    recognises: async (isUserVerified) => {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
    touched: async (enabled) => {
      await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    },
  };
}

/** Keeps account of what pages of a tab tell whatever keeps passkeys, from its next page on: every call, the oldest first. */
export async function recordSignals(
  page: Page,
): Promise<{ signal: string; said: Record<string, unknown> }[]> {
  const calls: { signal: string; said: Record<string, unknown> }[] = [];
  await page.exposeFunction('recordSignal', (signal: string, said: Record<string, unknown>) =>
    calls.push({ signal, said }),
  );
  await page.addInitScript(`for (const signal of ['UnknownCredential', 'AllAcceptedCredentials', 'CurrentUserDetails']) {
    const tell = PublicKeyCredential[\`signal\${signal}\`].bind(PublicKeyCredential);
    PublicKeyCredential[\`signal\${signal}\`] = (said) => (recordSignal(signal, said), tell(said));
  }`);
  return calls;
}
