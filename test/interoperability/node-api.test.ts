// Runs the unchanged Node snippets for an API, an MCP server and introspection.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiWithSecret, obtainApiToken } from '../support/apis.ts';
import { readCodeBlock } from '../support/markup.ts';
import { openSignedInBrowser, revokeToken } from '../support/oauth-flow.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { checkApiSnippet, fetchApiPage } from './api-checks.ts';
import { MCP_CALL } from './mcp-call.ts';
import { startSnippetServer } from './snippet-server.ts';
import { createSnippetFolder, type SnippetFolder } from './snippets.ts';

let service: TestService;
let folder: SnippetFolder;
beforeAll(async () => {
  [service, folder] = await Promise.all([startTestService(), createSnippetFolder()]);
});
afterAll(() => Promise.all([service.close(), folder.remove()]));

test('the Node.js snippet for APIs accepts only access tokens for its audience (RFC 9068 §4)', async () => {
  await checkApiSnippet(service, {
    id: 'api-node',
    start: async (code, origin) =>
      startSnippetServer([process.execPath, await folder.write('api.mjs', code)], origin, folder.path, {}),
  });
});

test('the Node.js snippet for MCP servers accepts only access tokens for its audience', async () => {
  await checkApiSnippet(service, {
    id: 'api-mcp',
    path: '/mcp/',
    ...MCP_CALL,
    start: async (code, origin) =>
      startSnippetServer([process.execPath, await folder.write('server.mjs', code)], origin, folder.path, {}),
  });
});

test('the Node.js introspection snippet returns whether a token is active for the API', async () => {
  const user = await service.createUser();
  const api = await createApiWithSecret(service, { ownerId: user.userId });
  const code = readCodeBlock(await fetchApiPage(service, user, api, 'introspect'), 'introspect-1');
  const introspectToken = async (token: string) => {
    const env = { PATH: process.env.PATH, API_SECRET: api.secret, TOKEN: token };
    const { stdout } = await promisify(execFile)('bash', ['-c', code], { env });
    return JSON.parse(stdout);
  };
  const application = await service.createClient();
  const tokens = await obtainApiToken(service, application, await openSignedInBrowser(service, user), api);
  expect(await introspectToken(tokens.apiToken)).toMatchObject({
    active: true,
    aud: api.identifier,
    sub: user.userId,
    client_id: application.clientId,
    scope: 'read',
  });
  expect(await introspectToken(tokens.accessToken), 'a token for userinfo').toEqual({ active: false });
  const otherApi = await createApiWithSecret(service, { ownerId: user.userId });
  const otherTokens = await obtainApiToken(
    service,
    application,
    await openSignedInBrowser(service, user),
    otherApi,
  );
  expect(await introspectToken(otherTokens.apiToken), 'a token for another API').toEqual({ active: false });
  await revokeToken(service, application, tokens.apiToken);
  expect(await introspectToken(tokens.apiToken), 'revoked').toEqual({ active: false });
});
