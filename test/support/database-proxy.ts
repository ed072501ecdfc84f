// PostgreSQL proxy that records statements and simulates outages.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { TestService } from './service.ts';

export interface DatabaseProxy {
  url: string; // doesn't change after `restore`
  /** Names of prepared statements and SQL of simple queries, since the last `clear`. */
  executed(): string[];
  clear(): void;
  cut(): Promise<void>;
  /** @param url the database's new URL */
  restore(url?: string): Promise<void>;
  /** Still accepts new connections. */
  closeConnections(): void;
  /** Simulates a network that drops all packets. Connections stay open. */
  silence(): void;
  /** Forwards data on new connections. Existing connections stay silent. */
  endSilence(): void;
  close(): Promise<void>;
}

export async function openDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  let target = new URL(databaseUrl);
  const executed: string[] = [];
  const sockets = new Set<Socket>();
  const connections = new Set<{ isSilent: boolean }>();
  let isSilent = false;
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;

  async function listen(requestedPort: number): Promise<Server> {
    const proxy = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname);
      const parseBytes = createStatementParser((statement) => executed.push(statement));
      const connection = { isSilent };
      connections.add(connection);
      client.on('close', () => connections.delete(connection));
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        sockets.add(socket);
        socket.on('error', () => other.destroy());
        socket.on('close', () => {
          sockets.delete(socket);
          other.destroySoon(); // sends pending data before closing
        });
      }
      client.on('data', (bytes) => {
        if (connection.isSilent) return;
        parseBytes(bytes);
        upstream.write(bytes);
      });
      upstream.on('data', (bytes) => {
        if (!connection.isSilent) client.write(bytes);
      });
    }).listen(requestedPort, '127.0.0.1');
    await once(proxy, 'listening');
    return proxy;
  }

  const destroySockets = () => {
    for (const socket of sockets) socket.destroy();
  };

  async function close(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    destroySockets();
    await closed;
  }

  return {
    url: Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href,
    executed: () => [...executed],
    clear: () => {
      executed.length = 0;
    },
    cut: close,
    closeConnections: destroySockets,
    restore: async (url) => {
      if (url !== undefined) target = new URL(url);
      server = await listen(port);
    },
    silence: () => {
      isSilent = true;
      for (const connection of connections) connection.isSilent = true;
    },
    endSilence: () => {
      isSilent = false;
    },
    close: close,
  };
}

/** Reports each Execute and Query message (PostgreSQL protocol 3.0, "Message Formats"). */
function createStatementParser(report: (what: string) => void): (bytes: Buffer) => void {
  const portals = new Map<string, string>();
  let buffered: Buffer = Buffer.alloc(0);
  let isStarted = false;
  return (bytes) => {
    buffered = Buffer.concat([buffered, bytes]);
    for (;;) {
      const typeLength = isStarted ? 1 : 0; // the startup message has no type byte
      if (buffered.length < typeLength + 4) return;
      const length = typeLength + buffered.readInt32BE(typeLength);
      if (buffered.length < length) return;
      const type = isStarted ? String.fromCharCode(buffered[0] ?? 0) : '';
      const [first = '', second = ''] = buffered.toString('utf8', typeLength + 4, length).split('\0', 2);
      if (type === 'Q') report(first);
      if (type === 'B') portals.set(first, second);
      if (type === 'E') report(portals.get(first) ?? '');
      if (type === 'F') report('function call');
      isStarted = true;
      buffered = buffered.subarray(length);
    }
  };
}

/** The outbox poller sends these statements at any time. */
const BACKGROUND_STATEMENTS = ['find_due_emails', 'claim_email_to_send', 'delete_email'];

/** Flushes background writes, then records the statements of `work`. */
export async function recordStatements<Result>(
  { services }: TestService,
  proxy: DatabaseProxy,
  work: () => Promise<Result>,
): Promise<{ result: Result; statements: string[] }> {
  await Promise.all(
    [services.diagnostics, services.activity, services.usage].map((writer) => writer.flush()),
  );
  proxy.clear();
  const result = await work();
  return { result, statements: proxy.executed().filter((name) => !BACKGROUND_STATEMENTS.includes(name)) };
}
