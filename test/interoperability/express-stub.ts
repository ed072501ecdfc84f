// A minimal replacement for Express and express-session, for the Passport snippets.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

type Handler = (request: Request, response: ServerResponse, next: (error?: Error) => void) => void;

interface Session {
  regenerate(done: () => void): void;
  save(done: () => void): void;
  [key: string]: unknown;
}

interface Request extends IncomingMessage {
  query: Record<string, string>;
  session: Session;
  user?: unknown;
}

/** Declares the part of Passport's API that the tests use, because Passport's types aren't installed. */
interface Passport {
  use(name: string, strategy: unknown): void;
  authenticate(name: string, options?: Record<string, unknown>): Handler;
  initialize(): Handler;
  session(): Handler;
  serializeUser(serialize: (user: unknown, done: (error: null, stored: unknown) => void) => void): void;
  deserializeUser(deserialize: (stored: unknown, done: (error: null, user: unknown) => void) => void): void;
}

/** The function that a Passport snippet exports. */
export type AddSignIn = (app: { get(path: string, handler: Handler): void }, passport: Passport) => void;

/** Starts a server whose `/` returns the signed-in user as JSON. Returns a function that stops the server. */
export async function startExpressStub(port: number, addSignIn: AddSignIn): Promise<() => Promise<void>> {
  const { Passport } = require('passport') as { Passport: new () => Passport };
  const passport = new Passport();
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((stored, done) => done(null, stored));

  const routes = new Map<string, Handler>([
    ['/', (request, response) => void response.end(JSON.stringify(request.user ?? null))],
  ]);
  addSignIn({ get: (path, handler) => void routes.set(path, handler) }, passport);

  const sessions = new Map<string, Record<string, unknown>>();
  const server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? '/', `http://localhost:${port}`);
    const request = Object.assign(incoming, { query: Object.fromEntries(url.searchParams) }) as Request;
    Object.assign(response, {
      redirect: (url: string) => response.writeHead(302, { location: url }).end(),
    });
    openSession(sessions, request, response);
    const handlers = [passport.initialize(), passport.session(), routes.get(url.pathname)];
    const next = (error?: Error): void => {
      const handler = handlers.shift();
      if (error !== undefined || handler === undefined)
        response.writeHead(error === undefined ? 404 : 500).end(error?.message);
      else handler(request, response, next);
    };
    next();
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
}

/** Attaches the existing session or a new session to the request, with the functions that Passport calls. */
function openSession(
  sessions: Map<string, Record<string, unknown>>,
  request: Request,
  response: ServerResponse,
): void {
  let [, id = ''] = /(?:^|; )session=([^;]+)/.exec(request.headers.cookie ?? '') ?? [];
  const start = (): void => {
    sessions.delete(id);
    id = randomUUID();
    sessions.set(id, {});
    response.setHeader('set-cookie', `session=${id}; Path=/; HttpOnly`);
    attachSession();
  };
  const attachSession = (): void => {
    request.session = Object.assign(sessions.get(id) ?? {}, {
      regenerate: (done: () => void) => {
        start();
        done();
      },
      save: (done: () => void) => done(),
    });
  };
  if (sessions.has(id)) attachSession();
  else start();
}
