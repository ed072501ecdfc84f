// Launches Chromium and opens tabs that record their errors.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { openSignedInBrowser } from './oauth-flow.ts';
import type { TestService, TestUser } from './service.ts';

const SYSTEM_CHROMIUM = '/usr/bin/chromium';
const CACHE_FOLDER = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));
const CHROMIUM_FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Optimizing compilers slow down scripts as short as ours.
  '--js-flags=--no-maglev --no-opt',
];

interface Executable {
  executablePath: string;
  env?: Record<string, string>;
}

/** The npm build comes first because it is the same on every machine. */
const CHROMIUM_SOURCES: Record<'system' | 'npm', () => Promise<Executable | undefined>> = {
  npm: unpackChromium,
  system: async () => (existsSync(SYSTEM_CHROMIUM) ? { executablePath: SYSTEM_CHROMIUM } : undefined),
};

const launch = (executable: Executable): Promise<Browser> =>
  chromium.launch({ ...executable, args: CHROMIUM_FLAGS });

let shared: Promise<Browser | undefined> | undefined;

/**
 * Opens the test worker's shared browser. `close()` closes only the caller's contexts. Returns undefined if Chromium isn't
 * installed.
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
  for (const [source, find] of Object.entries(CHROMIUM_SOURCES)) {
    try {
      const executable = await find();
      if (executable !== undefined) return await launch(executable);
    } catch (error) {
      console.warn(`Chromium (${source}) does not start: ${getFirstLine(error)}`);
    }
  }
  console.warn(
    'Chromium does not start. Browser tests in this file are skipped. Install Chromium to run them.',
  );
  return undefined;
}

/** Playwright appends all of Chromium's command-line flags to the message. */
const getFirstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';

/** By default, the package unpacks to /tmp, where another user's copy may exist. */
async function unpackChromium(): Promise<Executable> {
  const cachedFolder = join(CACHE_FOLDER, 'chromium');
  if (!existsSync(cachedFolder)) {
    await mkdir(CACHE_FOLDER, { recursive: true });
    const temporaryFolder = await mkdtemp(join(CACHE_FOLDER, 'chromium-'));
    const originalEnvironment = { ...process.env };
    // These variables make the package unpack Chromium's system libraries.
    Object.assign(process.env, { AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x', TMPDIR: temporaryFolder });
    try {
      const { default: chromiumPackage } = await import('@sparticuz/chromium');
      await chromiumPackage.executablePath();
    } catch (error) {
      await rm(temporaryFolder, { recursive: true });
      throw error;
    } finally {
      for (const name of ['AWS_EXECUTION_ENV', 'TMPDIR', 'LD_LIBRARY_PATH', 'FONTCONFIG_PATH', 'HOME'])
        if (originalEnvironment[name] === undefined) delete process.env[name];
        else process.env[name] = originalEnvironment[name];
    }
    // The rename fails if another process has already created the directory.
    await rename(temporaryFolder, cachedFolder).catch(() => rm(temporaryFolder, { recursive: true }));
  }
  // Another process may be starting Chromium, so the file must be replaced atomically.
  const fonts = join(cachedFolder, 'fonts.conf');
  const temporary = `${fonts}-${randomUUID()}`;
  await writeFile(temporary, buildFontsConfig(join(cachedFolder, 'fonts')));
  await rename(temporary, fonts);
  return {
    executablePath: join(cachedFolder, 'chromium'),
    env: {
      ...(process.env as Record<string, string>),
      LD_LIBRARY_PATH: join(cachedFolder, 'al2023', 'lib'),
      FONTCONFIG_FILE: fonts,
    },
  };
}

/** Without this configuration, Chromium uses any installed monospace font. */
const buildFontsConfig = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}</dir><dir>/usr/share/fonts</dir><cachedir>${folder}/cache</cachedir>
<alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family><family>Liberation Mono</family></prefer></alias>
</fontconfig>
`;

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 740 };

export interface Tab {
  page: Page;
  context: BrowserContext;
  /** Console errors, uncaught exceptions and failed requests, but no error statuses. */
  errors: string[];
  visitedPaths: string[];
  status(): number | undefined;
}

export interface TabOptions {
  language?: 'fr' | 'en' | undefined;
  theme?: 'light' | 'dark' | undefined;
  viewport?: { width: number; height: number } | undefined;
  javaScript?: boolean | undefined;
  timeZone?: string | undefined;
}

export async function openTab(browser: Browser | undefined, options: TabOptions = {}): Promise<Tab> {
  const { language = 'fr', theme = 'light', viewport = DESKTOP, javaScript = true } = options;
  if (browser === undefined) throw new Error('Chromium is not available; skip this test');
  const context = await browser.newContext({
    locale: language === 'fr' ? 'fr-FR' : 'en-GB',
    colorScheme: theme,
    reducedMotion: 'reduce',
    viewport,
    javaScriptEnabled: javaScript,
    ...(options.timeZone !== undefined && { timezoneId: options.timeZone }),
  });
  context.setDefaultTimeout(30_000);
  return openTabIn(context);
}

export async function openTabIn(context: BrowserContext): Promise<Tab> {
  const page = await context.newPage();
  const errors: string[] = [];
  const visitedPaths: string[] = [];
  const pageUrls = new Set<string>();
  let status: number | undefined;
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    const { url } = message.location();
    // Chromium also logs the page's own error status. Tests check the status separately.
    if (
      /^Failed to load resource: the server responded with a status of/.test(message.text()) &&
      pageUrls.has(url)
    )
      return;
    errors.push(`console: ${message.text()} (${url})`);
  });
  page.on('pageerror', (error) => errors.push(`exception: ${error.message}`));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    if (reason !== 'net::ERR_ABORTED') errors.push(`request: ${request.url()} ${reason}`);
  });
  page.on('request', (request) => {
    if (request.isNavigationRequest()) pageUrls.add(request.url());
  });
  page.on('response', (response) => {
    if (response.request().isNavigationRequest()) status = response.status();
  });
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) visitedPaths.push(new URL(frame.url()).pathname);
  });
  return { page, context, errors, visitedPaths, status: () => status };
}

export type Resize = (size: { width: number; height: number }) => Promise<unknown>;

/** Pages are painted at a tenth of their size to save time. */
export async function createResizer({ page, context }: Tab): Promise<Resize> {
  const session = await context.newCDPSession(page);
  return (size) =>
    session.send('Emulation.setDeviceMetricsOverride', {
      ...size,
      deviceScaleFactor: 1,
      mobile: false,
      scale: 0.1,
    });
}

export const measureOverflow = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

const MAX_LINE_LENGTH = 75;

export const findLongLines = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const longLines = [];
    for (const paragraph of document.querySelectorAll('main p:not(.actions)')) {
      if (!paragraph.checkVisibility() || paragraph.textContent.trim().length <= ${MAX_LINE_LENGTH}) continue;
      const lines = new Map();
      const range = document.createRange();
      const walker = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
      while (walker.nextNode())
        for (const { 0: word, index } of walker.currentNode.data.matchAll(/\\S+/g)) {
          range.setStart(walker.currentNode, index);
          range.setEnd(walker.currentNode, index + word.length);
          const [rectangle, ...others] = range.getClientRects();
          // Skip hidden words and words that are broken between lines.
          if (rectangle === undefined || rectangle.width === 0 || others.length > 0) continue;
          const line = Math.round(rectangle.bottom / 6);
          lines.set(line, [...(lines.get(line) ?? []), word]);
        }
      longLines.push(...[...lines.values()].map((words) => words.join(' ')).filter(({ length }) => length > ${MAX_LINE_LENGTH}));
    }
    return longLines;
  })()`);

export async function signInInTab(
  page: Page,
  { service, user }: { service: Pick<TestService, 'baseUrl'>; user: TestUser },
): Promise<void> {
  const { cookies } = await openSignedInBrowser(service, user);
  await page
    .context()
    .addCookies([...cookies].map(([name, value]) => ({ name, value, url: service.baseUrl })));
}

export interface VirtualAuthenticator {
  listCredentialIds(): Promise<string[]>; // in base64url
  removeCredential(id: string): Promise<void>;
  setUserVerified(person: boolean): Promise<void>;
  setUserPresent(automatically: boolean): Promise<void>;
}

export async function addVirtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
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
  const listCredentials = async () =>
    (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
  const toBase64url = (id: string) => Buffer.from(id, 'base64').toString('base64url');
  return {
    listCredentialIds: async () =>
      (await listCredentials()).map(({ credentialId }) => toBase64url(credentialId)),
    removeCredential: async (id) => {
      const credentialId = Buffer.from(id, 'base64url').toString('base64');
      await session.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
    },
    setUserVerified: async (isUserVerified) => {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
    setUserPresent: async (enabled) => {
      await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    },
  };
}

interface SignalCall {
  signal: string;
  parameters: Record<string, unknown>;
}

/** Records calls of the passkey signal methods, starting with the next page load. */
export async function recordSignals(page: Page): Promise<SignalCall[]> {
  const calls: SignalCall[] = [];
  await page.exposeFunction('recordSignal', (signal: string, parameters: Record<string, unknown>) =>
    calls.push({ signal, parameters }),
  );
  await page.addInitScript(`for (const signal of ['UnknownCredential', 'AllAcceptedCredentials', 'CurrentUserDetails']) {
    const original = PublicKeyCredential[\`signal\${signal}\`].bind(PublicKeyCredential);
    PublicKeyCredential[\`signal\${signal}\`] = (parameters) => (recordSignal(signal, parameters), original(parameters));
  }`);
  return calls;
}
