// Pages of people who are signed in: one door in front of all of them, so that none can forget to close it.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { mayConfirm } from '../accounts/limits.ts';
import type { Config } from '../config.ts';
import { confirmByPasskey } from '../credentials/passkeys.ts';
import { recoveryCodeHash } from '../credentials/recovery-codes.ts';
import { checkCode } from '../credentials/second-factor.ts';
import { type Attempting, checkPassword, type UserWithPassword } from '../credentials/sign-in.ts';
import { logPasskeyRefusal, type PasskeyRefusal, relyingPartyOf } from '../credentials/webauthn.ts';
import { withoutSlot } from '../http/overload.ts';
import { formOf, isForm, requireForm } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { addressOf } from '../http/rate-limit.ts';
import { isSafe } from '../http/request.ts';
import { areaFor, pathOf } from '../http/route-config.ts';
import { mailConfigured } from '../mail/mailer.ts';
import { isDemandedOf, isStrong, type Method, meansOf } from '../oauth/authentication-methods.ts';
import { sessionDigest } from '../oauth/digests.ts';
import { notFound } from '../oauth/errors.ts';
import { RECENT_SIGN_IN } from '../oauth/lifetimes.ts';
import { faultOf } from '../oauth/parameters.ts';
import { findSessionOwner, renewAuthTime, type Session } from '../store/sessions.ts';
import { countReceivedOffers } from '../store/transfer-offers.ts';
import { type AccountHere, accountsHere } from './accounts-here.ts';
import { ensureBrowserId, otherSessionIdsOf, sessionIdOf } from './browser.ts';
import { csrfToken, formRefused, holderOf, isCsrfToken, isOwnOrigin, requireOwnOrigin } from './csrf.ts';
import { writeFlash } from './flash.ts';
import { verifyFirstView } from './html/verify-first.ts';
import { isUpload, readUploads } from './uploads.ts';

export interface Member extends Session {
  /** How many applications are on offer to them, where it is a page that is asked for. */
  offers: { applications: number; apis: number };
  /** The token that every form of this page carries. */
  csrf: string;
  /** The session, for what is sealed for it. */
  holder: string;
  /** The other accounts that are signed in in this browser, and the token of the form that switches to them. */
  switching: { csrf: string; others: readonly AccountHere[] };
}

/** Passwords, codes and passkeys, and what belongs to the session that has ended. */
const NOT_KEPT = /password|passkey|^(confirmation_)?code$|^csrf$|^form$/;

/** The fields of which our own pages send several: boxes to tick. */
const TICKED = ['scopes', 'callbacks', 'traits'];

declare module 'fastify' {
  interface FastifyRequest {
    member: Readonly<Member> | undefined;
  }
}

/** Who is signed in; only for routes within `memberArea`. */
export function memberOf(request: FastifyRequest): Readonly<Member> {
  if (request.member === undefined) throw new Error('the route is not in a member area');
  return request.member;
}

/**
 * Registers routes that only people who are signed in get to. Others are sent to sign in and come back to the same
 * address. Whatever is not a GET or HEAD has to be a form of our own page in this session; where the route's config says
 * `upload` it may bring a file (web/uploads.ts: `fileOf`).
 * @param operators whether only operators get in; for everybody else there is nothing there
 */
export function memberArea(
  app: FastifyInstance,
  parts: Parts,
  routes: (area: FastifyInstance) => void,
  { operators = false } = {},
): void {
  areaFor(app, { caller: operators ? 'operator' : 'member' }, (area) => {
    area.decorateRequest('member', undefined);
    // Before a body is read: strangers send none, and only pages that ask for a file get one.
    area.addHook('onRequest', async (request, reply) => {
      const [session, ...others] = await accountsHere(request, parts);
      if (!session?.active)
        return isSafe(request) || !isOurForm(request) ? askToSignIn(request, reply) : undefined;
      if (operators && !session.operator) throw notFound();
      if (operators && isDemandedOf(parts.config.secondFactor, session) && !isStrong(session.methods))
        return reply.redirect(moreAddress(session, isSafe(request) ? request.url : pathOf(request)), 303);
      if (!isSafe(request)) {
        if (request.routeOptions.config.upload !== true || !isUpload(request)) await requireForm(request);
        requireOwnOrigin(request);
      }
      const { id } = session;
      const switching = { csrf: csrfToken(parts.sealer, ensureBrowserId(reply)), others };
      const csrf = csrfToken(parts.sealer, id);
      const holder = holderOf(parts.sealer, id);
      const offers =
        isSafe(request) && !mustVerifyEmail(parts.config, session)
          ? await countReceivedOffers(parts.database, session.userId, parts.now())
          : { applications: 0, apis: 0 };
      request.member = Object.freeze({ ...session, offers, csrf, holder, switching });
    });
    area.addHook('preHandler', async (request, reply) => {
      if (request.member === undefined) {
        await keepUnsent(request, reply);
        return askToSignIn(request, reply);
      }
      if (!isSafe(request)) {
        const id = sessionIdOf(request);
        const form = formOf(request);
        if (!isCsrfToken(parts.sealer, form.get('csrf'), [id])) throw formRefused();
        // A field that cannot be read is not an empty one: taken for that, it would erase what is there.
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

  /** A form of a session that has ended is read all the same, to keep what was typed. */
  const isOurForm = (request: FastifyRequest): boolean =>
    isForm(request) && isOwnOrigin(request) && sessionIdOf(request) !== undefined;

  /** Leaves a form whose session has ended for its page, until its user has signed in again. */
  async function keepUnsent(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const id = sessionIdOf(request);
    const form = formOf(request);
    if (id === undefined || !isCsrfToken(parts.sealer, form.get('csrf'), [id])) return;
    const userId = await findSessionOwner(parts.database, sessionDigest(id));
    if (userId === undefined) return;
    const unsent = new URLSearchParams(form.entries.filter(([name]) => !NOT_KEPT.test(name)));
    writeFlash(reply, parts, pathOf(request), { unsent: String(unsent) }, userId);
  }
}

/**
 * Whether an account has to verify its email address before it gets credentials, applications or APIs, or sees what others offer it. Anybody can sign up
 * with somebody else's address, so what was set up before is not the owner's. Never where no mail server is set up.
 */
export const mustVerifyEmail = (
  config: Pick<Config, 'smtpUrl'>,
  { emailVerified }: Pick<Session, 'emailVerified'>,
): boolean => mailConfigured(config) && !emailVerified;

/** Shows, in place of a page that takes a verified email address, how to verify it and come back. */
function askToVerifyEmail(request: FastifyRequest, reply: FastifyReply, { email }: Member): FastifyReply {
  const next = isSafe(request) ? request.url : pathOf(request);
  return reply.page({
    status: isSafe(request) ? 200 : 403,
    title: ({ account }) => account.credentials.verifyFirst.title,
    main: (messages) => verifyFirstView(messages, email, next),
  });
}

/** Leads to sign-in, or to the choice among the browser's other accounts, and back to the page. */
function askToSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const next = isSafe(request) ? request.url : pathOf(request);
  const entrance = otherSessionIdsOf(request).length > 0 ? '/accounts' : '/signin';
  return reply.redirect(`${entrance}?next=${encodeURIComponent(next)}`, 303);
}

/** Whether a text is the address of an agent's request that waits for somebody to sign in (web/arriving-agent.ts). */
export const isArrivalAddress = (text: string): boolean =>
  /^\/oauth\/authorize\?agent=[A-Za-z0-9_-]+$/.test(text);

/**
 * Whether a text is an address behind the door, or that of an agent's request which waits for somebody to sign in: the only
 * places that signing in may lead to by their address.
 */
export const isMemberAddress = (text: string): boolean =>
  isArrivalAddress(text) ||
  (/^\/(account|console|device)(\/[A-Za-z0-9_~.%/-]*)?(\?[\x21-\x7e]*)?$/.test(text) &&
    !/[\\#]|\/\/|\/(\.|%2e){1,2}(\/|$|\?)/i.test(text)); // browsers read an encoded dot as a dot

/** Where a second factor is set up first: without a password only a passkey is one. */
export const enrolmentPath = ({ hasPassword }: Pick<Session, 'hasPassword'>) =>
  hasPassword ? '/account/security/app' : '/account/security/passkeys/new';

/** Where whoever is signed in shows a second factor, or sets one up first, and comes back to an address of ours. */
export const moreAddress = (session: Session, next: string): string =>
  `${meansOf(session).length > 0 ? '/signin/step-up' : enrolmentPath(session)}?next=${encodeURIComponent(next)}`;

/** Whether an account has more than its password, so that the password alone confirms nothing (D40). */
export const hasMore = (session: Pick<Session, 'hasPassword' | 'asksForCode' | 'passkeyMethods'>): boolean =>
  meansOf(session).length > 0;

/**
 * Whether the person showed as many factors as their account has, all of it within the last 15 minutes: a code added to a password of
 * long ago is not (D40; why password and code do where there is a passkey: ADR 14).
 */
export const isRecent = (session: Session, now: Date): boolean =>
  now.getTime() - session.fullyProvenAt.getTime() <= RECENT_SIGN_IN * 1000 &&
  (!hasMore(session) ||
    isStrong(session.methods) ||
    // Who has lost their passkeys and has no password mends it by a recovery code (D43).
    (!session.hasPassword && session.methods.includes('otp')));

/** What is wrong with a proof: at which field, and which of `problems` says it. */
export type ProofFault =
  | 'passwordMissing'
  | 'passwordWrong'
  | 'codeMissing'
  | 'codeWrong'
  | 'codesTried'
  | 'passkeyWrong';

/** The field that a proof is wrong at (web/html/form.ts: `confirmationField`). */
export function fieldOfProof(fault: ProofFault): string {
  if (fault === 'passkeyWrong') return 'confirmation_passkey';
  return fault.startsWith('code') ? 'confirmation_code' : 'current_password';
}

/** What a session has shown, and when all that its account has was shown last. */
export type Authentication = Readonly<Pick<Session, 'methods' | 'fullyProvenAt'>>;

/**
 * Re-authenticates the signed-in user for a form that touches secrets or the account itself. A recent sign-in is enough.
 * Else the form brings a passkey in `confirmation_passkey`, or the password in `current_password` and, with MFA, a code in
 * `confirmation_code` (web/html/form.ts: `confirmationField`). That counts as a new sign-in of the session.
 * @returns what the session has shown from now on, or what is wrong with the form. `request.member` stays as it was.
 * @throws OAuthError `temporarily_unavailable` as signing in does
 */
export async function reauthenticate(
  request: FastifyRequest,
  parts: Parts,
): Promise<Authentication | ProofFault> {
  const member = memberOf(request);
  if (isRecent(member, parts.now())) return member;
  const methods = await provedIn(request, parts);
  if (typeof methods === 'string') return methods;
  const fullyProvenAt = parts.now();
  await renewAuthTime(parts.database, member.idHash, methods, fullyProvenAt);
  return { methods: [...methods], fullyProvenAt };
}

async function provedIn(request: FastifyRequest, parts: Parts): Promise<readonly Method[] | ProofFault> {
  const member = memberOf(request);
  const form = formOf(request);
  const answer = form.get('confirmation_passkey');
  if (answer !== undefined) {
    const method = await ownPasskey(request, parts, answer);
    if (typeof method === 'string') return [method];
    logPasskeyRefusal(request.log, method);
    return 'passkeyWrong';
  }
  const password = form.get('current_password');
  const code = form.get('confirmation_code');
  if (!member.hasPassword) return provedByCode(request, parts, code);
  if (password === undefined) return 'passwordMissing';
  if (hasMore(member) && code === undefined) return 'codeMissing';
  if ((await ownPassword(request, parts, password)) === undefined) return 'passwordWrong';
  if (!hasMore(member)) return ['pwd'];
  const checked = await ownCode(request, parts, code ?? '');
  if (checked === 'used') return ['pwd', 'otp'];
  return checked === 'wrong' ? 'codeWrong' : 'codesTried';
}

/** A recovery code, where there is no password: a code of the app alone confirms nothing. */
async function provedByCode(
  request: FastifyRequest,
  parts: Parts,
  code: string | undefined,
): Promise<readonly Method[] | ProofFault> {
  if (code === undefined) return 'codeMissing';
  if (recoveryCodeHash(memberOf(request).userId, code) === undefined) return 'codeWrong';
  const checked = await ownCode(request, parts, code);
  if (checked === 'used') return ['otp'];
  return checked === 'wrong' ? 'codeWrong' : 'codesTried';
}

/** Verifies a passkey of the signed-in user. @returns its method, or why it is refused */
async function ownPasskey(
  request: FastifyRequest,
  parts: Parts,
  answer: string,
): Promise<Method | PasskeyRefusal> {
  const { userId, holder } = memberOf(request);
  const rp = relyingPartyOf(parts.config);
  const showing = { userId, answer, holders: [holder], address: addressOf(request) };
  return rp === undefined
    ? { refused: 'no passkeys at an IP address' }
    : confirmByPasskey(parts, { rp, ...showing }, parts.now());
}

/** Uses up a code of whoever is signed in: of their app, or a recovery code. */
const ownCode = (request: FastifyRequest, parts: Parts, code: string): ReturnType<typeof checkCode> => {
  const { userId } = memberOf(request);
  return checkCode(parts, { userId, code }, withinSession(request), parts.now);
};

const withinSession = (request: FastifyRequest): Attempting => ({
  address: addressOf(request),
  known: { session: memberOf(request).idHash },
  aside: (wait) => withoutSlot(request, wait),
});

/**
 * Checks the password of whoever is signed in.
 * @returns the account and the hash that it was verified against, or undefined
 * @throws OAuthError `temporarily_unavailable` as signing in does
 */
export async function ownPassword(
  request: FastifyRequest,
  parts: Parts,
  password: string,
): Promise<UserWithPassword | undefined> {
  const { userId, email, idHash } = memberOf(request);
  // Wrong without a look, as where too many are held back (D60): signing in again is the way on.
  if (!(await mayConfirm(parts, idHash, parts.now()))) return undefined;
  const user = await checkPassword(parts, { email, password }, withinSession(request), parts.now);
  return user?.userId === userId ? user : undefined;
}
