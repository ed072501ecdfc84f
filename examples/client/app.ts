// Owns the application « Carnet »: its addresses, its cookie, its answers to failures.
import { readFileSync } from 'node:fs';
import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { SignInFailure } from './failures.ts';
import { createNotebooks } from './notebooks.ts';
import {
  failurePage,
  type Message,
  notebookPage,
  plainPage,
  profilePage,
  type View,
  welcomePage,
} from './pages.ts';
import { createService, type Profile } from './service.ts';
import { createSessions, type Session } from './sessions.ts';
import type { ClientSettings } from './settings.ts';
import { isLanguage, preferredLanguage } from './words.ts';

type SignedIn = Session & { person: NonNullable<Session['person']> };

const styles = ['carnet.css'];

/**
 * The application, ready to listen or to be injected into. It asks nothing of the sign-in service before somebody
 * signs in. `settings.baseUrl` must be the address that browsers use, and `${baseUrl}/callback` a registered callback.
 */
export async function buildClient(settings: ClientSettings): Promise<FastifyInstance> {
  const app = fastify({
    logger: settings.logger ? quietLogger : false,
    bodyLimit: 16_384,
    // an address that cannot be decoded never reaches the error handler below
    frameworkErrors: (_error, request, reply) => {
      const language = preferredLanguage(request.headers['accept-language']);
      const view = { settings, language, signedIn: false };
      page((reply as FastifyReply).code(400), plainPage(view, 'badAddress'));
    },
  });
  const service = createService(settings);
  const sessions = createSessions();
  const notebooks = createNotebooks();

  const secure = settings.baseUrl.startsWith('https:');
  const cookieName = secure ? '__Host-carnet' : 'carnet';
  const languageCookie = 'carnet-language';
  const policy = [
    "default-src 'none'",
    `style-src 'self' ${settings.issuer}/button.css`,
    `img-src ${settings.issuer} https: data:`,
    // Signing out goes on to the service: browsers hold form-action against redirects, too.
    `form-action 'self' ${settings.issuer}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

  await app.register(cookie);
  await app.register(formbody);

  function sessionOf(request: FastifyRequest): Session | undefined {
    return sessions.find(request.cookies[cookieName]);
  }

  function signedInSession(request: FastifyRequest): SignedIn | undefined {
    const session = sessionOf(request);
    return isSignedIn(session) ? session : undefined;
  }

  const cookieOptions = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;

  /** What the pages say in which language: the one chosen by the link below every page, else the browser's. */
  function viewOf(request: FastifyRequest): View {
    const { lang, message: word } = query(request);
    const chosen = [lang, request.cookies[languageCookie]].find(isLanguage);
    const language = chosen ?? preferredLanguage(request.headers['accept-language']);
    const signedIn = signedInSession(request) !== undefined;
    return { settings, language, signedIn, word: typeof word === 'string' ? word : undefined };
  }

  function sendCookie(reply: FastifyReply, session: Session): void {
    reply.setCookie(cookieName, session.id, cookieOptions);
  }

  function leave(reply: FastifyReply, session: Session, message: Message): FastifyReply {
    return leaveFor(reply, session, `/?message=${message}`);
  }

  function leaveFor(reply: FastifyReply, session: Session, address: string): FastifyReply {
    sessions.end(session);
    reply.clearCookie(cookieName, cookieOptions);
    return goTo(reply, address);
  }

  /** Renews once for all who ask meanwhile: a refresh token presented twice would end the grant (RFC 9700 §4.14.2). */
  function renew(session: SignedIn): Promise<void> {
    session.renewal ??= service
      .renew(session.person.tokens)
      .then((tokens) => {
        session.person.tokens = tokens;
      })
      .finally(() => {
        delete session.renewal;
      });
    return session.renewal;
  }

  /** Reads the profile, with a new access token if the service refuses the one at hand. */
  async function readProfile(session: SignedIn): Promise<Profile> {
    const { sub, tokens } = session.person;
    try {
      return await service.readProfile(tokens, sub);
    } catch (error) {
      if (!isFailure(error, 'token_refused')) throw error;
      if (session.person.tokens === tokens) await renew(session);
      return await service.readProfile(session.person.tokens, sub);
    }
  }

  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      // the callback's address carries a code: no other site may see it
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    if (request.method === 'POST' && isFromElsewhere(request, settings.baseUrl))
      return page(reply.code(403), plainPage({ ...viewOf(request), signedIn: false }, 'fromElsewhere'));
  });

  for (const name of styles) {
    const style = readFileSync(new URL(`./public/${name}`, import.meta.url), 'utf8');
    app.get(`/${name}`, (_, reply) =>
      reply.type('text/css; charset=utf-8').header('cache-control', 'max-age=300').send(style),
    );
  }

  app.get('/', async (request, reply) => {
    const { lang } = query(request);
    if (isLanguage(lang))
      reply.setCookie(languageCookie, lang, { ...cookieOptions, maxAge: 365 * 24 * 3600 });
    const session = signedInSession(request);
    const view = viewOf(request);
    if (!session) return page(reply, welcomePage(view));
    return page(reply, notebookPage(view, notebooks.open(session.person.sub)));
  });

  app.get('/login', async (request, reply) => {
    const existing = sessionOf(request);
    if (isSignedIn(existing)) return goTo(reply, '/profile');
    const { address, pending } = await service.beginSignIn(viewOf(request).language);
    const session = existing ?? sessions.start();
    sessions.addPending(session, pending);
    sendCookie(reply, session);
    return goTo(reply, address);
  });

  app.get('/callback', async (request, reply) => {
    const session = sessionOf(request);
    if (!session) throw new SignInFailure('session_lost');
    const pending = sessions.takePending(session, query(request).state);
    if (!pending) throw new SignInFailure('state_mismatch');
    const person = await service.finishSignIn(new URL(request.url, settings.baseUrl).search, pending);
    // another tab may have signed in meanwhile: its tokens would be forgotten alive
    if (session.person)
      await service.revoke(session.person.tokens).catch((error: unknown) => warn(request, error));
    session.person = person;
    sessions.rotate(session);
    sendCookie(reply, session);
    return goTo(reply, '/profile');
  });

  app.get('/profile', async (request, reply) => {
    const session = signedInSession(request);
    if (!session) return goTo(reply, '/?message=sign-in-first');
    try {
      const profile = await readProfile(session);
      notebooks.open(profile.sub).ownerName = profile.name;
      return page(reply, profilePage(viewOf(request), profile, session.person.tokens));
    } catch (error) {
      if (isFailure(error, 'grant_ended', 'token_refused')) return leave(reply, session, 'access-ended');
      throw error;
    }
  });

  app.post('/renew', async (request, reply) => {
    const session = signedInSession(request);
    if (!session) return goTo(reply, '/?message=sign-in-first');
    try {
      await renew(session);
      return goTo(reply, '/profile?message=renewed');
    } catch (error) {
      if (isFailure(error, 'grant_ended')) return leave(reply, session, 'access-ended');
      throw error;
    }
  });

  app.post('/logout', async (request, reply) => {
    const session = signedInSession(request);
    if (!session) return goTo(reply, '/');
    // a renewal under way would bring a token that nobody revokes
    await session.renewal?.catch(() => undefined);
    try {
      const { tokens } = session.person;
      await service.revoke(tokens);
      return leaveFor(reply, session, await service.signOutAddress(tokens));
    } catch (error) {
      warn(request, error);
      return leave(reply, session, 'not-revoked');
    }
  });

  // The service sends the browser back here once nobody is signed in there either.
  app.get('/signed-out', (_, reply) => goTo(reply, '/?message=signed-out'));

  app.post('/notes', async (request, reply) => {
    const session = signedInSession(request);
    if (!session) return goTo(reply, '/?message=sign-in-first');
    const { text } = (request.body ?? {}) as Record<string, unknown>;
    if (typeof text === 'string') notebooks.write(session.person.sub, text);
    return goTo(reply, '/');
  });

  app.setNotFoundHandler((request, reply) => {
    return page(reply.code(404), plainPage(viewOf(request), 'notFound'));
  });

  app.setErrorHandler((error: FastifyError | SignInFailure, request, reply) => {
    const view = viewOf(request);
    if (error instanceof SignInFailure) {
      warn(request, error);
      return page(reply.code(error.status), failurePage(view, error.kind));
    }
    const status = error.statusCode ?? 500;
    if (status < 500) return page(reply.code(status), plainPage(view, 'notUnderstood'));
    request.log.error(error);
    return page(reply.code(500), plainPage(view, 'fault'));
  });

  return app;
}

/** Logs paths without their query: the callback's holds a code and a state. */
const quietLogger = {
  serializers: {
    req: (request: { method: string; url: string }) => ({
      method: request.method,
      path: request.url.split('?')[0],
    }),
  },
};

/** Logs a failure by names and messages only: causes may hold tokens. */
function warn(request: FastifyRequest, error: unknown): void {
  const { message, cause } = error instanceof Error ? error : { message: String(error), cause: undefined };
  request.log.warn(
    { failure: message, cause: cause === undefined ? undefined : String(cause) },
    'sign-in service',
  );
}

function isFailure(error: unknown, ...kinds: SignInFailure['kind'][]): boolean {
  return error instanceof SignInFailure && kinds.includes(error.kind);
}

function isSignedIn(session: Session | undefined): session is SignedIn {
  return session?.person !== undefined;
}

/**
 * True for a form sent by another site. Besides the cookie's SameSite=Lax, which lets other ports of the same host
 * through; a request with neither header comes from no browser of today.
 */
function isFromElsewhere(request: FastifyRequest, baseUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin !== undefined) return origin !== baseUrl;
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

function query(request: FastifyRequest): Record<string, unknown> {
  return request.query as Record<string, unknown>;
}

function goTo(reply: FastifyReply, address: string): FastifyReply {
  return reply.redirect(address, 303);
}

function page(reply: FastifyReply, content: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(content);
}
