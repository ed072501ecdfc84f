// The code for an API in Node, of a server that speaks MCP, and for introspection, run as it is copied.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiWithSecret, obtainApiToken } from '../support/apis.ts';
import { revoke, signedInBrowser } from '../support/flow.ts';
import { codeOf } from '../support/markup.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { apiPageOf, expectApi } from './api-checks.ts';
import { type Folder, openFolder } from './copied.ts';
import { startCopied } from './copied-server.ts';
import { MCP } from './mcp-checks.ts';

let service: TestService;
let folder: Folder;
beforeAll(async () => {
  [service, folder] = await Promise.all([startTestService(), openFolder()]);
});
afterAll(() => Promise.all([service.close(), folder.remove()]));

test('the API takes access tokens made for it, and nothing else (RFC 9068 §4)', async () => {
  await expectApi(service, {
    id: 'api-node',
    start: async (code, origin) =>
      startCopied([process.execPath, await folder.put('api.mjs', code)], origin, folder.path, {}),
  });
});

test('so does the MCP server', async () => {
  await expectApi(service, {
    id: 'api-mcp',
    path: '/mcp/',
    ...MCP,
    start: async (code, origin) =>
      startCopied([process.execPath, await folder.put('server.mjs', code)], origin, folder.path, {}),
  });
});

test('introspection says of a token whether it counts', async () => {
  const person = await service.createUser();
  const api = await apiWithSecret(service, { ownerId: person.userId });
  const code = codeOf(await apiPageOf(service, person, api, 'introspect'), 'introspect-1');
  const ask = async (token: string) => {
    const env = { PATH: process.env.PATH, API_SECRET: api.secret, TOKEN: token };
    const { stdout } = await promisify(execFile)('bash', ['-c', code], { env });
    return JSON.parse(stdout);
  };
  const application = await service.createApplication();
  const tokens = await obtainApiToken(service, application, await signedInBrowser(service, person), api);
  expect(await ask(tokens.apiToken)).toMatchObject({
    active: true,
    aud: api.identifier,
    sub: person.userId,
    client_id: application.clientId,
    scope: 'read',
  });
  expect(await ask(tokens.accessToken), 'for this service itself').toEqual({ active: false });
  const other = await apiWithSecret(service, { ownerId: person.userId });
  const elsewhere = await obtainApiToken(service, application, await signedInBrowser(service, person), other);
  expect(await ask(elsewhere.apiToken), 'for another API').toEqual({ active: false });
  await revoke(service, application, tokens.apiToken);
  expect(await ask(tokens.apiToken), 'revoked').toEqual({ active: false });
});
