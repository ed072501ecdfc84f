// Tests `sesame keys list`, `rotate` and `replace` while service processes run.
import { createRemoteJWKSet, decodeProtectedHeader, type JWK, jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { databaseContent } from '../support/database-content.ts';
import {
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemRefreshToken,
} from '../support/oauth-flow.ts';
import { startTestService, type TestService } from '../support/service.ts';
import {
  killProcesses,
  type ServiceProcess,
  spawnService,
  startService,
} from '../support/service-process.ts';
import { createSesameCommand } from '../support/sesame-command.ts';
import { waitUntil } from '../support/wait-until.ts';

const SECRET_KEY = 'a secret key for tests only: 0123456789abcdef';
const NEW_SECRET_KEY = 'quite another secret key: abcdefghij9876543210';

let service: TestService;
const cli = createSesameCommand(() => service.databaseUrl);
beforeEach(async () => {
  service = await startTestService();
});
afterEach(async () => {
  await killProcesses();
  await service.close();
});

const runKeysCommand = async (args: string[], secretKey = SECRET_KEY): Promise<Record<string, unknown>[]> => {
  const { code, stdout, stderr } = await cli.run(['keys', ...args, '--json'], '', {
    SECRET_KEY: secretKey,
  });
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};
const listKids = (rows: Record<string, unknown>[]) => rows.map(({ kid }) => kid).sort();
const fetchPublishedKeys = async (baseUrl: string) =>
  ((await (await fetch(`${baseUrl}/.well-known/jwks.json`)).json()) as { keys: JWK[] }).keys;
const startProcess = (environment: Record<string, string> = {}): Promise<ServiceProcess> =>
  startService({ DATABASE_URL: service.databaseUrl, BASE_URL: service.baseUrl, ...environment });

test('`keys list` shows whether each key can be decrypted', async () => {
  const rows = await runKeysCommand(['list']);
  expect(rows.map(({ algorithm, decryptable }) => [algorithm, decryptable])).toEqual([
    ['ES256', true],
    ['EdDSA', true],
    ['RS256', true],
  ]);
  expect(listKids(rows)).toEqual((await fetchPublishedKeys(service.baseUrl)).map(({ kid }) => kid).sort());
  for (const row of rows)
    expect(Object.keys(row)).toEqual([
      'kid',
      'algorithm',
      'state',
      'decryptable',
      'created_at',
      'signs_from',
    ]);
  expect((await runKeysCommand(['list'], NEW_SECRET_KEY)).map(({ decryptable }) => decryptable)).toEqual([
    false,
    false,
    false,
  ]);
  const { stdout } = await cli.run(['keys', 'list'], '', { SECRET_KEY });
  expect(stdout).toMatch(/^kid +algorithm +state +signs_from +decryptable\n/);
});

test('`keys rotate` publishes new keys before they are used for signing', async () => {
  const process = await startProcess();
  const oldKids = listKids(await runKeysCommand(['list']));
  const rows = await runKeysCommand(['rotate', '--in', '5']);
  expect(rows.map(({ state }) => state).sort()).toEqual(['next', 'next', 'next', 'signs', 'signs', 'signs']);
  const application = await service.createClient();
  const processService = { ...service, baseUrl: process.url };
  const browser = await openSignedInBrowser(processService, await service.createUser());
  const findSigningKid = async () =>
    decodeProtectedHeader((await obtainTokens(processService, application, browser)).accessToken).kid;
  const nextKid = rows.find(({ algorithm, state }) => algorithm === 'ES256' && state === 'next')?.kid;
  await waitUntil(
    'the next key to be used for signing',
    async () => (await findSigningKid()) === nextKid,
    30_000,
  );
  const publishedKids = (await fetchPublishedKeys(process.url)).map(({ kid }) => kid);
  expect(publishedKids).toEqual(expect.arrayContaining([...oldKids, ...listKids(rows)]));
  expect((await runKeysCommand(['list'])).map(({ state }) => state).sort()).toEqual([
    ...['past', 'past', 'past', 'signs', 'signs', 'signs'],
  ]);
});

describe('`keys replace`', () => {
  test('changes nothing without --yes', async () => {
    const before = await databaseContent(service.databaseUrl);
    expect(await cli.runFailing(['keys', 'replace'], '', { SECRET_KEY })).toMatch(
      /invalidates all ID tokens.*--yes/,
    );
    expect(await databaseContent(service.databaseUrl)).toEqual(before);
  });

  test('replaces the keys of running processes without a restart', async () => {
    const processes = await Promise.all([startProcess(), startProcess()]);
    const [process] = processes;
    const processService = { ...service, baseUrl: process.url };
    const application = await service.createClient();
    const browser = await openSignedInBrowser(processService, await service.createUser());
    const before = await obtainTokens(processService, application, browser);
    const oldKids = listKids(await runKeysCommand(['list']));
    const replaced = listKids(await runKeysCommand(['replace', '--yes']));
    expect(replaced.filter((kid) => oldKids.includes(kid))).toEqual([]);

    await waitUntil('both processes to reload the keys', () =>
      processes.every((process) => process.logs().some(({ msg }) => msg === 'signing keys changed')),
    );
    for (const { url } of processes)
      expect((await fetchPublishedKeys(url)).map(({ kid }) => kid).sort()).toEqual(replaced);

    // The service itself still accepts the old access tokens because it looks them up in its database.
    const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', process.url));
    const after = await obtainTokens(processService, application, browser);
    for (const token of [after.accessToken, after.idToken ?? '']) await jwtVerify(token, keys);
    for (const token of [before.accessToken, before.idToken ?? ''])
      await expect(jwtVerify(token, keys)).rejects.toThrow(/no applicable key/);
    expect((await fetchUserinfo(processService, before.accessToken)).status).toBe(200);
    expect((await redeemRefreshToken(processService, application, before.refreshToken)).status).toBe(200);
    for (const process of processes) expect(await process.stop()).toEqual({ code: 0, signal: null });
  });

  test('lets the service start with a different SECRET_KEY', async () => {
    const application = await service.createClient();
    const user = await service.createUser();
    const oldTokens = await obtainTokens(service, application, await openSignedInBrowser(service, user));
    const environment = { DATABASE_URL: service.databaseUrl, SECRET_KEY: NEW_SECRET_KEY };
    const refusedProcess = await spawnService(environment);
    expect(await refusedProcess.waitForExit()).toEqual({ code: 1, signal: null });
    expect(refusedProcess.output()).toContain('sesame keys replace');

    const replaced = listKids(await runKeysCommand(['replace', '--yes'], NEW_SECRET_KEY));
    const process = await startProcess({ SECRET_KEY: NEW_SECRET_KEY });
    const processService = { ...service, baseUrl: process.url };
    expect((await fetchPublishedKeys(process.url)).map(({ kid }) => kid).sort()).toEqual(replaced);
    // Tokens that were encrypted with the old SECRET_KEY can't be decrypted.
    expect((await redeemRefreshToken(processService, application, oldTokens.refreshToken)).body.error).toBe(
      'invalid_grant',
    );
    const tokens = await obtainTokens(
      processService,
      application,
      await openSignedInBrowser(processService, user),
    );
    expect((await redeemRefreshToken(processService, application, tokens.refreshToken)).status).toBe(200);
    const outdatedProcess = await spawnService({ DATABASE_URL: service.databaseUrl });
    expect((await outdatedProcess.waitForExit()).code).toBe(1);
  });
});
