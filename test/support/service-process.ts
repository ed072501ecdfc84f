// Runs the service in a child process.
import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { makeTestDirectory } from './ram-directory.ts';
import { SECRET_KEY } from './secret-key.ts';
import { findFreePort } from './service.ts';
import { waitUntil } from './wait-until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STOP_TIMEOUT = 30_000; // milliseconds

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface ServiceProcess {
  /** The listening URL, which can differ from BASE_URL. */
  url: string;
  pid: number;
  output(): string;
  /** Lines read so far. `readAllLogs` also waits for pending lines. */
  logs(): Record<string, unknown>[];
  hasExited(): boolean;
  signal(signal: NodeJS.Signals): void;
  closeOutput(): void;
  /** @param timeout in milliseconds */
  waitForExit(timeout?: number): Promise<Exit>;
  stop(): Promise<Exit>;
}

const spawnedServices: ServiceProcess[] = [];
const folders: string[] = [];

export async function createTemporaryFolder(): Promise<string> {
  const folder = makeTestDirectory('sesame-process-');
  folders.push(folder);
  return folder;
}

/**
 * Doesn't wait until the service is ready.
 * @param environment variables to set, or undefined to unset a default
 */
export async function spawnService(
  environment: Record<string, string | undefined> = {},
): Promise<ServiceProcess> {
  const port = environment.PORT ?? String(await findFreePort());
  const settings = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/v8'),
    NODE_ENV: 'test',
    PORT: port,
    BASE_URL: `http://localhost:${port}`,
    SECRET_KEY,
    RATE_LIMIT_PER_MINUTE: '0',
    HOURLY_LIMITS: 'off',
    LOG_LEVEL: 'info',
    DATA_DIR: environment.DATA_DIR ?? (await createTemporaryFolder()),
    ...environment,
  };
  const env = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  const child = spawn(process.execPath, ['src/server.ts'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const service = createServiceProcess(child, `http://localhost:${port}`);
  spawnedServices.push(service);
  return service;
}

/** Throws if the process exits. */
export async function startService(
  environment: Record<string, string | undefined> = {},
): Promise<ServiceProcess> {
  const service = await spawnService(environment);
  await waitUntilReady(service);
  return service;
}

export async function waitUntilReady(service: ServiceProcess): Promise<void> {
  await waitUntil(
    () => `${service.url} to become ready; it wrote:\n${service.output()}`,
    async () => {
      if (service.hasExited()) throw new Error(`the service exited during startup:\n${service.output()}`);
      return /Example application {5}\S/.test(service.output()) && (await isReady(service));
    },
    60_000,
  );
}

export const isReady = (service: ServiceProcess): Promise<boolean> =>
  fetch(`${service.url}/readyz`).then(
    (response) => response.status === 200,
    () => false,
  );

/** Sends a request and waits for its log line, so that all earlier lines are included. */
export async function readAllLogs(service: ServiceProcess): Promise<Record<string, unknown>[]> {
  // No other code sends DELETE requests.
  const countMarkerLines = () => service.logs().filter(({ method }) => method === 'DELETE').length;
  const before = countMarkerLines();
  if (!service.hasExited()) {
    await fetch(`${service.url}/livez`, { method: 'DELETE' });
    await waitUntil('the log to be written', () => countMarkerLines() > before);
  }
  return service.logs();
}

export async function killProcesses(): Promise<void> {
  for (const service of spawnedServices) if (!service.hasExited()) service.signal('SIGKILL');
  for (const service of spawnedServices.splice(0)) await service.waitForExit();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

function createServiceProcess(child: ChildProcess, url: string): ServiceProcess {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  let exit: Exit | undefined;
  child.once('close', (code, signal) => {
    exit = { code, signal };
  });
  const waitForExit = (timeout = STOP_TIMEOUT) =>
    waitUntil(
      () => `process ${child.pid} to exit; it wrote:\n${output}`,
      () => exit,
      timeout,
    );
  return {
    url: url,
    pid: child.pid ?? 0,
    output: () => output,
    logs: () =>
      output
        .split('\n')
        .slice(0, -1) // the last line may be incomplete
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    hasExited: () => exit !== undefined,
    signal: (signal) => child.kill(signal),
    closeOutput: () => child.stdout?.destroy(),
    waitForExit: waitForExit,
    stop: () => {
      child.kill('SIGTERM');
      return waitForExit();
    },
  };
}

export async function expectHealthy(service: ServiceProcess): Promise<void> {
  expect(service.hasExited()).toBe(false);
  expect((await readAllLogs(service)).filter(({ level }) => level === 'fatal')).toEqual([]);
  expect(service.output()).not.toMatch(/unhandled/i);
}
