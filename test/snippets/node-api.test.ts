// The code for an API in Node, run as it is copied.
import { afterAll, beforeAll, test } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';
import { expectApi } from './api-checks.ts';
import { type Folder, openFolder } from './copied.ts';
import { startCopied } from './copied-server.ts';

let service: TestService;
let folder: Folder;
beforeAll(async () => {
  [service, folder] = await Promise.all([startTestService(), openFolder()]);
});
afterAll(() => Promise.all([service.close(), folder.remove()]));

test('the API takes access tokens made for it, and nothing else (RFC 9068 §4)', async () => {
  await expectApi(service, 'api-node', async (code, origin) =>
    startCopied([process.execPath, await folder.put('api.mjs', code)], origin, folder.path, {}),
  );
});
