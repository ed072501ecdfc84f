// Registering APIs where several accounts come at once.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiIdOn, registerApi } from '../support/api-console.ts';
import { signedInBrowser } from '../support/flow.ts';
import { CROWD, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService(CROWD);
});
afterAll(() => service.close());

test('D45: of two accounts that want one identifier at once, one gets it', async () => {
  const browsers = await Promise.all(
    Array.from({ length: 4 }, async () => signedInBrowser(service, await service.createUser())),
  );
  const wanted = ['https://shared.example', 'https://shared.example/'];
  const answers = await Promise.all(
    browsers.map((browser, i) => registerApi(browser, { identifier: wanted[i % 2] ?? '' })),
  );
  expect(answers.map(apiIdOn).filter(Boolean)).toHaveLength(1);
});
