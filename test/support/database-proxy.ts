// Stands between the service and PostgreSQL: counts what is executed there, and can take the database away.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { TestService } from './service.ts';

export interface DatabaseProxy {
  /** Connection string by which the database is reached through the proxy; the same for the proxy's whole life. */
  url: string;
  /** What was executed since `forget`, in order: the name of a prepared statement, or the text of a simple query. */
  executed(): string[];
  forget(): void;
  /** Refuses new connections and ends those that are open. */
  cut(): Promise<void>;
  /** Accepts connections again, to the same database or to where it lives by now. */
  restore(url?: string): Promise<void>;
  /** Ends the connections that are open, whatever is under way on them; new ones are made at once. */
  sever(): void;
  /** From now on nothing gets through any more in either direction, while all connections stay and new ones are made. */
  silence(): void;
  /** New connections get through again; those that fell silent stay so. */
  endSilence(): void;
  close(): Promise<void>;
}

/** @param databaseUrl connection string of the real database */
export async function openDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  let target = new URL(databaseUrl);
  const executed: string[] = [];
  const sockets = new Set<Socket>();
  const lines = new Set<{ dead: boolean }>();
  let silent = false;
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;

  async function listen(wished: number): Promise<Server> {
    const made = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      const count = countExecutions((what) => executed.push(what));
      const line = { dead: silent };
      lines.add(line);
      near.on('close', () => lines.delete(line));
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(socket);
        socket.on('error', () => other.destroy());
        socket.on('close', () => {
          sockets.delete(socket);
          other.destroySoon(); // PostgreSQL's last words still reach the service
        });
      }
      near.on('data', (bytes) => {
        if (line.dead) return;
        count(bytes);
        far.write(bytes);
      });
      far.on('data', (bytes) => {
        if (!line.dead) near.write(bytes);
      });
    }).listen(wished, '127.0.0.1');
    await once(made, 'listening');
    return made;
  }

  const sever = () => {
    for (const socket of sockets) socket.destroy();
  };

  async function cut(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    sever();
    await closed;
  }

  return {
    url: Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href,
    executed: () => [...executed],
    forget: () => {
      executed.length = 0;
    },
    cut,
    sever,
    restore: async (url) => {
      if (url !== undefined) target = new URL(url);
      server = await listen(port);
    },
    silence: () => {
      silent = true;
      for (const line of lines) line.dead = true;
    },
    endSilence: () => {
      silent = false;
    },
    close: cut,
  };
}

/**
 * Reads one connection's messages to PostgreSQL (protocol 3.0, "Message Formats"): each Execute and each simple Query
 * is a statement that the server runs. Parse and Bind alone run nothing; Bind tells which statement a portal runs.
 */
function countExecutions(report: (what: string) => void): (bytes: Buffer) => void {
  const portals = new Map<string, string>();
  let rest: Buffer = Buffer.alloc(0);
  let started = false;
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const typeLength = started ? 1 : 0; // the start-up message alone has no type
      if (rest.length < typeLength + 4) return;
      const length = typeLength + rest.readInt32BE(typeLength);
      if (rest.length < length) return;
      const type = started ? String.fromCharCode(rest[0] ?? 0) : '';
      const [first = '', second = ''] = rest.toString('utf8', typeLength + 4, length).split('\0', 2);
      if (type === 'Q') report(first);
      if (type === 'B') portals.set(first, second);
      if (type === 'E') report(portals.get(first) ?? '');
      if (type === 'F') report('function call');
      started = true;
      rest = rest.subarray(length);
    }
  };
}

/** What belongs to no request: mails on their way are looked for, and gone once sent, whatever else happens. */
const BACKGROUND = ['find_due_mails', 'claim_mail', 'delete_mail'];

/**
 * What the database is asked to execute during `work`, and what that gave. What was noted before and is written a while
 * later is written first: on a slow machine its time would come in the middle.
 */
export async function statementsDuring<Result>(
  { parts }: TestService,
  proxy: DatabaseProxy,
  work: () => Promise<Result>,
): Promise<{ result: Result; statements: string[] }> {
  await Promise.all([parts.diagnostics, parts.activity, parts.usage].map((behind) => behind.flush()));
  proxy.forget();
  const result = await work();
  return { result, statements: proxy.executed().filter((name) => !BACKGROUND.includes(name)) };
}
