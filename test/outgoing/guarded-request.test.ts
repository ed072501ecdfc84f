// The way out: whom it reaches, whom it never does, and that nothing an answer does takes more than was allowed for it.

import { createSocket } from 'node:dgram';
import dns from 'node:dns/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createRawServer, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  guardedRequest,
  type OutgoingAnswer,
  type Reach,
  type Resolve,
} from '../../src/outgoing/guarded-request.ts';
import { OFF_SLOT } from '../support/agents.ts';
import { type SelfSigned, selfSigned } from '../support/self-signed.ts';

let certificate: SelfSigned;
const trusted = getCACertificates('default');
beforeAll(async () => {
  certificate = await selfSigned();
  setDefaultCACertificates([...trusted, certificate.cert]);
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  await certificate.remove();
});

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const listening = async (server: ReturnType<typeof createRawServer>, host = '127.0.0.1') => {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
};
const secure = async (answer: RequestListener) => {
  const { readFile } = await import('node:fs/promises');
  const [cert, key] = await Promise.all([readFile(certificate.certFile), readFile(certificate.keyFile)]);
  return listening(createSecureServer({ cert, key }, answer));
};
const plain = (answer: RequestListener, host?: string) => listening(createServer(answer), host);
/** Answers with these bytes whatever is asked, and goes on as told. */
const raw = (speak: (socket: Socket) => void) =>
  listening(
    createRawServer((socket) => {
      socket.on('error', () => {});
      closing.push(() => socket.destroy());
      socket.once('data', () => speak(socket));
    }),
  );

const HERE: Reach = { production: true, allow: ['127.0.0.0/8'] };
const DEVELOPMENT: Reach = { production: false, loopback: true };
const BOUNDS = { within: 3000, most: 5000 };
const get = (address: string, reach: Reach = DEVELOPMENT, bounds = BOUNDS): Promise<OutgoingAnswer> =>
  guardedRequest(address, bounds, reach, OFF_SLOT);
const resolving =
  (...answers: string[]): Resolve =>
  async () =>
    answers.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

/** A name server that says of every name that it stands for these addresses, and to which questions it answers nothing. */
async function nameServer(...addresses: string[]): Promise<string[]> {
  const questions: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5;
    questions.push(query.toString('latin1', 13, end - 5).replace(/[^a-z-]/g, '.'));
    const answers = query.readUInt16BE(end - 4) === 1 ? addresses : [];
    const head = Buffer.from(query.subarray(0, end));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(answers.length, 6);
    head.writeUInt16BE(0, 10);
    const records = answers.map((answer) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...answer.split('.').map(Number)]),
    );
    socket.send(Buffer.concat([head, ...records]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const before = dns.getServers();
  dns.setServers([`127.0.0.1:${socket.address().port}`]);
  closing.push(() => {
    dns.setServers(before);
    socket.close();
  });
  return questions;
}

// The system's own way of asking holds a thread that passwords and keys are waiting for, as long as a name server likes.
test('names of the public internet are asked of name servers over a socket, and every answer is looked at', async () => {
  const questions = await nameServer('93.184.216.34', '10.0.0.7');
  const asking = get('https://slow.agent.example/doc', { production: true });
  await expect(asking).rejects.toMatchObject({ kind: 'not-public' });
  expect(new Set(questions)).toEqual(new Set(['slow.agent.example']));
});

describe('what is sent and what is read', () => {
  test('over TLS, with the headers that were given and no others', async () => {
    const seen: unknown[] = [];
    const port = await secure((request, response) => {
      seen.push(request.method, request.headers);
      response.setHeader('www-authenticate', 'Bearer resource_metadata="x"');
      response.writeHead(401).end('é');
    });
    const asked = { ...BOUNDS, headers: { accept: 'application/json' } };
    const answer = await guardedRequest(
      `https://user:word@localhost:${port}/doc`,
      asked,
      {
        ...HERE,
        allow: ['127.0.0.1', '::1'],
      },
      OFF_SLOT,
    );
    expect(answer).toMatchObject({ status: 401, body: 'é' });
    expect(answer.headers['www-authenticate']).toBe('Bearer resource_metadata="x"');
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

  test('a POST with its body', async () => {
    let seen = '';
    const port = await plain(async (request, response) => {
      for await (const chunk of request) seen += chunk;
      response.end(request.headers['content-length']);
    });
    const asked = { ...BOUNDS, method: 'POST', body: 'é=1' } as const;
    expect((await guardedRequest(`http://127.0.0.1:${port}/`, asked, DEVELOPMENT, OFF_SLOT)).body).toBe('4');
    expect(seen).toBe('é=1');
  });

  test('an answer without an end is read as far as it is wanted', async () => {
    const port = await raw((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {"id":1}\n\n'),
    );
    const asked = { ...BOUNDS, until: (chunk: string) => chunk.includes('\n\n') };
    const answer = await guardedRequest(`http://127.0.0.1:${port}/`, asked, DEVELOPMENT, OFF_SLOT);
    expect(answer.body).toBe('data: {"id":1}\n\n');
  });

  test('a redirect is an answer: it is not followed', async () => {
    const trap: unknown[] = [];
    const other = await plain((request) => trap.push(request.url));
    const port = await plain((_, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${other}/` }).end(),
    );
    expect((await get(`http://127.0.0.1:${port}/`)).status).toBe(302);
    expect(trap).toEqual([]);
  });

  test('a certificate that nobody vouches for, or of another name, is no answer', async () => {
    const port = await secure((_, response) => response.end('x'));
    const reach = { ...HERE, resolve: resolving('127.0.0.1') };
    await expect(get(`https://other.example:${port}/`, reach)).rejects.toThrow(/altnames/);
    setDefaultCACertificates(trusted);
    try {
      await expect(get(`https://localhost:${port}/`, reach)).rejects.toThrow(/self-signed/);
    } finally {
      setDefaultCACertificates([...trusted, certificate.cert]);
    }
  });
});

describe('who is called', () => {
  const NOT_HTTPS = /is not https/;
  const NOT_PUBLIC = /not on the public internet/;
  const PRODUCTION: Reach = { production: true, loopback: true };

  test.each([
    ['plain http', 'http://client.example/', NOT_HTTPS],
    ['plain http of this machine', 'http://localhost/', NOT_HTTPS],
    ['a file', 'file:///etc/passwd', NOT_HTTPS],
    ['FTP', 'ftp://client.example/', NOT_HTTPS],
    ['this machine', 'https://127.0.0.1/', NOT_PUBLIC],
    ['this machine in decimal', 'https://2130706433/', NOT_PUBLIC],
    ['… in hexadecimal', 'https://0x7f000001/', NOT_PUBLIC],
    ['… in hexadecimal parts', 'https://0x7f.0x0.0x0.0x1/', NOT_PUBLIC],
    ['… in octal', 'https://017700000001/', NOT_PUBLIC],
    ['… in octal parts', 'https://0177.0.0.1/', NOT_PUBLIC],
    ['… in two parts', 'https://127.1/', NOT_PUBLIC],
    ['… percent-encoded', 'https://127.%30.0.1/', NOT_PUBLIC],
    ['… in wide digits', 'https://１２７.0.0.1/', NOT_PUBLIC],
    ['… with a dot at the end', 'https://127.0.0.1./', NOT_PUBLIC],
    ['this network', 'https://0.0.0.0/', NOT_PUBLIC],
    ['nothing', 'https://0/', NOT_PUBLIC],
    ['everybody', 'https://224.0.0.1/', NOT_PUBLIC],
    ['everybody in IPv6', 'https://[ff02::1]/', NOT_PUBLIC],
    ['this machine by name', 'https://localhost/', NOT_PUBLIC],
    ['… with a dot at the end', 'https://localhost./', /public internet|name is not known/],
    ['… in IPv6', 'https://[::1]/', NOT_PUBLIC],
    ['… in IPv6 at length', 'https://[0:0:0:0:0:0:0:1]/', NOT_PUBLIC],
    ['no address in IPv6', 'https://[::]/', NOT_PUBLIC],
    ['IPv4 within IPv6', 'https://[::ffff:127.0.0.1]/', NOT_PUBLIC],
    ['IPv4 within IPv6 in hexadecimal', 'https://[::ffff:a00:1]/', NOT_PUBLIC],
    ['IPv4 within IPv6, as it once was', 'https://[::10.0.0.1]/', NOT_PUBLIC],
    ['translated', 'https://[64:ff9b::10.0.0.1]/', NOT_PUBLIC],
    ['translated within a network', 'https://[64:ff9b:1::10.0.0.1]/', NOT_PUBLIC],
    ['tunnelled by 6to4', 'https://[2002:a00:1::]/', NOT_PUBLIC],
    ['tunnelled by Teredo', 'https://[2001:0:a00:1::1]/', NOT_PUBLIC],
    ['a private network', 'https://10.0.0.1/', NOT_PUBLIC],
    ["a provider's network", 'https://100.64.0.1/', NOT_PUBLIC],
    ['a metadata service', 'https://169.254.169.254/latest', NOT_PUBLIC],
    ['a metadata service in IPv6', 'https://[fd00:ec2::254]/latest', NOT_PUBLIC],
    ['a metadata service at a public address', 'https://168.63.129.16/metadata', NOT_PUBLIC],
    ['everybody', 'https://255.255.255.255/', NOT_PUBLIC],
    ['many', 'https://[ff02::1]/', NOT_PUBLIC],
    ['a neighbour', 'https://[fe80::1]/', NOT_PUBLIC],
    ['a name that nobody knows', 'https://nobody.invalid/', /name is not known/],
  ])('not %s', async (_, address, words) => {
    await expect(get(address, PRODUCTION)).rejects.toThrow(words);
  });

  test.each([
    ['one of two answers is private', ['93.184.216.34', '10.0.0.1']],
    ['the other one is', ['127.0.0.1', '93.184.216.34']],
    ['the IPv6 answer is', ['93.184.216.34', 'fd00:ec2::254']],
    ['an answer holds IPv4', ['::ffff:169.254.169.254']],
    ['an answer is no address', ['93.184.216.34', 'fe80::1%lo']],
    ['there is none', []],
  ])('a name is not where %s', async (_, answers) => {
    const reach = { production: true, resolve: resolving(...answers) };
    await expect(get('https://client.example/', reach)).rejects.toThrow(NOT_PUBLIC);
  });

  test('a name that changes is connected to where it was checked: it is looked up once', async () => {
    const trap: unknown[] = [];
    const port = await plain((_, response) => response.end('the one checked'), '127.0.0.2');
    const other = createServer((request) => trap.push(request.url));
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    closing.push(() => other.close());
    let asked = 0;
    const resolve: Resolve = async () => [{ address: asked++ === 0 ? '127.0.0.2' : '127.0.0.1', family: 4 }];
    const reach = { production: false, allow: ['127.0.0.2'], resolve };
    expect((await get(`http://rebinding.example:${port}/`, reach)).body).toBe('the one checked');
    await expect(get(`http://rebinding.example:${port}/`, reach)).rejects.toThrow(NOT_PUBLIC);
    expect([asked, trap]).toEqual([2, []]);
  });

  test('this machine outside production only, and only where that was asked for', async () => {
    const port = await plain((_, response) => response.end('x'));
    for (const host of ['127.0.0.1', 'localhost']) {
      const address = `http://${host}:${port}/`;
      expect((await get(address, { ...DEVELOPMENT, allow: ['::1'] })).status).toBe(200);
      await expect(get(address, { production: false })).rejects.toThrow(NOT_PUBLIC);
      await expect(get(address, PRODUCTION)).rejects.toThrow(NOT_HTTPS);
    }
  });
});

describe('bounds', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
  const forEver = (socket: Socket, text: string) => {
    const more = () => {
      while (!socket.destroyed && socket.write(text));
    };
    socket.on('drain', more);
    more();
  };
  const drip = (socket: Socket, text: string) => {
    const timer = setInterval(() => socket.write(text), 20);
    socket.on('close', () => clearInterval(timer));
  };
  const LATE = /did not answer within 0.3 seconds/;
  const OK = `${HEAD}content-length: 2\r\n\r\n{}`;

  test.each<[string, RegExp, (socket: Socket) => void]>([
    ['says nothing', LATE, () => {}],
    [
      'never ends its head',
      LATE,
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nx: ');
        drip(socket, 'y');
      },
    ],
    [
      'drips its head',
      LATE,
      (socket) => {
        socket.write(HEAD);
        drip(socket, 'x: y\r\n');
      },
    ],
    [
      'comes after more than 10 interim responses',
      /too many interim responses/,
      (socket) => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(11) + OK),
    ],
    [
      'drips its body',
      LATE,
      (socket) => {
        socket.write(`${HEAD}\r\n`);
        drip(socket, ' ');
      },
    ],
    ['stops in the middle', LATE, (socket) => socket.write(`${HEAD}content-length: 50\r\n\r\n{`)],
    ['is endless', /longer than 5000 bytes/, (socket) => forEver(socket, `${HEAD}\r\n${'x'.repeat(9000)}`)],
    [
      'is endless in chunks',
      /longer than 5000 bytes/,
      (socket) => {
        socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`);
        forEver(socket, '5\r\nhello\r\n'.repeat(1000));
      },
    ],
    [
      'has an endless head',
      /head of its answer is longer than/,
      (socket) => {
        socket.write(HEAD);
        forEver(socket, `x-${'y'.repeat(100)}: z\r\n`);
      },
    ],
    [
      'is compressed',
      /compressed/,
      (socket) => {
        const packed = gzipSync('x'.repeat(1_000_000));
        socket.write(`${HEAD}content-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`);
        socket.write(packed);
      },
    ],
    [
      'is compressed on its way',
      /compressed/,
      (socket) => socket.write(`${HEAD}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`),
    ],
    ['hangs up', /./, (socket) => socket.destroy()],
    ['breaks off', /./, (socket) => socket.end(`${HEAD}content-length: 50\r\n\r\n{`)],
    ['speaks something else', /./, (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n')],
    [
      'changes the protocol',
      /./,
      (socket) =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ],
  ])('an answer that %s is none, and the connection is gone', async (_, words, speak) => {
    let gone: Promise<unknown> = Promise.resolve();
    const port = await raw((socket) => {
      gone = new Promise((resolve) => socket.once('close', resolve));
      speak(socket);
    });
    // The time that is over in the end has to be short; whatever else is said comes before it.
    const bounds = { within: words.source.includes('within') ? 300 : 10_000, most: 5000 };
    await expect(get(`http://127.0.0.1:${port}/`, DEVELOPMENT, bounds)).rejects.toThrow(words);
    await gone;
  });

  test('a name that is looked up for ever', async () => {
    const reach = { production: true, resolve: () => new Promise<never>(() => {}) };
    await expect(get('https://slow.example/', reach, { within: 100, most: 1 })).rejects.toThrow(
      /within 0.1 seconds/,
    );
  });

  // Nothing is connected to an address of many.
  test("where the network leads nowhere, this machine's own address in it is not told", async () => {
    const refused = get('http://224.0.0.1/', { production: false, allow: ['224.0.0.1'] });
    await expect(refused).rejects.toThrow(/224\.0\.0\.1:80$/);
  });

  test('as many bytes as are allowed; nobody there', async () => {
    const port = await plain((_, response) => response.end('x'.repeat(5000)));
    expect((await get(`http://127.0.0.1:${port}/`)).body).toHaveLength(5000);
    const free = await plain(() => {});
    closing.pop()?.();
    await expect(get(`http://127.0.0.1:${free}/`)).rejects.toThrow('nobody answers at the address');
  });
});
