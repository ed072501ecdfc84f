// The metric that counts sign-ins per identity provider.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkIdentity } from '../../src/store/external-identities.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { findFreePort } from '../support/free-port.ts';
import { sendHttpRequest } from '../support/http-request.ts';
import {
  addProvider,
  signInThroughProvider,
  startUpstream,
  UPSTREAM_USER,
  type Upstream,
} from '../support/identity-provider.ts';
import { parseMetrics } from '../support/metrics-text.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let upstream: Upstream;
let metricsPort: number;
beforeAll(async () => {
  metricsPort = await findFreePort();
  service = await startTestService({ METRICS_PORT: String(metricsPort) });
  upstream = await startUpstream(service.baseUrl);
  await addProvider(service, upstream);
});
afterAll(async () => {
  await service.close();
  await upstream.close();
});

test('sign-ins are counted per provider', async () => {
  const { userId } = await service.createUser();
  await linkIdentity(
    service.services.database,
    userId,
    { issuer: upstream.issuer, subject: UPSTREAM_USER.sub, providerId: 'upstream', label: 'ada' },
    service.clock.now(),
  );
  await signInThroughProvider(openBrowserSession(service.baseUrl));
  const { text } = await sendHttpRequest(metricsPort, '/metrics');
  const samples = parseMetrics(text).samples.filter(({ name }) => name === 'sesame_provider_sign_ins_total');
  expect(samples).toMatchObject([{ labels: { provider: 'upstream' }, value: 1 }]);
});
