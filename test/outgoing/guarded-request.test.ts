// Outgoing requests, with SSRF protection, size limits and timeouts.

import { createSocket } from 'node:dgram';
import dns from 'node:dns/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createRawServer, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  createKeepAliveAgents,
  type OutgoingPolicy,
  type OutgoingResponse,
  type ResolveHost,
  sendGuardedRequest,
} from '../../src/outgoing/guarded-request.ts';
import { UNUSED_SLOT } from '../support/metadata-clients.ts';
import {
  createSelfSignedCertificate,
  type SelfSignedCertificate,
} from '../support/self-signed-certificate.ts';

let certificate: SelfSignedCertificate;
const trustedCertificates = getCACertificates('default');
beforeAll(async () => {
  certificate = await createSelfSignedCertificate();
  setDefaultCACertificates([...trustedCertificates, certificate.cert]);
});
afterAll(async () => {
  setDefaultCACertificates(trustedCertificates);
  await certificate.remove();
});

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const close of cleanups.splice(0)) close();
});

const listen = async (server: ReturnType<typeof createRawServer>, host = '127.0.0.1') => {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  cleanups.push(() => server.close());
  return (server.address() as AddressInfo).port;
};
const startHttpsServer = async (listener: RequestListener) => {
  const { readFile } = await import('node:fs/promises');
  const [cert, key] = await Promise.all([readFile(certificate.certFile), readFile(certificate.keyFile)]);
  return listen(createSecureServer({ cert, key }, listener));
};
const startHttpServer = (listener: RequestListener, host?: string) => listen(createServer(listener), host);
const startTcpServer = (respond: (socket: Socket) => void) =>
  listen(
    createRawServer((socket) => {
      socket.on('error', () => {});
      cleanups.push(() => socket.destroy());
      socket.once('data', () => respond(socket));
    }),
  );

const LOOPBACK_NETWORK: OutgoingPolicy = { production: true, allowedNetworks: ['127.0.0.0/8'] };
const DEVELOPMENT: OutgoingPolicy = { production: false, allowLoopback: true };
const LIMITS = { timeout: 3000, maxBytes: 5000 };
const get = (url: string, policy: OutgoingPolicy = DEVELOPMENT, limits = LIMITS): Promise<OutgoingResponse> =>
  sendGuardedRequest(url, limits, policy, UNUSED_SLOT);
const resolveTo =
  (...ips: string[]): ResolveHost =>
  async () =>
    ips.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

/**
 * Starts a name server that resolves every name to the given IP addresses. Returns the list of queried names.
 */
async function startNameServer(...addresses: string[]): Promise<string[]> {
  const queriedNames: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5;
    queriedNames.push(query.toString('latin1', 13, end - 5).replace(/[^a-z-]/g, '.'));
    const responses = query.readUInt16BE(end - 4) === 1 ? addresses : [];
    const head = Buffer.from(query.subarray(0, end));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(responses.length, 6);
    head.writeUInt16BE(0, 10);
    const records = responses.map((ip) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...ip.split('.').map(Number)]),
    );
    socket.send(Buffer.concat([head, ...records]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const previousServers = dns.getServers();
  dns.setServers([`127.0.0.1:${socket.address().port}`]);
  cleanups.push(() => {
    dns.setServers(previousServers);
    socket.close();
  });
  return queriedNames;
}

// dns.lookup blocks a libuv thread while a name server is slow.
test('sendGuardedRequest resolves public host names without dns.lookup', async () => {
  const queriedNames = await startNameServer('93.184.216.34', '10.0.0.7');
  const response = get('https://slow.agent.example/doc', { production: true });
  await expect(response).rejects.toMatchObject({ kind: 'not-public' });
  expect(new Set(queriedNames)).toEqual(new Set(['slow.agent.example']));
});

describe('outgoing requests', () => {
  test('over TLS contain only the given and standard headers', async () => {
    const seen: unknown[] = [];
    const port = await startHttpsServer((request, response) => {
      seen.push(request.method, request.headers);
      response.setHeader('www-authenticate', 'Bearer resource_metadata="x"');
      response.writeHead(401).end('é');
    });
    const options = { ...LIMITS, headers: { accept: 'application/json' } };
    const response = await sendGuardedRequest(
      `https://user:word@localhost:${port}/doc`,
      options,
      {
        ...LOOPBACK_NETWORK,
        allowedNetworks: ['127.0.0.1', '::1'],
      },
      UNUSED_SLOT,
    );
    expect(response).toMatchObject({ status: 401, body: 'é' });
    expect(response.headers['www-authenticate']).toBe('Bearer resource_metadata="x"');
    expect(seen).toEqual([
      'GET',
      {
        accept: 'application/json',
        'accept-encoding': 'identity',
        host: `localhost:${port}`,
        connection: 'close',
      },
    ]);
  });

  test('contain the given body if the method is POST', async () => {
    let seen = '';
    const port = await startHttpServer(async (request, response) => {
      for await (const chunk of request) seen += chunk;
      response.end(request.headers['content-length']);
    });
    const options = { ...LIMITS, method: 'POST', body: 'é=1' } as const;
    expect(
      (await sendGuardedRequest(`http://127.0.0.1:${port}/`, options, DEVELOPMENT, UNUSED_SLOT)).body,
    ).toBe('4');
    expect(seen).toBe('é=1');
  });

  test('end when stopWhen returns true for a streamed chunk', async () => {
    const port = await startTcpServer((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {"id":1}\n\n'),
    );
    const options = { ...LIMITS, stopWhen: (chunk: string) => chunk.includes('\n\n') };
    const response = await sendGuardedRequest(`http://127.0.0.1:${port}/`, options, DEVELOPMENT, UNUSED_SLOT);
    expect(response.body).toBe('data: {"id":1}\n\n');
  });

  test('do not follow redirects', async () => {
    const requestedUrls: unknown[] = [];
    const targetPort = await startHttpServer((request) => requestedUrls.push(request.url));
    const port = await startHttpServer((_, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${targetPort}/` }).end(),
    );
    expect((await get(`http://127.0.0.1:${port}/`)).status).toBe(302);
    expect(requestedUrls).toEqual([]);
  });

  test('fail if the certificate is invalid', async () => {
    const port = await startHttpsServer((_, response) => response.end('x'));
    const policy = { ...LOOPBACK_NETWORK, resolve: resolveTo('127.0.0.1') };
    await expect(get(`https://other.example:${port}/`, policy)).rejects.toThrow(/altnames/);
    setDefaultCACertificates(trustedCertificates);
    try {
      await expect(get(`https://localhost:${port}/`, policy)).rejects.toThrow(/self-signed/);
    } finally {
      setDefaultCACertificates([...trustedCertificates, certificate.cert]);
    }
  });
});

describe('a request URL', () => {
  const NOT_HTTPS = /does not use HTTPS/;
  const NOT_PUBLIC = /not on the public internet/;
  const PRODUCTION: OutgoingPolicy = { production: true, allowLoopback: true };

  test.each([
    ['the scheme http', 'http://client.example/', NOT_HTTPS],
    ['the scheme http and the host localhost', 'http://localhost/', NOT_HTTPS],
    ['the scheme file', 'file:///etc/passwd', NOT_HTTPS],
    ['the scheme ftp', 'ftp://client.example/', NOT_HTTPS],
    ['loopback', 'https://127.0.0.1/', NOT_PUBLIC],
    ['loopback in decimal', 'https://2130706433/', NOT_PUBLIC],
    ['loopback in hexadecimal', 'https://0x7f000001/', NOT_PUBLIC],
    ['loopback in hexadecimal parts', 'https://0x7f.0x0.0x0.0x1/', NOT_PUBLIC],
    ['loopback in octal', 'https://017700000001/', NOT_PUBLIC],
    ['loopback in octal parts', 'https://0177.0.0.1/', NOT_PUBLIC],
    ['loopback in two parts', 'https://127.1/', NOT_PUBLIC],
    ['loopback percent-encoded', 'https://127.%30.0.1/', NOT_PUBLIC],
    ['loopback in full-width digits', 'https://１２７.0.0.1/', NOT_PUBLIC],
    ['loopback with a trailing dot', 'https://127.0.0.1./', NOT_PUBLIC],
    ['the unspecified IP address', 'https://0.0.0.0/', NOT_PUBLIC],
    ['zero', 'https://0/', NOT_PUBLIC],
    ['multicast', 'https://224.0.0.1/', NOT_PUBLIC],
    ['IPv6 multicast', 'https://[ff02::1]/', NOT_PUBLIC],
    ['localhost', 'https://localhost/', NOT_PUBLIC],
    ['localhost with a trailing dot', 'https://localhost./', NOT_PUBLIC],
    ['IPv6 loopback', 'https://[::1]/', NOT_PUBLIC],
    ['uncompressed IPv6 loopback', 'https://[0:0:0:0:0:0:0:1]/', NOT_PUBLIC],
    ['the unspecified IPv6 address', 'https://[::]/', NOT_PUBLIC],
    ['IPv4-mapped IPv6', 'https://[::ffff:127.0.0.1]/', NOT_PUBLIC],
    ['IPv4-mapped IPv6 in hexadecimal', 'https://[::ffff:a00:1]/', NOT_PUBLIC],
    ['IPv4-compatible IPv6', 'https://[::10.0.0.1]/', NOT_PUBLIC],
    ['NAT64', 'https://[64:ff9b::10.0.0.1]/', NOT_PUBLIC],
    ['local-use NAT64', 'https://[64:ff9b:1::10.0.0.1]/', NOT_PUBLIC],
    ['6to4', 'https://[2002:a00:1::]/', NOT_PUBLIC],
    ['Teredo', 'https://[2001:0:a00:1::1]/', NOT_PUBLIC],
    ['a private network', 'https://10.0.0.1/', NOT_PUBLIC],
    ['carrier-grade NAT', 'https://100.64.0.1/', NOT_PUBLIC],
    ['a metadata service', 'https://169.254.169.254/latest', NOT_PUBLIC],
    ['a metadata service in IPv6', 'https://[fd00:ec2::254]/latest', NOT_PUBLIC],
    ['a metadata service with a public IP address', 'https://168.63.129.16/metadata', NOT_PUBLIC],
    ['broadcast', 'https://255.255.255.255/', NOT_PUBLIC],
    ['link-local IPv6', 'https://[fe80::1]/', NOT_PUBLIC],
    ['an unknown name', 'https://nobody.invalid/', NOT_PUBLIC],
  ])('with %s is rejected', async (_, url, message) => {
    await expect(get(url, PRODUCTION)).rejects.toThrow(message);
  });

  test.each([
    ['a public and a private IP address', ['93.184.216.34', '10.0.0.1']],
    ['a loopback and a public IP address', ['127.0.0.1', '93.184.216.34']],
    ['a public IPv4 and a private IPv6 address', ['93.184.216.34', 'fd00:ec2::254']],
    ['an IPv4-mapped IPv6 address', ['::ffff:169.254.169.254']],
    ['an IPv6 address with a zone id', ['93.184.216.34', 'fe80::1%lo']],
    ['no IP address', []],
  ])('whose host resolves to %s is rejected', async (_, ips) => {
    const policy = { production: true, resolve: resolveTo(...ips) };
    await expect(get('https://client.example/', policy)).rejects.toThrow(NOT_PUBLIC);
  });

  test('has its host name resolved only once', async () => {
    const requestedUrls: unknown[] = [];
    const port = await startHttpServer((_, response) => response.end('the checked IP'), '127.0.0.2');
    const unchecked = createServer((request) => requestedUrls.push(request.url));
    await new Promise<void>((resolve) => unchecked.listen(port, '127.0.0.1', resolve));
    cleanups.push(() => unchecked.close());
    let lookups = 0;
    const resolve: ResolveHost = async () => [
      { address: lookups++ === 0 ? '127.0.0.2' : '127.0.0.1', family: 4 },
    ];
    const policy = { production: false, allowedNetworks: ['127.0.0.2'], resolve };
    expect((await get(`http://rebinding.example:${port}/`, policy)).body).toBe('the checked IP');
    await expect(get(`http://rebinding.example:${port}/`, policy)).rejects.toThrow(NOT_PUBLIC);
    expect([lookups, requestedUrls]).toEqual([2, []]);
  });

  test('with a loopback host is accepted only if loopback is allowed', async () => {
    const port = await startHttpServer((_, response) => response.end('x'));
    for (const host of ['127.0.0.1', 'localhost']) {
      const url = `http://${host}:${port}/`;
      expect((await get(url, { ...DEVELOPMENT, allowedNetworks: ['::1'] })).status).toBe(200);
      await expect(get(url, { production: false })).rejects.toThrow(NOT_PUBLIC);
      await expect(get(url, PRODUCTION)).rejects.toThrow(NOT_HTTPS);
    }
  });
});

describe('a response', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
  const writeForever = (socket: Socket, text: string) => {
    const fillBuffer = () => {
      while (!socket.destroyed && socket.write(text));
    };
    socket.on('drain', fillBuffer);
    fillBuffer();
  };
  const writeSlowly = (socket: Socket, text: string) => {
    const timer = setInterval(() => socket.write(text), 20);
    socket.on('close', () => clearInterval(timer));
  };
  const TIMEOUT = /no response within 0.3 seconds/;
  const OK = `${HEAD}content-length: 2\r\n\r\n{}`;

  test.each<[string, RegExp, (socket: Socket) => void]>([
    ['without data', TIMEOUT, () => {}],
    [
      'with an endless header line',
      TIMEOUT,
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nx: ');
        writeSlowly(socket, 'y');
      },
    ],
    [
      'with slow headers',
      TIMEOUT,
      (socket) => {
        socket.write(HEAD);
        writeSlowly(socket, 'x: y\r\n');
      },
    ],
    [
      'after more than 10 interim responses',
      /too many interim responses/,
      (socket) => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(11) + OK),
    ],
    [
      'with a slow body',
      TIMEOUT,
      (socket) => {
        socket.write(`${HEAD}\r\n`);
        writeSlowly(socket, ' ');
      },
    ],
    ['with a stalled body', TIMEOUT, (socket) => socket.write(`${HEAD}content-length: 50\r\n\r\n{`)],
    [
      'with an endless body',
      /exceeds 5000 bytes/,
      (socket) => writeForever(socket, `${HEAD}\r\n${'x'.repeat(9000)}`),
    ],
    [
      'with endless chunks',
      /exceeds 5000 bytes/,
      (socket) => {
        socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`);
        writeForever(socket, '5\r\nhello\r\n'.repeat(1000));
      },
    ],
    [
      'with endless headers',
      /response headers exceed/,
      (socket) => {
        socket.write(HEAD);
        writeForever(socket, `x-${'y'.repeat(100)}: z\r\n`);
      },
    ],
    [
      'with content encoding',
      /compressed/,
      (socket) => {
        const compressed = gzipSync('x'.repeat(1_000_000));
        socket.write(`${HEAD}content-encoding: gzip\r\ncontent-length: ${compressed.length}\r\n\r\n`);
        socket.write(compressed);
      },
    ],
    [
      'with transfer encoding',
      /compressed/,
      (socket) => socket.write(`${HEAD}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`),
    ],
    ['with a closed connection', /./, (socket) => socket.destroy()],
    ['with a truncated body', /./, (socket) => socket.end(`${HEAD}content-length: 50\r\n\r\n{`)],
    ['in a different protocol', /./, (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n')],
    [
      'with a protocol upgrade',
      /./,
      (socket) =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ],
  ])('%s causes an error and closes the connection', async (_, message, respond) => {
    let closed: Promise<unknown> = Promise.resolve();
    const port = await startTcpServer((socket) => {
      closed = new Promise((resolve) => socket.once('close', resolve));
      respond(socket);
    });
    const limits = { timeout: message.source.includes('within') ? 300 : 10_000, maxBytes: 5000 };
    await expect(get(`http://127.0.0.1:${port}/`, DEVELOPMENT, limits)).rejects.toThrow(message);
    await closed;
  });

  test('must arrive within the timeout', async () => {
    const policy = { production: true, resolve: () => new Promise<never>(() => {}) };
    await expect(get('https://slow.example/', policy, { timeout: 100, maxBytes: 1 })).rejects.toThrow(
      /within 0.1 seconds/,
    );
  });

  test('may have the maximum size', async () => {
    const port = await startHttpServer((_, response) => response.end('x'.repeat(5000)));
    expect((await get(`http://127.0.0.1:${port}/`)).body).toHaveLength(5000);
  });
});

describe('a failed connection', () => {
  // Connecting to a multicast address fails immediately.
  test('causes an error that omits the local IP address', async () => {
    const refused = get('http://224.0.0.1/', { production: false, allowedNetworks: ['224.0.0.1'] });
    await expect(refused).rejects.toThrow(/224\.0\.0\.1:80$/);
  });

  test('causes the error “connection refused” if the port is closed', async () => {
    const unusedPort = await startHttpServer(() => {});
    cleanups.pop()?.();
    await expect(get(`http://127.0.0.1:${unusedPort}/`)).rejects.toThrow('connection refused');
  });
});

describe('kept-alive connections', () => {
  const request = (port: number, connections: ReturnType<typeof createKeepAliveAgents>) =>
    sendGuardedRequest(
      `http://127.0.0.1:${port}/`,
      { timeout: 2_000, maxBytes: 1_000, connections },
      DEVELOPMENT,
      UNUSED_SLOT,
    );

  test('are reused for later requests', async () => {
    const ports = new Set<number | undefined>();
    const port = await startHttpServer(({ socket }, response) => {
      ports.add(socket.remotePort);
      response.end('ok');
    });
    const connections = createKeepAliveAgents();
    for (let count = 0; count < 3; count += 1)
      expect(await request(port, connections)).toMatchObject({ status: 200, body: 'ok' });
    expect(ports.size).toBe(1);
  });

  test('are closed after an oversized response', async () => {
    const ports = new Set<number | undefined>();
    const port = await startHttpServer(({ socket }, response) => {
      ports.add(socket.remotePort);
      response.end(ports.size === 1 ? 'x'.repeat(100_000) : 'ok');
    });
    const connections = createKeepAliveAgents();
    await expect(request(port, connections)).rejects.toMatchObject({ kind: 'too-large' });
    expect(await request(port, connections)).toMatchObject({ body: 'ok' });
    expect(ports.size).toBe(2);
  });

  test('are opened only to allowed IP addresses', async () => {
    const port = await startHttpServer((_request, response) => response.end());
    const policy = { production: false, resolve: async () => [{ address: '127.0.0.1', family: 4 }] };
    const options = { timeout: 2_000, maxBytes: 1_000, connections: createKeepAliveAgents() };
    await expect(
      sendGuardedRequest(`http://internal.example:${port}/`, options, policy, UNUSED_SLOT),
    ).rejects.toMatchObject({ kind: 'not-public' });
  });
});
