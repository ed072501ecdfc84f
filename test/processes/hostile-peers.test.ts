// Slow and hostile peers: whatever they send and however slowly, others are served while they are at it, and the memory of
// the process stays within bounds.
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { obtainTokens, signedInBrowser } from '../support/flow.ts';
import { type HttpAnswer, httpRequest, rawRequest } from '../support/http-request.ts';
import { caughtUp, endProcesses, type ServiceProcess, startService } from '../support/process.ts';
import { useTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const SOCKETS = 100;

const service = useTestService();
let process: ServiceProcess;
let port: number;
let accessToken: string;
beforeAll(async () => {
  process = await startService({ DATABASE_URL: service.databaseUrl, BASE_URL: service.baseUrl });
  port = Number(new URL(process.address).port);
  const there = { ...service, baseUrl: process.address };
  const browser = await signedInBrowser(there, await service.createUser());
  ({ accessToken } = await obtainTokens(there, await service.createApplication(), browser));
});
afterAll(endProcesses);

/** Somebody harmless, on a connection of its own, five times. The caller sees to it that the hostile ones outlast it. */
async function othersAreServed(at = port, headers: Record<string, string> = {}): Promise<void> {
  for (let times = 0; times < 5; times++) {
    const { status } = await httpRequest(at, '/oauth/userinfo', {
      headers: { ...headers, authorization: `Bearer ${accessToken}` },
    });
    expect(status).toBe(200);
  }
}

interface SlowPeer {
  /** What it was told. */
  heard: string;
  closed: boolean;
  socket: Socket;
}

/** A peer that begins with `first` and sends a letter more at each stroke. */
function slowPeer(first: string): SlowPeer {
  const socket = connect(port, '127.0.0.1');
  socket.write(first); // at once: a stroke may come before the connection is made
  const peer: SlowPeer = { heard: '', closed: false, socket };
  socket.on('data', (bytes) => {
    peer.heard += bytes;
  });
  socket.on('error', () => {}); // a letter that comes after the end
  socket.on('close', () => {
    peer.closed = true;
  });
  return peer;
}

test(`${SOCKETS} sockets trickle headers and ${SOCKETS} bodies: others are served, the slow ones are cut off`, async () => {
  const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 60000';
  const peers = [
    ...Array.from({ length: SOCKETS }, () => slowPeer('GET /oauth/userinfo HTTP/1.1\r\nHost: a\r\nX-Slow: ')),
    ...Array.from({ length: SOCKETS }, () =>
      slowPeer(`POST /oauth/token HTTP/1.1\r\nHost: a\r\n${form}\r\n\r\ngrant_type=`),
    ),
  ];
  const strokes = setInterval(() => {
    for (const { socket, closed } of peers) if (!closed && socket.writable) socket.write('x');
  }, 250);
  try {
    await othersAreServed();
    expect(peers.filter(({ closed }) => !closed).length).toBeGreaterThan(0);
    await until(
      () => `all to be cut off; ${peers.filter(({ closed }) => !closed).length} are not`,
      () => peers.every(({ closed }) => closed),
    );
  } finally {
    clearInterval(strokes);
    for (const { socket } of peers) socket.destroy();
  }
  for (const { heard } of peers)
    if (heard !== '') expect(heard).toMatch(/^HTTP\/1\.1 408 .*"error":"invalid_request"/s);
  // Most heard why; a letter under way when the connection closes resets it before that is read.
  expect(peers.filter(({ heard }) => heard !== '').length).toBeGreaterThan(SOCKETS);
});

describe('a crowd of hostile requests: each refused with 4xx, others are served', () => {
  const head = 'Host: a\r\nConnection: close\r\n';
  const post = `POST /oauth/token HTTP/1.1\r\n${head}Content-Type: application/x-www-form-urlencoded\r\n`;
  const long = 'x'.repeat(64 * 1024);
  const withBody = (body: string | Buffer, headers = '') =>
    Buffer.concat([
      Buffer.from(`${post}${headers}Content-Length: ${body.length}\r\n\r\n`),
      Buffer.from(body),
    ]);
  test.each<[string, string | Buffer]>([
    ['an address of 64 kB', `GET /oauth/authorize?state=${long} HTTP/1.1\r\n${head}\r\n`],
    ['a path of 64 kB', `GET /${long} HTTP/1.1\r\n${head}\r\n`],
    ['a header of 64 kB', `GET /oauth/userinfo HTTP/1.1\r\n${head}Authorization: Bearer ${long}\r\n\r\n`],
    ['100,000 parameters', withBody(Array.from({ length: 100_000 }, (_, n) => `p${n}=`).join('&'))],
    ['as many parameters as fit', withBody(`grant_type=refresh_token${'&a'.repeat(32_000)}`)],
    [
      'as many distinct parameters as fit',
      withBody(Array.from({ length: 10_000 }, (_, n) => `${n.toString(36)}=`).join('&')),
    ],
    [
      'as many parameters as an address can hold',
      `GET /oauth/authorize?${'a&'.repeat(7_000)} HTTP/1.1\r\n${head}\r\n`,
    ],
    ['a gzip body', withBody(gzipSync('grant_type=refresh_token'), 'Content-Encoding: gzip\r\n')],
    [
      'a gzip body that would be 60 MB',
      withBody(gzipSync(Buffer.alloc(60_000_000)), 'Content-Encoding: gzip\r\n'),
    ],
    [
      'both Content-Length and chunks',
      `${post}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n0\r\n\r\n`,
    ],
    [
      'a body in small chunks',
      `${post}Transfer-Encoding: chunked\r\n\r\n${'10\r\naaaaaaaaaaaaaaaa\r\n'.repeat(1_000)}0\r\n\r\n`,
    ],
  ])('%s', async (_, bytes) => {
    const answers: HttpAnswer[] = [];
    let othersWereServed = false;
    const crowd = Promise.all(
      Array.from({ length: 20 }, async () => {
        do {
          // Whoever is refused before having sent everything may be reset instead of hearing it.
          const answer = await rawRequest(port, bytes).catch((error: NodeJS.ErrnoException) => {
            expect(error.code).toMatch(/^(ECONNRESET|EPIPE)$/);
          });
          if (answer !== undefined) answers.push(answer);
        } while (!othersWereServed);
      }),
    );
    crowd.catch(() => {}); // a failure is told at the end
    await othersAreServed();
    othersWereServed = true;
    await crowd;
    expect(answers.length).toBeGreaterThan(0);
    for (const { status, text } of answers) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(JSON.parse(text)).toEqual({ error: expect.any(String), error_description: expect.any(String) });
    }
  });
});

/** Requests in flight on one connection: the service closes it beyond (src/http/malformed-requests.ts). */
const IN_FLIGHT = 10;

/** A connection on which several requests are sent before the first is answered. */
interface Line {
  /** Asks for the same from each address. Gives the statuses of the answers. */
  ask(addresses: string[]): Promise<number[]>;
  close(): void;
}

/** Opens one. A client library takes longer over each request than the service, and its crowd would be none. */
function openLine(at: number): Line {
  const socket = connect(at, '127.0.0.1').setEncoding('latin1');
  socket.on('error', () => {}); // it closes, too
  const askAtOnce = (addresses: string[]): Promise<number[]> =>
    new Promise((resolve, reject) => {
      let heard = '';
      const listen = (text: string) => {
        heard += text;
        const statuses = [...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
        if (statuses.length < addresses.length || !heard.endsWith('}')) return;
        socket.off('data', listen).off('close', hungUp);
        resolve(statuses);
      };
      const hungUp = () => reject(new Error(`the service hung up after:\n${heard}`));
      socket.on('data', listen).on('close', hungUp);
      socket.write(
        addresses
          .map((address) => `GET /oauth/userinfo HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\n\r\n`)
          .join(''),
      );
    });
  return {
    async ask(addresses) {
      const statuses: number[] = [];
      for (let from = 0; from < addresses.length; from += IN_FLIGHT)
        statuses.push(...(await askAtOnce(addresses.slice(from, from + IN_FLIGHT))));
      return statuses;
    },
    close: () => socket.destroy(),
  };
}

test('51,000 distinct addresses against the rate limit: others are served, the memory of the process is bounded', async () => {
  const WARM = 3_000;
  /** More than the service remembers (src/http/rate-limit.ts). */
  const ADDRESSES = 51_000;
  /** Whose requests are never counted. */
  const OTHER = '192.0.2.2';
  /** Bytes that the process may grow by. */
  const BOUND = 128 * 1024 * 1024;
  const limited = await startService({
    DATABASE_URL: service.databaseUrl,
    BASE_URL: service.baseUrl,
    RATE_LIMIT_PER_MINUTE: '2',
    RATE_LIMIT_ALLOW: OTHER,
    TRUSTED_PROXIES: '127.0.0.1',
    LOG_LEVEL: 'warn',
  });
  const lines = Array.from({ length: 8 }, () => openLine(Number(new URL(limited.address).port)));
  const ask = async (address: string) => (await lines[0]?.ask([address]))?.[0];
  const counts: Record<number, number> = {};
  let next = 0;
  /** Asks from the addresses up to the limit, once each, some at a time. */
  async function work(line: Line, limit: number): Promise<void> {
    while (next < limit) {
      const addresses: string[] = [];
      for (; addresses.length < 16 && next < limit; next += 1)
        addresses.push(`10.${next >> 16}.${(next >> 8) & 255}.${next & 255}`);
      for (const status of await line.ask(addresses)) counts[status] = (counts[status] ?? 0) + 1;
    }
  }
  /** The next so many of them, and others in between. */
  async function crowd(size: number): Promise<void> {
    const limit = next + size;
    const workers = Promise.all(lines.map((line) => work(line, limit)));
    workers.catch(() => {}); // a failure is told at the end
    await othersAreServed(Number(new URL(limited.address).port), { 'x-forwarded-for': OTHER });
    expect(next).toBeLessThan(limit);
    await workers;
  }

  // Any load makes the heap grow to its working size.
  await crowd(WARM);
  const warm = next;
  expect([await ask('192.0.2.1'), await ask('192.0.2.1'), await ask('192.0.2.1')]).toEqual([401, 401, 429]);
  const before = await residentMemory(limited.pid);
  await crowd(ADDRESSES);
  const growth = (await residentMemory(limited.pid)) - before;
  console.info(`${ADDRESSES} addresses: ${growth >> 20} MiB more, from ${before >> 20} MiB`);
  expect(counts).toEqual({ 401: warm + ADDRESSES }); // none is counted as another one
  expect(growth).toBeLessThan(BOUND);
  // The price of the bound: the address longest unseen is forgotten before its minute is over. It still counts, though.
  expect([await ask('192.0.2.1'), await ask('192.0.2.1'), await ask('192.0.2.1')]).toEqual([401, 401, 429]);
  for (const { close } of lines) close();
}, 300_000);

async function residentMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

test('none of it made a process fail or complain', async () => {
  expect(process.hasEnded()).toBe(false);
  expect((await caughtUp(process)).filter(({ level }) => level !== 'info')).toEqual([]);
});
