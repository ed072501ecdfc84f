// Processes that start concurrently or fail to start.
import { afterAll, afterEach, expect, test } from 'vitest';
import type { TestDatabase } from '../support/database.ts';
import { createEmptyDatabase } from '../support/database.ts';
import {
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemRefreshToken,
} from '../support/oauth-flow.ts';
import { findFreePort, startTestService } from '../support/service.ts';
import {
  killProcesses,
  type ServiceProcess,
  spawnService,
  startService,
} from '../support/service-process.ts';

const databases: TestDatabase[] = [];
afterEach(killProcesses);
afterAll(async () => {
  for (const database of databases) await database.drop();
});

async function createDatabase(): Promise<string> {
  const database = await createEmptyDatabase();
  databases.push(database);
  return database.url;
}

const fetchPublishedKeys = async (process: ServiceProcess) =>
  (await (await fetch(`${process.url}/.well-known/jwks.json`)).json()) as { keys: { alg: string }[] };
const listMigrations = (process: ServiceProcess) =>
  process.logs().filter(({ msg }) => msg === 'database migrated');
const findExampleUrl = (process: ServiceProcess) =>
  /Example application +(http:\S+)/.exec(process.output())?.[1] ?? '';
const findPassword = (process: ServiceProcess) => /Password, shown once +(\S+)/.exec(process.output())?.[1];

test('two processes that start concurrently migrate the database once', async () => {
  const databaseUrl = await createDatabase();
  const baseUrl = `http://localhost:${await findFreePort()}`;
  const environment = { DATABASE_URL: databaseUrl, BASE_URL: baseUrl };
  const processes = await Promise.all([startService(environment), startService(environment)]);
  const [firstProcess, secondProcess] = processes as [ServiceProcess, ServiceProcess];

  expect([listMigrations(firstProcess).length, listMigrations(secondProcess).length].sort()).toEqual([
    0,
    expect.any(Number),
  ]);
  expect(listMigrations(firstProcess).length + listMigrations(secondProcess).length).toBeGreaterThan(0);
  const keys = await fetchPublishedKeys(firstProcess);
  expect(keys.keys.map(({ alg }) => alg).sort()).toEqual(['ES256', 'EdDSA', 'RS256']);
  expect(await fetchPublishedKeys(secondProcess)).toEqual(keys);
  expect(processes.map(findPassword).filter((password) => password !== undefined)).toHaveLength(1);

  const examples = processes.map((process) => findExampleUrl(process));
  expect(new Set(examples).size, 'each process has a separate port for the example client').toBe(2);
  for (const example of examples) expect((await fetch(example)).status).toBe(200);

  // Both processes accept each other's tokens.
  const service = await startTestService({ BASE_URL: baseUrl }, { databaseUrl });
  const firstService = { ...service, baseUrl: firstProcess.url };
  const secondService = { ...service, baseUrl: secondProcess.url };
  const client = await service.createClient();
  const tokens = await obtainTokens(
    firstService,
    client,
    await openSignedInBrowser(firstService, await service.createUser()),
  );
  expect((await fetchUserinfo(secondService, tokens.accessToken)).status).toBe(200);
  expect((await redeemRefreshToken(secondService, client, tokens.refreshToken)).status).toBe(200);
  await service.close();
});

test('a process with invalid settings exits with code 78', async () => {
  const process = await spawnService({
    NODE_ENV: 'production',
    BASE_URL: 'http://signin.example.com',
    DATABASE_URL: undefined,
    SECRET_KEY: 'weak',
    SESSION_TTL: 'long',
  });
  expect(await process.waitForExit()).toEqual({ code: 78, signal: null });
  const lines = process.output().trim().split('\n');
  for (const name of ['BASE_URL', 'DATABASE_URL', 'SECRET_KEY', 'SESSION_TTL'])
    expect(lines.filter((line) => line.startsWith(`sesame: ${name} `))).toHaveLength(1);
  expect(lines).toHaveLength(4);
});

test('a process that cannot start exits with code 1', async () => {
  const databaseUrl = await createDatabase();
  const { port } = new URL((await startService({ DATABASE_URL: databaseUrl })).url);
  const cases: [settings: Record<string, string>, message: RegExp][] = [
    [{ SECRET_KEY: 'quite another secret key: abcdefghij9876543210' }, /cannot be decrypted with SECRET_KEY/],
    [{ HOST: 'nowhere.invalid' }, /cannot listen \(.*nowhere\.invalid.*\); see HOST and PORT\./],
    [{ PORT: port }, new RegExp(`:${port} is in use by another program; set PORT to a free port\\.`)],
    [{ METRICS_PORT: port }, new RegExp(`:${port} is in use by another program; set METRICS_PORT`)],
  ];
  for (const [settings, message] of cases) {
    const failing = await spawnService({ DATABASE_URL: databaseUrl, ...settings });
    expect(await failing.waitForExit(), `${message}`).toEqual({ code: 1, signal: null });
    expect(failing.output()).toMatch(message);
    expect(failing.output()).not.toContain('the database is unreachable');
  }
});
