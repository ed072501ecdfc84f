// Real processes of the service, as an operator runs them: spawned, watched, stopped by signals.
import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { makeFastFolder } from './fast-folder.ts';
import { SECRET_KEY } from './secret-key.ts';
import { freePort } from './service.ts';
import { until } from './until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What a process has from being asked to stop until it is gone. */
const TIME_TO_STOP = 30_000;

/** How a process ended. */
interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface ServiceProcess {
  /** Where it listens; its BASE_URL may be another one. */
  address: string;
  pid: number;
  /** Everything it wrote to standard output and standard error. */
  output(): string;
  /** The log lines among its output, as far as they are complete; `caughtUp` waits for those it has yet to write. */
  logs(): Record<string, unknown>[];
  hasEnded(): boolean;
  signal(signal: NodeJS.Signals): void;
  /** Closes the pipe that its standard output goes to. */
  closeOutput(): void;
  /** Waits for the end, for as long as an operator would. @throws Error when it does not end by itself */
  ended(patience?: number): Promise<Ending>;
  /** SIGTERM, then the end. */
  stop(): Promise<Ending>;
}

const spawned: ServiceProcess[] = [];
const folders: string[] = [];

/** A folder of its own, removed by `endProcesses`. */
export async function temporaryFolder(): Promise<string> {
  const folder = makeFastFolder('sesame-process-');
  folders.push(folder);
  return folder;
}

/**
 * Starts `node src/server.ts` and does not wait for it.
 * @param environment settings on top of (or, as undefined, instead of) those that every test wants; nothing else of
 *   this process's environment gets there
 */
export async function spawnService(
  environment: Record<string, string | undefined> = {},
): Promise<ServiceProcess> {
  const port = environment.PORT ?? String(await freePort());
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
    DATA_DIR: environment.DATA_DIR ?? (await temporaryFolder()),
    ...environment,
  };
  const env = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  const child = spawn(process.execPath, ['src/server.ts'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const service = watch(child, `http://localhost:${port}`);
  spawned.push(service);
  return service;
}

/** Starts a process and waits until it is ready. @throws Error with its output when it ends instead */
export async function startService(
  environment: Record<string, string | undefined> = {},
): Promise<ServiceProcess> {
  const service = await spawnService(environment);
  await ready(service);
  return service;
}

/** Waits until /readyz says yes and the start is complete. @throws Error with the output when it ends instead */
export async function ready(service: ServiceProcess): Promise<void> {
  await until(
    () => `${service.address} to become ready; it wrote:\n${service.output()}`,
    async () => {
      if (service.hasEnded()) throw new Error(`the service ended instead of starting:\n${service.output()}`);
      // The two addresses are printed last, after the example application listens.
      return /Example application {5}\S/.test(service.output()) && (await isReady(service));
    },
    60_000,
  );
}

/** Whether /readyz answers 200. */
export const isReady = (service: ServiceProcess): Promise<boolean> =>
  fetch(`${service.address}/readyz`).then(
    (response) => response.status === 200,
    () => false,
  );

/**
 * All that a single process has logged so far. The log is written in batches, the last of them at the end: when a line
 * for one more request is there, so is all that came before.
 */
export async function caughtUp(service: ServiceProcess): Promise<Record<string, unknown>[]> {
  // Nothing else sends such a request.
  const lines = () => service.logs().filter(({ method }) => method === 'DELETE').length;
  const before = lines();
  if (!service.hasEnded()) {
    await fetch(`${service.address}/livez`, { method: 'DELETE' });
    await until('the log to catch up', () => lines() > before);
  }
  return service.logs();
}

/** For afterAll: ends by force whatever a test left, and removes the folders. */
export async function endProcesses(): Promise<void> {
  for (const service of spawned) if (!service.hasEnded()) service.signal('SIGKILL');
  for (const service of spawned.splice(0)) await service.ended();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

function watch(child: ChildProcess, address: string): ServiceProcess {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  let ending: Ending | undefined;
  child.once('close', (code, signal) => {
    ending = { code, signal };
  });
  const ended = (patience = TIME_TO_STOP) =>
    until(
      () => `process ${child.pid} to end; it wrote:\n${output}`,
      () => ending,
      patience,
    );
  return {
    address,
    pid: child.pid ?? 0,
    output: () => output,
    logs: () =>
      output
        .split('\n')
        .slice(0, -1) // kill -9 may cut the last one in two
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    hasEnded: () => ending !== undefined,
    signal: (signal) => child.kill(signal),
    closeOutput: () => child.stdout?.destroy(),
    ended,
    stop: () => {
      child.kill('SIGTERM');
      return ended();
    },
  };
}

/** It still runs, and has nothing fatal or unhandled to tell of. */
export async function expectUnharmed(service: ServiceProcess): Promise<void> {
  expect(service.hasEnded()).toBe(false);
  expect((await caughtUp(service)).filter(({ level }) => level === 'fatal')).toEqual([]);
  expect(service.output()).not.toMatch(/unhandled/i);
}
