// GET and POST /signin.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isEmail } from '../../accounts/account-fields.ts';
import { ByMail, type SignInParts, signIn } from '../../credentials/sign-in.ts';
import { formOf, queryOf, requireForm } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { browserIdsOf, ensureBrowserId, sessionOf } from '../../web/browser.ts';
import { answerRefusal } from '../../web/callback.ts';
import { csrfToken, formRefused, isCsrfToken, requireOwnOrigin } from '../../web/csrf.ts';
import {
  attemptingOf,
  destinationOf,
  enter,
  entranceAddress,
  type Onward,
  onwardOf,
  originOf,
  sendOn,
} from '../../web/entering.ts';
import { type Fault, inWords } from '../../web/faults.ts';
import { noticeSignIn } from '../../web/known-browsers.ts';
import { sendPage } from '../../web/page.ts';
import { leadToMail } from './by-mail.ts';
import { signInView } from './sign-in-view.ts';

/** Its form stands on every page by which one can enter (web/html/entrance.ts). */
const CANCEL = '/signin/cancel';

type FormFault = Fault<'email' | 'password'>;

export function signInPage(app: FastifyInstance, parts: Parts): void {
  const signInParts: SignInParts = { ...parts, sessionLifetime: parts.config.sessionTtl };

  app.get('/signin', async (request, reply) => {
    const onward = await onwardOf(request, reply, parts, queryOf(request));
    if (onward.page === undefined && (await sessionOf(request, parts)) !== undefined)
      return sendOn(reply, onward);
    return show(request, reply, onward, { email: onward.page?.pending.request.loginHint ?? '' });
  });

  app.post('/signin', { preHandler: requireForm }, async (request, reply) => {
    requireOwnOrigin(request, parts.config.baseUrl);
    const form = formOf(request);
    const onward = await onwardOf(request, reply, parts, form);
    const email = form.get('email')?.trim() ?? '';
    const password = form.get('password');
    const fault = formFault();
    if (fault !== undefined) return show(request, reply, onward, { email, ...fault });

    const session = await signIn(
      signInParts,
      { email, password: password ?? '' },
      attemptingOf(request, parts),
      originOf(request, parts),
      parts.now,
    );
    if (session === undefined)
      return show(request, reply, onward, {
        email,
        status: 401,
        faults: [{ text: (messages) => messages.problems.wrongCredentials }],
      });
    if (session instanceof ByMail)
      return leadToMail(request, reply, parts, { userId: session.user?.userId, email }, onward);
    await noticeSignIn(request, reply, parts, session);
    return enter(reply, parts, session.id, onward);

    function formFault(): { status: number; faults: FormFault[] } | undefined {
      if (!isCsrfToken(parts.sealer, form.get('csrf'), browserIdsOf(request, parts)))
        return { status: 403, faults: [{ text: (messages) => messages.problems.formExpired }] };
      const faults: FormFault[] = [];
      if (!isEmail(email))
        faults.push({ field: 'email', text: (messages) => messages.problems.emailInvalid });
      if (password === undefined)
        faults.push({ field: 'password', text: (messages) => messages.problems.passwordRequired });
      return faults.length === 0 ? undefined : { status: 400, faults };
    }
  });

  // Whoever does not want to sign in goes back to the application that sent them, by a press of their own: a GET would
  // be fetched ahead by programs. Where it leads is sealed for this browser, and looked up again (D8).
  app.post(CANCEL, { preHandler: requireForm }, async (request, reply) => {
    requireOwnOrigin(request, parts.config.baseUrl);
    const form = formOf(request);
    const { page } = await onwardOf(request, reply, parts, form);
    if (!isCsrfToken(parts.sealer, form.get('csrf'), browserIdsOf(request, parts))) throw formRefused();
    if (page === undefined) return reply.redirect('/', 303);
    const { request: authorization } = page.pending;
    return answerRefusal(request, reply, parts, authorization, 'The person went back without signing in.');
  });
  app.get(CANCEL, async (_request, reply) => reply.redirect('/', 303));

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    onward: Onward,
    { email, status = 200, faults = [] }: { email: string; status?: number; faults?: FormFault[] },
  ): FastifyReply {
    const { page, next } = onward;
    const csrf = csrfToken(parts.sealer, ensureBrowserId(request, reply, parts));
    return sendPage(request, reply, parts, {
      status,
      title: (messages) => messages.signIn.title,
      hasErrors: faults.length > 0,
      pending: page && { sealed: page.sealed, uiLocales: page.pending.request.uiLocales },
      next,
      main: (messages) =>
        signInView({
          messages,
          csrf,
          pending: page?.sealed,
          next,
          application: page && destinationOf(page),
          email,
          errors: inWords(faults, messages),
          forgotHref: entranceAddress('/password/forgot', onward),
          signUpHref: parts.config.signUpOpen ? entranceAddress('/signup', onward) : undefined,
        }),
    });
  }
}
