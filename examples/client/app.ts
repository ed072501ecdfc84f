// Routes, session cookie and error pages of the example client.
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
  errorPage,
  failurePage,
  type Message,
  notebookPage,
  profilePage,
  type View,
  welcomePage,
} from './pages.ts';
import { createService, type Profile } from './service.ts';
import { createSessions, type Session } from './sessions.ts';
import type { ClientSettings } from './settings.ts';
import { isLanguage, preferredLanguage } from './texts.ts';

type SignedInSession = Session & { user: NonNullable<Session['user']> };

const stylesheets = ['carnet.css'];

/** `${settings.baseUrl}/callback` must be a registered redirect URI. */
export async function buildClient(settings: ClientSettings): Promise<FastifyInstance> {
  const app = fastify({
    logger: settings.logger ? loggerOptions : false,
    bodyLimit: 16_384,
    // Called for URLs that Fastify can't decode.
    frameworkErrors: (_error, request, reply) => {
      const language = preferredLanguage(request.headers['accept-language']);
      const view = { settings, language, signedIn: false };
      sendPage((reply as FastifyReply).code(400), errorPage(view, 'badUrl'));
    },
  });
  const service = createService(settings);
  const sessions = createSessions();
  const notebooks = createNotebooks();

  const secure = settings.baseUrl.startsWith('https:');
  const cookieName = secure ? '__Host-carnet' : 'carnet';
  const languageCookie = 'carnet-language';
  const contentSecurityPolicy = [
    "default-src 'none'",
    `style-src 'self' ${settings.issuer}/button.css`,
    `img-src ${settings.issuer} https: data:`,
    // The sign-out form redirects to the service. Browsers also apply form-action to redirects.
    `form-action 'self' ${settings.issuer}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

  await app.register(cookie);
  await app.register(formbody);

  function findSession(request: FastifyRequest): Session | undefined {
    return sessions.find(request.cookies[cookieName]);
  }

  function findSignedInSession(request: FastifyRequest): SignedInSession | undefined {
    const session = findSession(request);
    return isSignedIn(session) ? session : undefined;
  }

  const cookieOptions = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;

  function buildView(request: FastifyRequest): View {
    const { lang, message } = getQuery(request);
    const selected = [lang, request.cookies[languageCookie]].find(isLanguage);
    const language = selected ?? preferredLanguage(request.headers['accept-language']);
    const signedIn = findSignedInSession(request) !== undefined;
    return { settings, language, signedIn, messageKey: typeof message === 'string' ? message : undefined };
  }

  function sendCookie(reply: FastifyReply, session: Session): void {
    reply.setCookie(cookieName, session.id, cookieOptions);
  }

  function endSessionWithMessage(reply: FastifyReply, session: Session, message: Message): FastifyReply {
    return endSession(reply, session, `/?message=${message}`);
  }

  function endSession(reply: FastifyReply, session: Session, url: string): FastifyReply {
    sessions.end(session);
    reply.clearCookie(cookieName, cookieOptions);
    return redirect(reply, url);
  }

  /** Concurrent requests share one token refresh. Reusing a refresh token revokes the grant (RFC 9700 §4.14.2). */
  function refreshTokens(session: SignedInSession): Promise<void> {
    session.refresh ??= service
      .refresh(session.user.tokens)
      .then((tokens) => {
        session.user.tokens = tokens;
      })
      .finally(() => {
        delete session.refresh;
      });
    return session.refresh;
  }

  async function readProfile(session: SignedInSession): Promise<Profile> {
    const { sub, tokens } = session.user;
    try {
      return await service.readProfile(tokens, sub);
    } catch (error) {
      if (!isFailure(error, 'token_refused')) throw error;
      if (session.user.tokens === tokens) await refreshTokens(session);
      return await service.readProfile(session.user.tokens, sub);
    }
  }

  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'content-security-policy': contentSecurityPolicy,
      'x-content-type-options': 'nosniff',
      // The callback URL contains the code, which other sites must not receive.
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    if (request.method === 'POST' && isCrossSite(request, settings.baseUrl))
      return sendPage(reply.code(403), errorPage({ ...buildView(request), signedIn: false }, 'crossSite'));
  });

  for (const name of stylesheets) {
    const style = readFileSync(new URL(`./public/${name}`, import.meta.url), 'utf8');
    app.get(`/${name}`, (_, reply) =>
      reply.type('text/css; charset=utf-8').header('cache-control', 'max-age=300').send(style),
    );
  }

  app.get('/', async (request, reply) => {
    const { lang } = getQuery(request);
    if (isLanguage(lang))
      reply.setCookie(languageCookie, lang, { ...cookieOptions, maxAge: 365 * 24 * 3600 });
    const session = findSignedInSession(request);
    const view = buildView(request);
    if (!session) return sendPage(reply, welcomePage(view));
    return sendPage(reply, notebookPage(view, notebooks.getOrCreate(session.user.sub)));
  });

  app.get('/login', async (request, reply) => {
    const existing = findSession(request);
    if (isSignedIn(existing)) return redirect(reply, '/profile');
    const { url, pending } = await service.beginSignIn(buildView(request).language);
    const session = existing ?? sessions.start();
    sessions.addPending(session, pending);
    sendCookie(reply, session);
    return redirect(reply, url);
  });

  app.get('/callback', async (request, reply) => {
    const session = findSession(request);
    if (!session) throw new SignInFailure('session_lost');
    const pending = sessions.takePending(session, getQuery(request).state);
    if (!pending) throw new SignInFailure('state_mismatch');
    const user = await service.finishSignIn(new URL(request.url, settings.baseUrl).search, pending);
    // Revoke the tokens of another tab's sign-in, because the new tokens replace them.
    if (session.user)
      await service.revoke(session.user.tokens).catch((error: unknown) => warn(request, error));
    session.user = user;
    sessions.rotate(session);
    sendCookie(reply, session);
    return redirect(reply, '/profile');
  });

  app.get('/profile', async (request, reply) => {
    const session = findSignedInSession(request);
    if (!session) return redirect(reply, '/?message=sign-in-first');
    try {
      const profile = await readProfile(session);
      notebooks.getOrCreate(profile.sub).ownerName = profile.name;
      return sendPage(reply, profilePage(buildView(request), profile, session.user.tokens));
    } catch (error) {
      if (isFailure(error, 'grant_ended', 'token_refused'))
        return endSessionWithMessage(reply, session, 'access-ended');
      throw error;
    }
  });

  app.post('/renew', async (request, reply) => {
    const session = findSignedInSession(request);
    if (!session) return redirect(reply, '/?message=sign-in-first');
    try {
      await refreshTokens(session);
      return redirect(reply, '/profile?message=renewed');
    } catch (error) {
      if (isFailure(error, 'grant_ended')) return endSessionWithMessage(reply, session, 'access-ended');
      throw error;
    }
  });

  app.post('/logout', async (request, reply) => {
    const session = findSignedInSession(request);
    if (!session) return redirect(reply, '/');
    // Wait for a token refresh so that the new refresh token is also revoked.
    await session.refresh?.catch(() => undefined);
    try {
      const { tokens } = session.user;
      await service.revoke(tokens);
      return endSession(reply, session, await service.buildLogoutUrl(tokens));
    } catch (error) {
      warn(request, error);
      return endSessionWithMessage(reply, session, 'not-revoked');
    }
  });

  app.get('/signed-out', (_, reply) => redirect(reply, '/?message=signed-out'));

  app.post('/notes', async (request, reply) => {
    const session = findSignedInSession(request);
    if (!session) return redirect(reply, '/?message=sign-in-first');
    const { text } = (request.body ?? {}) as Record<string, unknown>;
    if (typeof text === 'string') notebooks.write(session.user.sub, text);
    return redirect(reply, '/');
  });

  app.setNotFoundHandler((request, reply) => {
    return sendPage(reply.code(404), errorPage(buildView(request), 'notFound'));
  });

  app.setErrorHandler((error: FastifyError | SignInFailure, request, reply) => {
    const view = buildView(request);
    if (error instanceof SignInFailure) {
      warn(request, error);
      return sendPage(reply.code(error.status), failurePage(view, error.kind));
    }
    const status = error.statusCode ?? 500;
    if (status < 500) return sendPage(reply.code(status), errorPage(view, 'badRequest'));
    request.log.error(error);
    return sendPage(reply.code(500), errorPage(view, 'internalError'));
  });

  return app;
}

/** The callback's query contains the code and state. */
const loggerOptions = {
  serializers: {
    req: (request: { method: string; url: string }) => ({
      method: request.method,
      path: request.url.split('?')[0],
    }),
  },
};

/** The cause's properties may contain tokens, so they aren't logged. */
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

function isSignedIn(session: Session | undefined): session is SignedInSession {
  return session?.user !== undefined;
}

/**
 * SameSite=Lax isn't sufficient because all ports of a host share cookies.
 * Browsers send `Origin`, `Sec-Fetch-Site`, or both.
 */
function isCrossSite(request: FastifyRequest, baseUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin !== undefined) return origin !== baseUrl;
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

function getQuery(request: FastifyRequest): Record<string, unknown> {
  return request.query as Record<string, unknown>;
}

function redirect(reply: FastifyReply, url: string): FastifyReply {
  return reply.redirect(url, 303);
}

function sendPage(reply: FastifyReply, content: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(content);
}
