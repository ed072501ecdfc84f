// 429 and Retry-After as a client keeps to them: a server that speaks for many people from one address waits as told (D25).
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Agent, RetryAgent, request } from 'undici';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { obtainTokens, signedInBrowser } from '../support/flow.ts';
import { httpRequest } from '../support/http-request.ts';
import { startTestService } from '../support/service.ts';

const LIMIT = 3;

const service = await startTestService({
  RATE_LIMIT_PER_MINUTE: String(LIMIT),
  TRUSTED_PROXIES: '127.0.0.1',
  RATE_LIMIT_ALLOW: '203.0.113.9 127.0.0.1', // a server that is let through, and people's browsers
});
const application = await service.createApplication();
afterAll(() => service.close());

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

/** Hears what undici does, at the moment it does it, until the test is over. */
function hear(channel: string, listen: (message: unknown) => void): void {
  subscribe(channel, listen);
  cleanUps.push(() => unsubscribe(channel, listen));
}

/** A server at an address that renews a person's tokens; when to ask again is left to undici. */
async function serverAt(address: string) {
  const { refreshToken } = await obtainTokens(
    service,
    application,
    await signedInBrowser(service, await service.createUser()),
  );
  const dispatcher = new RetryAgent(new Agent(), {
    methods: ['POST'], // undici repeats none by itself; one that was answered 429 was not carried out
    maxTimeout: 60_000, // half a minute by default, and it would come back too early
    throwOnError: false,
  });
  cleanUps.push(() => dispatcher.close());
  const seen = { sent: 0, answers: [] as { status: number; retryAfter: string | undefined }[] };
  const first = Promise.withResolvers<void>();
  hear('undici:request:create', () => {
    seen.sent += 1;
  });
  hear('undici:request:headers', (message) => {
    const { response } = message as { response: { statusCode: number; headers: Buffer[] } };
    const headers = response.headers.map(String);
    const name = headers.findIndex((header) => header.toLowerCase() === 'retry-after');
    seen.answers.push({ status: response.statusCode, retryAfter: name < 0 ? undefined : headers[name + 1] });
    first.resolve();
  });
  return {
    seen,
    answered: first.promise,
    renew: () =>
      request(`${service.baseUrl}/oauth/token`, {
        method: 'POST',
        dispatcher,
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': address },
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: refreshToken,
          client_id: application.clientId,
          client_secret: application.clientSecret,
        }).toString(),
      }),
  };
}

const ask = async (address: string): Promise<number> =>
  (
    await httpRequest(service.parts.config.port, '/oauth/token', {
      method: 'POST',
      headers: { 'x-forwarded-for': address },
    })
  ).status;

async function spendBudget(address: string): Promise<void> {
  for (let round = 0; round < LIMIT; round += 1) await ask(address);
}

test('D25: refused, it waits the whole time that it is told, asks once more, and gets its tokens', async () => {
  const address = '192.0.2.1';
  const { seen, answered, renew } = await serverAt(address);
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  await spendBudget(address);
  const renewal = renew();
  await answered;
  expect(seen).toEqual({ sent: 1, answers: [{ status: 429, retryAfter: '60' }] });

  vi.advanceTimersByTime(59_999);
  expect(await ask(address)).toBe(429); // it would be refused yet
  expect(seen.sent).toBe(1);
  vi.advanceTimersByTime(1);
  const { statusCode, body } = await renewal;
  expect(statusCode).toBe(200);
  expect(await body.json()).toMatchObject({ access_token: expect.any(String) });
  expect(seen.answers.map(({ status }) => status)).toEqual([429, 200]);
  expect(seen.sent).toBe(2);
});

test('D25: from an address in RATE_LIMIT_ALLOW it gets them at once, however much was asked from there', async () => {
  const address = '203.0.113.9';
  const { seen, renew } = await serverAt(address);
  await spendBudget(address);
  const { statusCode, body } = await renew();
  expect(statusCode).toBe(200);
  await body.dump();
  expect(seen).toEqual({ sent: 1, answers: [{ status: 200, retryAfter: undefined }] });
});
