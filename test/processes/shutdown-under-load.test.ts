// SIGTERM while many clients renew: every renewal that was taken is answered, and no other is carried out.
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withDatabase } from '../support/database-content.ts';
import { authorize, redeem, signedInBrowser } from '../support/flow.ts';
import { endProcesses, startService } from '../support/process.ts';
import { startTestService, type TestApplication, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => {
  await endProcesses();
  await service.close();
});

test('SIGTERM under load: what was taken is answered, nothing else is carried out, exit code 0 in time', async () => {
  const process = await startService({ DATABASE_URL: service.databaseUrl, BASE_URL: service.baseUrl });
  const application = await service.createApplication();
  const chains = await startChains(application, Number(new URL(process.address).port));
  await until('some work to be done', () => chains.every(({ renewals }) => renewals >= 5));
  process.signal('SIGTERM');
  expect(await process.ended()).toEqual({ code: 0, signal: null });
  await Promise.all(chains.map(({ ended }) => ended));

  // A request that was never taken can't be avoided: one sent on an idle connection while that is closed, or on one that
  // the system had accepted, and the service not yet. None of these was carried out, as the next check shows.
  for (const { failure } of chains) expect(['refused', 'not taken']).toContain(failure);
  const aborted = process.logs().filter(({ route, status }) => route === '/oauth/token' && status !== 200);
  expect(aborted).toEqual([]);
  // Each grant has moved on exactly as often as its application was told.
  const told = chains.map(({ grantId, renewals }) => [grantId(), 1 + renewals]).sort();
  const { rows } = await withDatabase(service.databaseUrl, (client) =>
    client.query('select id, generation from grants where client_id = $1 order by id', [
      application.clientId,
    ]),
  );
  expect(rows.map(({ id, generation }) => [id, generation])).toEqual(told);
});

/**
 * `refused`: nothing listened. `not taken`: the connection ended before the service asked for the request's body. `lost`:
 * it ended after that. Anything else is a response.
 */
type Failure = 'refused' | 'not taken' | 'lost' | `${number} ${string}`;

/** Renews. The body is sent once the service has the request, as "100 Continue" says (RFC 9110 §10.1.1). */
function renewWhenTaken(
  port: number,
  agent: Agent,
  application: TestApplication,
  refreshToken: string,
): Promise<{ text: string } | { failure: Failure }> {
  const body = renewalForm(application, refreshToken);
  return new Promise((resolve) => {
    let taken = false;
    const asked = request({
      host: '127.0.0.1',
      port,
      path: '/oauth/token',
      method: 'POST',
      agent,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': body.length,
        expect: '100-continue',
      },
    });
    const fail = ({ code }: NodeJS.ErrnoException) =>
      resolve({ failure: taken ? 'lost' : code === 'ECONNREFUSED' ? 'refused' : 'not taken' });
    asked.on('continue', () => {
      taken = true;
      asked.end(body);
    });
    asked.on('error', fail);
    asked.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      response.on('error', fail);
      response.on('end', () =>
        resolve(response.statusCode === 200 ? { text } : { failure: `${response.statusCode ?? 0} ${text}` }),
      );
    });
    asked.flushHeaders();
  });
}

const renewalForm = (application: TestApplication, refreshToken: string): string =>
  new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: application.clientId,
    client_secret: application.clientSecret,
  }).toString();

interface Chain {
  renewals: number;
  failure: Failure | undefined;
  last(): string;
  grantId(): string;
  ended: Promise<void>;
}

/** Eight grants, each renewed at the port again and again until a renewal fails. */
async function startChains(application: TestApplication, port: number): Promise<Chain[]> {
  const browser = await signedInBrowser(service, await service.createUser());
  const chains: Chain[] = [];
  for (let index = 0; index < 8; index++) {
    const code = (await authorize(service, application, browser)).searchParams.get('code') ?? '';
    const { body } = await redeem(service, application, code);
    let tokens = body;
    const chain: Chain = {
      renewals: 0,
      failure: undefined,
      last: () => String(tokens.refresh_token),
      grantId: () => String(claimsOf(String(tokens.access_token)).jti).split('.')[0] ?? '',
      ended: Promise.resolve(),
    };
    // Half of them keep their connection, the others take a new one each time.
    const agent = new Agent({ keepAlive: index % 2 === 0, maxSockets: 1 });
    chain.ended = (async () => {
      for (;;) {
        const answer = await renewWhenTaken(port, agent, application, chain.last());
        if ('failure' in answer) {
          chain.failure = answer.failure;
          return;
        }
        tokens = JSON.parse(answer.text);
        chain.renewals += 1;
      }
    })().finally(() => agent.destroy());
    chains.push(chain);
  }
  return chains;
}

const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
