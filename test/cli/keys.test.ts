// sesame keys …: signing keys that somebody else knows are out of use at once, also when they do not open any more.
import { createRemoteJWKSet, decodeProtectedHeader, type JWK, jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { databaseContent } from '../support/database-content.ts';
import { obtainTokens, renew, signedInBrowser, userinfo } from '../support/flow.ts';
import { endProcesses, type ServiceProcess, spawnService, startService } from '../support/process.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { sesameCommand } from '../support/sesame-command.ts';
import { until } from '../support/until.ts';

const SECRET_KEY = 'a secret key for tests only: 0123456789abcdef';
const NEW_SECRET_KEY = 'quite another secret key: abcdefghij9876543210';

let service: TestService;
const cli = sesameCommand(() => service.databaseUrl);
beforeEach(async () => {
  service = await startTestService();
});
afterEach(async () => {
  await endProcesses();
  await service.close();
});

const keysCommand = async (args: string[], secretKey = SECRET_KEY): Promise<Record<string, unknown>[]> => {
  const { code, stdout, stderr } = await cli.run(['keys', ...args, '--json'], '', {
    SECRET_KEY: secretKey,
  });
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};
const kids = (rows: Record<string, unknown>[]) => rows.map(({ kid }) => kid).sort();
const published = async (address: string) =>
  ((await (await fetch(`${address}/.well-known/jwks.json`)).json()) as { keys: JWK[] }).keys;
const start = (environment: Record<string, string> = {}): Promise<ServiceProcess> =>
  startService({ DATABASE_URL: service.databaseUrl, BASE_URL: service.baseUrl, ...environment });

test('list gives all keys, and nothing private; it knows whether they open', async () => {
  const rows = await keysCommand(['list']);
  expect(rows.map(({ algorithm, opens }) => [algorithm, opens])).toEqual([
    ['ES256', true],
    ['EdDSA', true],
    ['RS256', true],
  ]);
  expect(kids(rows)).toEqual((await published(service.baseUrl)).map(({ kid }) => kid).sort());
  for (const row of rows)
    expect(Object.keys(row)).toEqual(['kid', 'algorithm', 'state', 'opens', 'created_at', 'signs_from']);
  expect((await keysCommand(['list'], NEW_SECRET_KEY)).map(({ opens }) => opens)).toEqual([
    false,
    false,
    false,
  ]);
  const { stdout } = await cli.run(['keys', 'list'], '', { SECRET_KEY });
  expect(stdout).toMatch(/^kid +algorithm +state +signs_from +opens\n/);
});

test('rotate publishes the next keys, which sign when their time has come; those before stay published', async () => {
  const process = await start();
  const old = kids(await keysCommand(['list']));
  const rows = await keysCommand(['rotate', '--in', '5']);
  expect(rows.map(({ state }) => state).sort()).toEqual(['next', 'next', 'next', 'signs', 'signs', 'signs']);
  const application = await service.createApplication();
  const there = { ...service, baseUrl: process.address };
  const browser = await signedInBrowser(there, await service.createUser());
  const signedBy = async () =>
    decodeProtectedHeader((await obtainTokens(there, application, browser)).accessToken).kid;
  const next = rows.find(({ algorithm, state }) => algorithm === 'ES256' && state === 'next')?.kid;
  await until('the next key to sign', async () => (await signedBy()) === next, 30_000);
  const all = (await published(process.address)).map(({ kid }) => kid);
  expect(all).toEqual(expect.arrayContaining([...old, ...kids(rows)]));
  expect((await keysCommand(['list'])).map(({ state }) => state).sort()).toEqual([
    ...['past', 'past', 'past', 'signs', 'signs', 'signs'],
  ]);
});

describe('replace', () => {
  test('without --yes it says what it would do, and does nothing', async () => {
    const before = await databaseContent(service.databaseUrl);
    expect(await cli.fault(['keys', 'replace'], '', { SECRET_KEY })).toMatch(/Nothing will verify.*--yes/);
    expect(await databaseContent(service.databaseUrl)).toEqual(before);
  });

  test('all running processes sign with and publish the new keys without a restart', async () => {
    const processes = await Promise.all([start(), start()]);
    const [process] = processes;
    const there = { ...service, baseUrl: process.address };
    const application = await service.createApplication();
    const browser = await signedInBrowser(there, await service.createUser());
    const before = await obtainTokens(there, application, browser);
    const old = kids(await keysCommand(['list']));
    const replaced = kids(await keysCommand(['replace', '--yes']));
    expect(replaced.filter((kid) => old.includes(kid))).toEqual([]);

    await until('both processes to notice', () =>
      processes.every((each) => each.logs().some(({ msg }) => msg === 'the signing keys changed')),
    );
    for (const { address } of processes)
      expect((await published(address)).map(({ kid }) => kid).sort()).toEqual(replaced);

    // The old ones verify nothing any more; what was given out goes on where the service itself is asked.
    const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', process.address));
    const after = await obtainTokens(there, application, browser);
    for (const token of [after.accessToken, after.idToken ?? '']) await jwtVerify(token, keys);
    for (const token of [before.accessToken, before.idToken ?? ''])
      await expect(jwtVerify(token, keys)).rejects.toThrow(/no applicable key/);
    expect((await userinfo(there, before.accessToken)).status).toBe(200);
    expect((await renew(there, application, before.refreshToken)).status).toBe(200);
    for (const each of processes) expect(await each.stop()).toEqual({ code: 0, signal: null });
  });

  test('a new SECRET_KEY alone does not start; after replace it does, and the old one does not', async () => {
    const application = await service.createApplication();
    const user = await service.createUser();
    const old = await obtainTokens(service, application, await signedInBrowser(service, user));
    const environment = { DATABASE_URL: service.databaseUrl, SECRET_KEY: NEW_SECRET_KEY };
    const refused = await spawnService(environment);
    expect(await refused.ended()).toEqual({ code: 1, signal: null });
    expect(refused.output()).toContain('sesame keys replace');

    const replaced = kids(await keysCommand(['replace', '--yes'], NEW_SECRET_KEY));
    const process = await start({ SECRET_KEY: NEW_SECRET_KEY });
    const there = { ...service, baseUrl: process.address };
    expect((await published(process.address)).map(({ kid }) => kid).sort()).toEqual(replaced);
    // What was sealed under the old key is nothing but noise now.
    expect((await renew(there, application, old.refreshToken)).body.error).toBe('invalid_grant');
    const tokens = await obtainTokens(there, application, await signedInBrowser(there, user));
    expect((await renew(there, application, tokens.refreshToken)).status).toBe(200);
    const stale = await spawnService({ DATABASE_URL: service.databaseUrl });
    expect((await stale.ended()).code).toBe(1);
  });
});
