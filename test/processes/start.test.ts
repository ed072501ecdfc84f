// Two processes that start at once, and starts that fail.
import { afterAll, afterEach, expect, test } from 'vitest';
import type { TestDatabase } from '../support/database.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { obtainTokens, renew, signedInBrowser, userinfo } from '../support/flow.ts';
import { endProcesses, type ServiceProcess, spawnService, startService } from '../support/process.ts';
import { freePort, startTestService } from '../support/service.ts';

const databases: TestDatabase[] = [];
afterEach(endProcesses);
afterAll(async () => {
  for (const database of databases) await database.drop();
});

async function emptyDatabase(): Promise<string> {
  const database = await createEmptyDatabase();
  databases.push(database);
  return database.url;
}

const publishedKeys = async (process: ServiceProcess) =>
  (await (await fetch(`${process.address}/.well-known/jwks.json`)).json()) as { keys: { alg: string }[] };
const migrationsOf = (process: ServiceProcess) => process.logs().filter(({ msg }) => msg === 'migrated');
const exampleOf = (process: ServiceProcess) =>
  /Example application +(http:\S+)/.exec(process.output())?.[1] ?? '';
const passwordOf = (process: ServiceProcess) => /Password, shown once +(\S+)/.exec(process.output())?.[1];

test('two processes that start at once on an empty database migrate it once and sign with the same keys', async () => {
  const databaseUrl = await emptyDatabase();
  const baseUrl = `http://localhost:${await freePort()}`;
  const environment = { DATABASE_URL: databaseUrl, BASE_URL: baseUrl };
  const processes = await Promise.all([startService(environment), startService(environment)]);
  const [one, two] = processes as [ServiceProcess, ServiceProcess];

  expect([migrationsOf(one).length, migrationsOf(two).length].sort()).toEqual([0, expect.any(Number)]);
  expect(migrationsOf(one).length + migrationsOf(two).length).toBeGreaterThan(0);
  const keys = await publishedKeys(one);
  expect(keys.keys.map(({ alg }) => alg).sort()).toEqual(['ES256', 'EdDSA', 'RS256']);
  expect(await publishedKeys(two)).toEqual(keys);
  expect(processes.map(passwordOf).filter((password) => password !== undefined)).toHaveLength(1);

  const examples = processes.map((process) => exampleOf(process));
  expect(new Set(examples).size, 'each has a port for its example application').toBe(2);
  for (const example of examples) expect((await fetch(example)).status).toBe(200);

  // What one gives out, the other takes.
  const service = await startTestService({ BASE_URL: baseUrl }, { databaseUrl });
  const here = { ...service, baseUrl: one.address };
  const there = { ...service, baseUrl: two.address };
  const application = await service.createApplication();
  const tokens = await obtainTokens(
    here,
    application,
    await signedInBrowser(here, await service.createUser()),
  );
  expect((await userinfo(there, tokens.accessToken)).status).toBe(200);
  expect((await renew(there, application, tokens.refreshToken)).status).toBe(200);
  await service.close();
});

test('settings that cannot be used end the process with code 78 and a line for each fault', async () => {
  const process = await spawnService({
    NODE_ENV: 'production',
    BASE_URL: 'http://signin.example.com',
    DATABASE_URL: undefined,
    SECRET_KEY: 'weak',
    SESSION_TTL: 'long',
  });
  expect(await process.ended()).toEqual({ code: 78, signal: null });
  const lines = process.output().trim().split('\n');
  for (const name of ['BASE_URL', 'DATABASE_URL', 'SECRET_KEY', 'SESSION_TTL'])
    expect(lines.filter((line) => line.startsWith(`sesame: ${name} `))).toHaveLength(1);
  expect(lines).toHaveLength(4);
});

test('a process that cannot start ends with code 1, and says why', async () => {
  const databaseUrl = await emptyDatabase();
  const { port } = new URL((await startService({ DATABASE_URL: databaseUrl })).address);
  const cases: [settings: Record<string, string>, said: RegExp][] = [
    [{ SECRET_KEY: 'quite another secret key: abcdefghij9876543210' }, /do not open with SECRET_KEY/],
    [{ HOST: 'nowhere.invalid' }, /cannot listen \(.*nowhere\.invalid.*\); see HOST and PORT\./],
    [{ PORT: port }, new RegExp(`:${port} is in use by another program; set PORT to a free one\\.`)],
    [{ METRICS_PORT: port }, new RegExp(`:${port} is in use by another program; set METRICS_PORT`)],
  ];
  for (const [settings, said] of cases) {
    const late = await spawnService({ DATABASE_URL: databaseUrl, ...settings });
    expect(await late.ended(), `${said}`).toEqual({ code: 1, signal: null });
    expect(late.output()).toMatch(said);
    expect(late.output()).not.toContain('the database cannot be reached');
  }
});
