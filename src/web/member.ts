// Session guard of the pages for signed-in users.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { formOf, isForm, requireForm } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { isSafe } from '../http/request.ts';
import { areaFor, pathOf } from '../http/route-config.ts';
import { mailConfigured } from '../mail/mailer.ts';
import { isDemandedOf, isStrong, meansOf } from '../oauth/authentication-methods.ts';
import { notFound } from '../oauth/errors.ts';
import { faultOf } from '../oauth/parameters.ts';
import { type Session, sessionKeyOf, wasSession } from '../store/sessions.ts';
import { findDestination } from '../store/spent-tokens.ts';
import { type AccountHere, accountsHere } from './accounts-here.ts';
import { ensureBrowserId, otherSessionIdsOf, sessionIdOf } from './browser.ts';
import {
  csrfToken,
  formRefused,
  holderOf,
  isCsrfToken,
  isOwnOrigin,
  oneUse,
  requireOwnOrigin,
} from './csrf.ts';
import { writeFlash } from './flash.ts';
import { buttonLink } from './html/form.ts';
import { html } from './html/html.ts';
import { isUpload, readUploads } from './uploads.ts';

export interface Member extends Session {
  /** The CSRF token of this page's forms. */
  csrf: string;
  /** Names the session in what is sealed for it. */
  holder: string;
  /** The other accounts that are signed in in this browser, and the token of the form that switches to them. */
  switching: { csrf: string; others: readonly AccountHere[] };
}

/** Fields of a late form that are not kept. */
const NOT_KEPT = /password|passkey|^(confirmation_)?code$|^csrf$|^form$/;

/** Checkboxes, which may be sent several times. */
const TICKED = ['scopes', 'callbacks', 'traits'];

declare module 'fastify' {
  interface FastifyRequest {
    member: Readonly<Member> | undefined;
  }
}

/** The signed-in user of a route within `memberArea`. */
export function memberOf(request: FastifyRequest): Readonly<Member> {
  if (request.member === undefined) throw new Error('the route is not in a member area');
  return request.member;
}

/**
 * Registers routes for signed-in users. Others sign in first and come back. Anything but GET and HEAD has to be a form of our
 * own page in this session; with `upload` in the route's config it may bring a file.
 * @param operators whether only administrators have access; others get 404
 */
export function memberArea(
  app: FastifyInstance,
  parts: Parts,
  routes: (area: FastifyInstance) => void,
  { operators = false } = {},
): void {
  areaFor(app, { caller: operators ? 'operator' : 'member' }, (area) => {
    area.decorateRequest('member', undefined);
    // Before the body is read: only signed-in users may send one.
    area.addHook('onRequest', async (request, reply) => {
      const [session, ...others] = await accountsHere(request, parts, { needsActive: true });
      if (session === undefined)
        return isSafe(request) || !isOurForm(request) ? askToSignIn(request, reply) : undefined;
      if (operators && !session.operator) throw notFound();
      if (operators && isDemandedOf(parts.config.secondFactor, session) && !isStrong(session.methods))
        return reply.redirect(moreAddress(session, returnPath(request)), 303);
      if (!isSafe(request)) {
        if (request.routeOptions.config.upload !== true || !isUpload(request)) await requireForm(request);
        requireOwnOrigin(request);
      }
      const { id } = session;
      const switching = { csrf: csrfToken(parts.sealer, ensureBrowserId(reply)), others };
      const csrf = csrfToken(parts.sealer, id);
      const holder = holderOf(parts.sealer, id);
      request.member = Object.freeze({ ...session, csrf, holder, switching });
    });
    area.addHook('preHandler', async (request, reply) => {
      if (request.routeOptions.config.deletes) {
        // What the form is about, even the account, may have been deleted by its first use.
        const first = await findDestination(parts.database, oneUse(request, parts));
        if (first !== undefined) return reply.redirect(first, 303);
      }
      if (request.member === undefined) {
        await keepUnsent(request, reply);
        return askToSignIn(request, reply);
      }
      if (!isSafe(request)) {
        const id = sessionIdOf(request);
        const form = formOf(request);
        if (!isCsrfToken(parts.sealer, form.get('csrf'), [id])) throw formRefused();
        // Taken for empty, an unreadable field would erase a value.
        const fault = faultOf(form, TICKED);
        if (fault !== undefined) throw fault;
      }
      if (request.routeOptions.config.verifiedEmail && mustVerifyEmail(parts.config, request.member))
        return askToVerifyEmail(request, reply, request.member);
      return undefined;
    });
    readUploads(area);
    routes(area);
  });

  /** A form of an expired session is read, to keep what was typed. */
  const isOurForm = (request: FastifyRequest): boolean =>
    isForm(request) && isOwnOrigin(request) && sessionIdOf(request) !== undefined;

  /** Leaves a form whose session has ended for its page, until its user has signed in again. */
  async function keepUnsent(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const id = sessionIdOf(request);
    const form = formOf(request);
    if (id === undefined || !isCsrfToken(parts.sealer, form.get('csrf'), [id])) return;
    const key = sessionKeyOf(id);
    if (key === undefined || !(await wasSession(parts.database, key))) return;
    const unsent = new URLSearchParams(form.entries.filter(([name]) => !NOT_KEPT.test(name)));
    writeFlash(reply, parts, pathOf(request), { unsent: String(unsent) }, key.userId);
  }
}

/**
 * Whether an account has to verify its email address before it gets credentials, applications or APIs: anybody can sign up
 * with somebody else's address. Never without a mail server.
 */
export const mustVerifyEmail = (
  config: Pick<Config, 'smtpUrl'>,
  { emailVerified }: Pick<Session, 'emailVerified'>,
): boolean => mailConfigured(config) && !emailVerified;

/** Shows how to verify the email address, in place of a page that needs that. */
function askToVerifyEmail(request: FastifyRequest, reply: FastifyReply, { email }: Member): FastifyReply {
  const href = `/account/verify?next=${encodeURIComponent(returnPath(request))}`;
  return reply.page({
    status: isSafe(request) ? 200 : 403,
    title: ({ account }) => account.credentials.verifyFirst.title,
    main: ({ account }) => {
      const text = account.credentials.verifyFirst;
      return html`<h1>${text.title}</h1>
<p class="lead">${text.text(email)}</p>
<p class="actions">${buttonLink({ text: text.action, href })}</p>`;
    },
  });
}

/** Where signing in leads back to. */
const returnPath = (request: FastifyRequest): string => (isSafe(request) ? request.url : pathOf(request));

/** Leads to sign-in, or to the choice among the browser's other accounts. */
function askToSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = otherSessionIdsOf(request).length > 0 ? '/accounts' : '/signin';
  return reply.redirect(`${path}?next=${encodeURIComponent(returnPath(request))}`, 303);
}

/** Where MFA is set up: without a password, only a passkey counts. */
export const enrolmentPath = ({ hasPassword }: Pick<Session, 'hasPassword'>) =>
  hasPassword ? '/account/security/app' : '/account/security/passkeys/new';

/** URL to show a second factor, or to set one up first. @param next the page that it returns to */
export const moreAddress = (session: Session, next: string): string =>
  `${meansOf(session).length > 0 ? '/signin/step-up' : enrolmentPath(session)}?next=${encodeURIComponent(next)}`;
