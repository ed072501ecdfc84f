// Session guard for the pages of signed-in users and administrators.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { isForm, readForm, requireForm } from '../http/parameters.ts';
import { isSafeMethod } from '../http/request.ts';
import { pathOf, withRouteConfig } from '../http/route-config.ts';
import type { Services } from '../http/services.ts';
import { isMailConfigured } from '../mail/delivery.ts';
import { isMfaRequired, isMultiFactor, listAvailableMethods } from '../oauth/authentication-methods.ts';
import { notFound } from '../oauth/errors.ts';
import { findParameterError } from '../oauth/parameters.ts';
import { parseSessionId, type Session, sessionRowExists } from '../store/sessions.ts';
import { findTokenResult } from '../store/used-tokens.ts';
import { activeSessionId, ensureBrowserId, otherSessionIds } from './browser.ts';
import {
  createCsrfToken,
  csrfError,
  deriveHolderId,
  isCsrfToken,
  isSameOrigin,
  requireSameOrigin,
  singleUseFormToken,
} from './csrf.ts';
import { writeFlash } from './flash.ts';
import { buttonLink } from './html/buttons.ts';
import { html } from './html/html.ts';
import { findSignedInAccounts, type SignedInAccount } from './signed-in-accounts.ts';
import { isUpload, registerUploads } from './uploads.ts';

export interface SignedInUser extends Session {
  csrf: string;
  holder: string;
  switching: { csrf: string; others: readonly SignedInAccount[] };
}

/** Fields that aren't restored after the session has expired. */
const UNRESTORED_FIELDS = /password|passkey|secret|^(confirmation_)?code$|^csrf$|^form$/;

const MULTI_VALUE_FIELDS = ['scopes', 'callbacks', 'traits'];

declare module 'fastify' {
  interface FastifyRequest {
    user: Readonly<SignedInUser> | undefined;
  }
}

interface AreaOptions {
  /** Other users get 404. */
  adminOnly?: boolean;
}

/** Only for routes within `registerSignedInRoutes`. */
export function signedInUser(request: FastifyRequest): Readonly<SignedInUser> {
  if (request.user === undefined) throw new Error('The route is not registered by registerSignedInRoutes.');
  return request.user;
}

/**
 * Redirects anonymous users to the sign-in page. Requests other than GET and HEAD must be forms with the session's CSRF
 * token.
 */
export function registerSignedInRoutes(
  app: FastifyInstance,
  services: Services,
  routes: (area: FastifyInstance) => void,
  { adminOnly = false }: AreaOptions = {},
): void {
  withRouteConfig(app, { caller: adminOnly ? 'admin' : 'user' }, (area) => {
    area.decorateRequest('user', undefined);
    // Run before the body is parsed because only signed-in users may send a body.
    area.addHook('onRequest', async (request, reply) => {
      const [session, ...others] = await findSignedInAccounts(request, services, { needsActive: true });
      if (session === undefined)
        return isSafeMethod(request) || !isSameOriginForm(request)
          ? redirectToSignIn(request, reply)
          : undefined;
      if (adminOnly && !session.isAdmin) throw notFound();
      if (adminOnly && isMfaRequired(services.config.mfaPolicy, session) && !isMultiFactor(session.methods))
        return reply.redirect(mfaUrl(session, returnPath(request)), 303);
      if (!isSafeMethod(request)) {
        if (request.routeOptions.config.upload !== true || !isUpload(request)) await requireForm(request);
        requireSameOrigin(request);
      }
      const { id } = session;
      const switching = { csrf: createCsrfToken(services.sealer, ensureBrowserId(reply)), others };
      const csrf = createCsrfToken(services.sealer, id);
      const holder = deriveHolderId(services.sealer, id);
      request.user = Object.freeze({ ...session, csrf, holder, switching });
    });
    area.addHook('preHandler', async (request, reply) => {
      if (request.routeOptions.config.deletes) {
        // An earlier submission may have deleted the subject or the account.
        const earlierResult = await findTokenResult(services.database, singleUseFormToken(request, services));
        if (earlierResult !== undefined) return reply.redirect(earlierResult, 303);
      }
      if (request.user === undefined) {
        await saveEnteredValues(request, reply);
        return redirectToSignIn(request, reply);
      }
      if (!isSafeMethod(request)) {
        const id = activeSessionId(request);
        const form = readForm(request);
        if (!isCsrfToken(services.sealer, form.get('csrf'), [id])) throw csrfError();
        // A malformed field would look empty and erase the stored value.
        const error = findParameterError(form, MULTI_VALUE_FIELDS);
        if (error !== undefined) throw error;
      }
      if (request.routeOptions.config.requiresVerifiedEmail && mustVerifyEmail(services.config, request.user))
        return askToVerifyEmail(request, reply, request.user);
      return undefined;
    });
    registerUploads(area);
    routes(area);
  });

  /** Forms are parsed even if the session has expired, so that their values can be restored. */
  const isSameOriginForm = (request: FastifyRequest): boolean =>
    isForm(request) && isSameOrigin(request) && activeSessionId(request) !== undefined;

  /** Keeps the form's values until the user has signed in again. */
  async function saveEnteredValues(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const id = activeSessionId(request);
    const form = readForm(request);
    if (id === undefined || !isCsrfToken(services.sealer, form.get('csrf'), [id])) return;
    const key = parseSessionId(id);
    if (key === undefined || !(await sessionRowExists(services.database, key))) return;
    const entered = new URLSearchParams(form.entries.filter(([name]) => !UNRESTORED_FIELDS.test(name)));
    writeFlash(reply, services, pathOf(request), { restored: String(entered) }, key.userId);
  }
}

/** An unverified email address may belong to someone else. False if no mail server is configured. */
export const mustVerifyEmail = (
  config: Pick<Config, 'smtpUrl'>,
  { emailVerified }: Pick<Session, 'emailVerified'>,
): boolean => isMailConfigured(config) && !emailVerified;

function askToVerifyEmail(
  request: FastifyRequest,
  reply: FastifyReply,
  { email }: SignedInUser,
): FastifyReply {
  const href = `/account/verify?next=${encodeURIComponent(returnPath(request))}`;
  return reply.page({
    status: isSafeMethod(request) ? 200 : 403,
    title: ({ account }) => account.credentials.verifyFirst.title,
    main: ({ account }) => {
      const text = account.credentials.verifyFirst;
      return html`<h1>${text.title}</h1>
<p class="lead">${text.text(email)}</p>
<p class="actions">${buttonLink({ text: text.action, href })}</p>`;
    },
  });
}

/** Returns the URL to return to after sign-in. For a form submission, this is only the path. */
const returnPath = (request: FastifyRequest): string =>
  isSafeMethod(request) ? request.url : pathOf(request);

function redirectToSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = otherSessionIds(request).length > 0 ? '/accounts' : '/signin';
  return reply.redirect(`${path}?next=${encodeURIComponent(returnPath(request))}`, 303);
}

/** An authenticator app needs a first factor: a password or an identity provider. Other users must set up a passkey. */
export const mfaEnrollmentPath = ({ hasPassword, methods }: Pick<Session, 'hasPassword' | 'methods'>) =>
  hasPassword || methods.includes('idp') ? '/account/security/app' : '/account/security/passkeys/new';

/**
 * Returns the step-up page or, without a second factor, the MFA setup page.
 * @param next the page to return to
 */
export const mfaUrl = (session: Session, next: string): string =>
  `${listAvailableMethods(session).length > 0 ? '/signin/step-up' : mfaEnrollmentPath(session)}?next=${encodeURIComponent(next)}`;
