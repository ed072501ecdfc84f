// Compiles and runs the unchanged Go snippets.
import { afterAll, beforeAll, describe, test } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';
import { checkApiSnippet } from './api-checks.ts';
import { checkSignInSnippet } from './sign-in-checks.ts';
import { startSnippetServer } from './snippet-server.ts';
import { createSnippetFolder, type SnippetFolder } from './snippets.ts';
import { compileGo, downloadGoModule, TOOLCHAIN_TIMEOUT } from './toolchains.ts';

const moduleFolder = await downloadGoModule();

let service: TestService;
let folder: SnippetFolder;
beforeAll(async () => {
  [service, folder] = await Promise.all([startTestService(), createSnippetFolder()]);
});
afterAll(() => Promise.all([service.close(), folder.remove()]));

let count = 0;
const build = (code: string) => {
  count += 1;
  return compileGo(moduleFolder ?? '', folder.path, `program${count}`, code);
};

describe.skipIf(moduleFolder === undefined)('the Go snippet', { timeout: TOOLCHAIN_TIMEOUT }, () => {
  test('for go-oidc signs a user in and rejects invalid responses', async () => {
    await checkSignInSnippet(service, {
      id: 'go-oidc',
      standard: true,
      callback: '/retour',
      login: '/login',
      start: async ([code = ''], origin, { clientSecret }) =>
        startSnippetServer([await build(code)], origin, folder.path, { CLIENT_SECRET: clientSecret }),
    });
  });

  test('for APIs accepts only access tokens for its audience (RFC 9068 §4)', async () => {
    await checkApiSnippet(service, {
      id: 'api-go',
      start: async (code, origin) => startSnippetServer([await build(code)], origin, folder.path, {}),
    });
  });
});
