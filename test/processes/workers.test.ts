// WORKERS: several processes behind one port. They serve as one, are replaced when they die, and stop as one.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createEmptyDatabase } from '../support/database.ts';
import { withDatabase } from '../support/database-content.ts';
import {
  authorize,
  obtainTokens,
  redeem,
  renew,
  revoke,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import { httpRequest } from '../support/http-request.ts';
import { isInstalled } from '../support/installed.ts';
import { endProcesses, type ServiceProcess, spawnService, startService } from '../support/process.ts';
import { freePort, startTestService, type TestApplication, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterEach(endProcesses);
afterAll(() => service.close());

const start = (environment: Record<string, string> = {}) =>
  startService({
    DATABASE_URL: service.databaseUrl,
    BASE_URL: service.baseUrl,
    WORKERS: '2',
    ...environment,
  });
const at = (process: ServiceProcess): TestService => ({ ...service, baseUrl: process.address });
const portOf = (process: ServiceProcess) => Number(new URL(process.address).port);

/** Processes that have said that they listen, oldest first. */
const listening = (process: ServiceProcess): number[] =>
  process
    .logs()
    .filter(({ msg }) => msg === 'listening')
    .map(({ pid }) => Number(pid));

/** The first `count` of them, when there are so many. */
const workersOf = (process: ServiceProcess, count: number): Promise<number[]> =>
  until(`${count} workers to listen`, () => {
    const pids = listening(process);
    return pids.length >= count && pids.slice(0, count);
  });

/** Whoever answered requests to a route so far. */
const answeredBy = (process: ServiceProcess, route: string): Set<number> =>
  new Set(
    process
      .logs()
      .filter((line) => line.route === route)
      .map(({ pid }) => Number(pid)),
  );

const PRLIMIT = isInstalled('prlimit', 'a worker that cannot be started for want of file descriptors');

/** How many file descriptors a process may open, from now on. */
const limitFiles = (pid: number, count: number): unknown =>
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${count}:`]);

const isAlive = (pid: number): boolean => {
  try {
    globalThis.process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Asks on connections of their own until each of these workers has answered. */
async function askEverybody(process: ServiceProcess, pids: number[]): Promise<void> {
  await until(`answers of ${pids}`, async () => {
    expect((await httpRequest(portOf(process), '/oauth/authorize')).status).toBe(400);
    const answered = answeredBy(process, '/oauth/authorize');
    return pids.every((pid) => answered.has(pid));
  });
}

test('two workers share a port: both answer, what one gives out the other takes, the primary serves nobody', async () => {
  const process = await start();
  const workers = await workersOf(process, 2);
  expect(new Set([...workers, process.pid]).size).toBe(3);
  await askEverybody(process, workers);
  expect(answeredBy(process, '/oauth/authorize')).toEqual(new Set(workers));
  for (const line of process.logs()) expect(line.pid).toEqual(expect.any(Number));

  // A new connection for each request: it is anybody's guess who answers.
  const application = await service.createApplication();
  const browser = await signedInBrowser(at(process), await service.createUser());
  for (let round = 0; round < 6; round++) {
    const tokens = await obtainTokens(at(process), application, browser);
    expect((await userinfo(at(process), tokens.accessToken)).status).toBe(200);
    expect((await revoke(at(process), application, tokens.accessToken)).status).toBe(200);
    for (let times = 0; times < 4; times++)
      expect((await userinfo(at(process), tokens.accessToken)).status).toBe(401);
  }
  expect(await process.stop()).toEqual({ code: 0, signal: null });
  expect(workers.filter(isAlive)).toEqual([]);
});

test('development is prepared once: one migration, one operator, one example, keys for all', async () => {
  const empty = await createEmptyDatabase();
  try {
    const process = await start({ DATABASE_URL: empty.url, BASE_URL: '' });
    expect(process.output().match(/Password, shown once/g)).toHaveLength(1);
    expect(process.output().match(/Example application/g)).toHaveLength(1);
    const migrated = process.logs().filter(({ msg }) => msg === 'migrated');
    expect(migrated.length).toBeGreaterThan(0);
    expect(new Set(migrated.map(({ pid }) => pid))).toEqual(new Set([process.pid]));
    const workers = await workersOf(process, 2);
    const documents = new Set<string>();
    await until('everybody to publish keys', async () => {
      documents.add((await httpRequest(portOf(process), '/.well-known/jwks.json')).text);
      return workers.every((pid) => answeredBy(process, '/.well-known/jwks.json').has(pid));
    });
    expect(documents.size).toBe(1);
    await process.stop();
  } finally {
    await empty.drop();
  }
});

test('the secret key and the embedded database of development reach the workers', async () => {
  const process = await start({ DATABASE_URL: '', SECRET_KEY: '', BASE_URL: '' });
  await askEverybody(process, await workersOf(process, 2));
  expect((await httpRequest(portOf(process), '/readyz')).status).toBe(200);
  expect(await process.stop()).toEqual({ code: 0, signal: null });
});

describe('the rate limit of one host without Redis is one (D59)', () => {
  const LIMIT = {
    RATE_LIMIT_PER_MINUTE: '60',
    RATE_LIMIT_ALLOW: '198.51.100.0/24',
    TRUSTED_PROXIES: '127.0.0.1,::1',
  };

  /** Requests on connections of their own, so that all workers get some. Gives how many were served. */
  async function served(process: ServiceProcess, count: number, from: (index: number) => string) {
    const statuses = await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const headers = { 'x-forwarded-for': from(index) };
        return (await httpRequest(portOf(process), '/oauth/userinfo', { headers })).status;
      }),
    );
    expect(statuses.filter((status) => status !== 401 && status !== 429)).toEqual([]);
    return statuses.filter((status) => status === 401).length;
  }

  test.each(['2', '4'])(
    '%s workers: 60 of 130 at once, for each address by itself, and all of those that are allowed',
    async (count) => {
      const process = await start({ ...LIMIT, WORKERS: count });
      const workers = await workersOf(process, Number(count));
      const [one, other] = await Promise.all([
        served(process, 130, () => '192.0.2.1'),
        // One household has one count, whichever of its addresses it uses (D25).
        served(process, 130, (index) => `2001:db8:1:2::${index + 1}`),
      ]);
      expect([one, other]).toEqual([60, 60]);
      expect(await served(process, 130, () => '198.51.100.1')).toBe(130);
      expect(await served(process, 10, () => '192.0.2.2')).toBe(10);
      expect(answeredBy(process, '/oauth/userinfo')).toEqual(new Set(workers));
      expect(await process.stop()).toEqual({ code: 0, signal: null });
    },
  );

  test('a worker that dies takes no count with it, and its successor begins none', async () => {
    const process = await start(LIMIT);
    const [victim] = (await workersOf(process, 2)) as [number];
    const from = () => '192.0.2.1';
    expect(await served(process, 40, from)).toBe(40);
    globalThis.process.kill(victim, 'SIGKILL');
    await workersOf(process, 3);
    expect(await served(process, 90, from)).toBe(20);
    expect(await process.stop()).toEqual({ code: 0, signal: null });
  });
});

describe('a worker that dies', () => {
  test('is replaced, the others go on serving, and nothing that was answered is lost', async () => {
    const process = await start();
    const application = await service.createApplication();
    const browser = await signedInBrowser(service, await service.createUser());
    const [victim, other] = (await workersOf(process, 2)) as [number, number];
    const chains = await startChains(service, application, at(process), browser);
    await until('some work to be done', () => chains.every(({ renewals }) => renewals >= 5));
    globalThis.process.kill(victim, 'SIGKILL');
    const [, , successor] = (await workersOf(process, 3)) as [number, number, number];
    const before = chains.map(({ renewals }) => renewals);
    await until('work to go on', () =>
      chains.some(({ renewals }, index) => renewals > (before[index] ?? 0) + 2),
    );
    for (const chain of chains) chain.stop();
    await Promise.all(chains.map(({ ended }) => ended));

    await askEverybody(process, [other, successor]);
    expect(process.logs()).toContainEqual(
      expect.objectContaining({ msg: 'a worker ended and is replaced', worker: victim, signal: 'SIGKILL' }),
    );
    // Those whose connection was cut know nothing of the last request; what was answered is true.
    const whole = chains.filter(({ failure }) => failure === undefined);
    for (const { last } of whole) expect((await renew(at(process), application, last())).status).toBe(200);
    for (const { accessToken } of chains) expect((await userinfo(service, accessToken())).status).toBe(200);
    expect(await process.stop()).toEqual({ code: 0, signal: null });
  });

  test('again and again at once is replaced after ever longer pauses; the primary takes all of them with it', async () => {
    const process = await start();
    const pauses = () =>
      process
        .logs()
        .filter(({ msg }) => msg === 'a worker ended and is replaced')
        .map(({ pause }) => Number(pause));
    for (let round = 0; round < 3; round++) {
      const [victim] = (await workersOf(process, round + 2)).slice(-1) as [number];
      globalThis.process.kill(victim, 'SIGKILL');
      await until('its end to be noticed', () => pauses().length === round + 1);
    }
    // The first one may have lived long enough to be replaced at once; its successors did not.
    const [, second = 0, third] = pauses();
    expect(second).toBeGreaterThanOrEqual(100);
    expect(third).toBe(2 * second);
    const everybody = await workersOf(process, 5);
    expect((await httpRequest(portOf(process), '/readyz')).status).toBe(200);

    // Killed itself, the primary takes its workers with it: nobody holds the port.
    process.signal('SIGKILL');
    await process.ended();
    await until('the workers to end', () => !everybody.some(isAlive));
  });

  test.skipIf(!PRLIMIT)('is replaced as soon as the system allows it, if not at once', async () => {
    const process = await start();
    const [victim, other] = (await workersOf(process, 2)) as [number, number];
    const refused = () => process.logs().filter(({ msg }) => msg === 'a worker cannot be reached');
    limitFiles(process.pid, 3); // fewer than it has open
    globalThis.process.kill(victim, 'SIGKILL');
    await until('a second attempt to fail', () => refused().length >= 2);
    for (const { err } of refused()) expect(err).toMatchObject({ code: 'EMFILE' });
    expect(listening(process)).toHaveLength(2);

    limitFiles(process.pid, 1024);
    const [, , successor] = (await workersOf(process, 3)) as [number, number, number];
    await askEverybody(process, [other, successor]);
    expect(await process.stop()).toEqual({ code: 0, signal: null });
    expect(process.logs().filter(({ level }) => level === 'fatal')).toEqual([]); // all of them have ended: it is whole
  });
});

describe('a start that cannot be', () => {
  test('settings that cannot be used: exit code 78, each fault once', async () => {
    const process = await spawnService({ WORKERS: 'many', SIGN_UP: 'x', DATABASE_URL: service.databaseUrl });
    expect(await process.ended()).toEqual({ code: 78, signal: null });
    expect(process.output().trim().split('\n')).toHaveLength(2);
  });

  test('a port in use: exit code 1, and the reason once', async () => {
    const port = new URL(service.baseUrl).port;
    const process = await spawnService({ WORKERS: '2', PORT: port, DATABASE_URL: service.databaseUrl });
    expect(await process.ended()).toEqual({ code: 1, signal: null });
    expect(process.output().match(/is in use by another program/g)).toHaveLength(1);
  });

  test('signing keys that do not open: exit code 1, and the reason once', async () => {
    const process = await spawnService({
      WORKERS: '2',
      DATABASE_URL: service.databaseUrl,
      SECRET_KEY: 'quite another secret key: abcdefghij9876543210',
    });
    expect(await process.ended()).toEqual({ code: 1, signal: null });
    expect(process.output().match(/do not open with SECRET_KEY/g)).toHaveLength(1);
  });

  test('being asked to stop while it waits for the database: exit code 0', async () => {
    const process = await spawnService({
      WORKERS: '2',
      DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/none`,
    });
    await until('the process to wait', () => process.output().includes('waiting for the database'));
    expect(await process.stop()).toEqual({ code: 0, signal: null });
  });
});

describe('SIGTERM', () => {
  test('requests in flight with every worker are answered, nobody new is let in, exit code 0', async () => {
    const process = await start();
    const workers = await workersOf(process, 2);
    const application = await service.createApplication();
    const browser = await signedInBrowser(service, await service.createUser());
    const begun = [];
    for (let index = 0; index < 4; index++) {
      const { refreshToken } = await obtainTokens(service, application, browser);
      begun.push(await beginRenewal(portOf(process), application, refreshToken));
    }
    process.signal('SIGTERM');
    await until('nobody to listen any more', () =>
      httpRequest(portOf(process), '/livez').then(
        () => false,
        () => true,
      ),
    );
    for (const answer of await Promise.all(begun.map(({ finish }) => finish()))) {
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      const accessToken = /"access_token":"([^"]+)"/.exec(answer)?.[1] ?? '';
      expect((await userinfo(service, accessToken)).status).toBe(200);
    }
    expect(await process.ended()).toEqual({ code: 0, signal: null });
    expect(answeredBy(process, '/oauth/token')).toEqual(new Set(workers));
  });

  test.each([
    ['to the primary', false],
    ['to the whole group, as a terminal sends it', true],
  ])(
    '%s under load: whatever a worker took was answered, nothing else was carried out, exit code 0 in time',
    async (_, group) => {
      const process = await start();
      const application = await service.createApplication();
      const browser = await signedInBrowser(service, await service.createUser());
      const chains = await startChains(service, application, at(process), browser);
      await until('some work to be done', () => chains.every(({ renewals }) => renewals >= 5));
      const everybody = [process.pid, ...(await workersOf(process, 2))];
      for (const pid of group ? everybody.reverse() : [process.pid]) globalThis.process.kill(pid, 'SIGTERM');
      expect(await process.ended()).toEqual({ code: 0, signal: null });
      await Promise.all(chains.map(({ ended }) => ended));

      // What cannot be avoided is a request that no worker ever took: sent on an idle connection while that is closed, or
      // on one that the system had accepted, and the service not yet. Each of these has not begun, as the next check shows.
      for (const { failure } of chains) expect(['refused', 'not taken']).toContain(failure);
      const aborted = process
        .logs()
        .filter(({ route, status }) => route === '/oauth/token' && status !== 200);
      expect(aborted).toEqual([]);
      // Each grant has moved on exactly as often as its application was told.
      const told = chains.map(({ grantId, renewals }) => [grantId(), 1 + renewals]).sort();
      const { rows } = await withDatabase(service.databaseUrl, (client) =>
        client.query('select id, generation from grants where client_id = $1 order by id', [
          application.clientId,
        ]),
      );
      expect(rows.map(({ id, generation }) => [id, generation])).toEqual(told);
    },
  );
});

/** Sends a renewal without its body; returns when a worker has it in hand, as "100 Continue" says (RFC 9110 §10.1.1). */
async function beginRenewal(port: number, application: TestApplication, refreshToken: string) {
  const body = renewalForm(application, refreshToken);
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
  });
  const closed = once(socket, 'close');
  socket.write(
    [
      'POST /oauth/token HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
      '\r\n',
    ].join('\r\n'),
  );
  const go = 'HTTP/1.1 100 Continue\r\n\r\n';
  await until('a worker to take the request', () => received === go);
  return {
    finish: async (): Promise<string> => {
      socket.write(body);
      await closed;
      return received.slice(go.length);
    },
  };
}

/**
 * `refused`: nobody listened. `not taken`: the connection ended before a worker asked for the request's body. `lost`: it
 * ended after that. Anything else is an answer.
 */
type Failure = 'refused' | 'not taken' | 'lost' | `${number} ${string}`;

/** Renews; the body is sent when a worker has the request in hand, as "100 Continue" says (RFC 9110 §10.1.1). */
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
  /** What ended it. */
  failure: Failure | undefined;
  last(): string;
  accessToken(): string;
  grantId(): string;
  stop(): void;
  ended: Promise<void>;
}

/** Applications that renew for as long as somebody answers, each its own grant. */
async function startChains(
  origin: TestService,
  application: TestApplication,
  target: TestService,
  browser: Awaited<ReturnType<typeof signedInBrowser>>,
): Promise<Chain[]> {
  const chains: Chain[] = [];
  for (let index = 0; index < 8; index++) {
    const code = (await authorize(origin, application, browser)).searchParams.get('code') ?? '';
    const { body } = await redeem(origin, application, code);
    let tokens = body;
    let stopped = false;
    const chain: Chain = {
      renewals: 0,
      failure: undefined,
      last: () => String(tokens.refresh_token),
      accessToken: () => String(tokens.access_token),
      grantId: () => String(claimsOf(String(tokens.access_token)).jti).split('.')[0] ?? '',
      stop: () => {
        stopped = true;
      },
      ended: Promise.resolve(),
    };
    // Half of them keep their connection, the others take a new one each time.
    const agent = new Agent({ keepAlive: index % 2 === 0, maxSockets: 1 });
    const port = Number(new URL(target.baseUrl).port);
    chain.ended = (async () => {
      while (!stopped) {
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
