// What an application's page shows for Go, compiled and run as it is copied.
import { afterAll, beforeAll, describe, test } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';
import { expectApi } from './api-checks.ts';
import { type Folder, openFolder } from './copied.ts';
import { startCopied } from './copied-server.ts';
import { expectSignIn } from './sign-in-checks.ts';
import { buildGo, goModule, PATIENCE } from './toolchains.ts';

const module = await goModule();

let service: TestService;
let folder: Folder;
beforeAll(async () => {
  [service, folder] = await Promise.all([startTestService(), openFolder()]);
});
afterAll(() => Promise.all([service.close(), folder.remove()]));

let built = 0;
const build = (code: string) => {
  built += 1;
  return buildGo(module ?? '', folder.path, `program${built}`, code);
};

describe.skipIf(module === undefined)('Go', { timeout: PATIENCE }, () => {
  test('go-oidc signs a person in with state, nonce and PKCE, and nobody else', async () => {
    await expectSignIn(service, {
      id: 'go-oidc',
      standard: true,
      callback: '/retour',
      login: '/login',
      start: async ([code = ''], origin, { clientSecret }) =>
        startCopied([await build(code)], origin, folder.path, { CLIENT_SECRET: clientSecret }),
    });
  });

  test('the API takes access tokens made for it, and nothing else (RFC 9068 §4)', async () => {
    await expectApi(service, {
      id: 'api-go',
      start: async (code, origin) => startCopied([await build(code)], origin, folder.path, {}),
    });
  });
});
