// /signin, and /signin/cancel.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isEmail } from '../../accounts/account-fields.ts';
import { ByMail, HalfSignedIn, signIn } from '../../credentials/sign-in.ts';
import { formOf, requireForm } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { readEmail } from '../../oauth/email.ts';
import { requireOpenForm } from '../../web/asking.ts';
import { sessionIdOf } from '../../web/browser.ts';
import { answerRefusal } from '../../web/callback.ts';
import { type Fault, suspendedFault } from '../../web/faults.ts';
import { noticeSignIn } from '../../web/known-browsers.ts';
import {
  addAccountUrl,
  addsAccount,
  attemptingOf,
  backLink,
  destinationOf,
  finishPasswordLogin,
  loginByPasskey,
  loginPage,
  originOf,
  secondFactorUrl,
  typedEmail,
  withTyped,
} from '../../web/login.ts';
import { offering, signInOptions } from '../../web/passkeys.ts';
import { stepOf } from '../../web/pending.ts';
import { loginUrl, parseReturnTo, type ReturnTo, returnFields } from '../../web/return-to.ts';
import { leadToMail } from './by-mail.ts';
import { signInView } from './sign-in-view.ts';

/** Its form stands on every page by which one can enter (web/html/entrance.ts). */
const CANCEL = '/signin/cancel';

export function signInPage(app: FastifyInstance, parts: Parts): void {
  app.formPage({
    url: '/signin',
    ...loginPage(parts, '/signin'),
    begin: ({ page }, request) => ({
      email: typedEmail(request, parts) ?? page?.pending.request.loginHint ?? againAs(page) ?? '',
    }),
    read: (form) => ({ email: readEmail(form.get('email')) }),
    faults({ request, fields: { email } }) {
      if (formOf(request).get('passkey') !== undefined) return [];
      const faults: Fault[] = [];
      if (!isEmail(email)) faults.push({ field: 'email', text: ({ problems }) => problems.emailInvalid });
      if (formOf(request).get('password') === undefined)
        faults.push({ field: 'password', text: ({ problems }) => problems.passwordRequired });
      return faults;
    },
    async act({ request, reply, about: returnTo, fields: { email } }) {
      if (formOf(request).get('passkey') !== undefined)
        return loginByPasskey(request, reply, parts, returnTo);
      const session = await signIn(
        parts,
        { email, password: formOf(request).get('password') ?? '' },
        attemptingOf(request, parts),
        originOf(request),
        parts.now,
      );
      if (session === undefined)
        return { status: 401, faults: [{ text: ({ problems }) => problems.wrongCredentials }] };
      if (session === 'suspended') return { status: 403, faults: [suspendedFault(parts.config)] };
      if (session instanceof HalfSignedIn) return secondFactorUrl(reply, parts, session, returnTo);
      if (session instanceof ByMail)
        return leadToMail(request, reply, parts, { userId: session.user?.userId, email }, returnTo);
      await noticeSignIn(reply, parts, session);
      return () => finishPasswordLogin(request, reply, session, returnTo);
    },
    async page({ request, reply, about: returnTo, fields: { email } }) {
      const back = await backLink(request, parts, returnTo);
      const passkey = await signInOptions(reply, parts);
      const addressOf = addsAccount(request) ? addAccountUrl : loginUrl;
      return {
        returnTo,
        ...offering(passkey),
        title: (messages) => messages.signIn.title,
        main: (form) =>
          signInView({
            ...form,
            ...returnFields(returnTo),
            application: destinationOf(returnTo),
            reason: reasonOf(request, returnTo),
            email,
            back,
            passkey,
            forgotHref: withTyped(reply, parts, loginUrl('/password/forgot', returnTo), email),
            signUpHref:
              parts.config.signUp === 'open'
                ? withTyped(reply, parts, addressOf('/signup', returnTo), email)
                : undefined,
          }),
      };
    },
  });

  /** Who is signed in, where the application wants them to sign in once more. */
  const againAs = (page: ReturnTo['page']): string | undefined =>
    page && stepOf(parts, page).next === 'sign-in' ? page.facts.session?.email : undefined;

  /** Whoever is in does not get here on the way to a page of our own: a cookie of a session is that of one that is over. */
  function reasonOf(request: FastifyRequest, { page, next }: ReturnTo) {
    if (page !== undefined || next === undefined || addsAccount(request)) return undefined;
    if (sessionIdOf(request) === undefined) return next.startsWith('/device') ? undefined : 'asks';
    return 'sessionOver';
  }

  // Whoever does not want to sign in goes back to the application that sent them, by a press of their own: a GET would
  // be fetched ahead by programs. Where it leads is sealed for this browser, and looked up again (D8).
  app.post(CANCEL, { preHandler: requireForm }, async (request, reply) => {
    const { page } = await parseReturnTo(request, reply, parts);
    requireOpenForm(request, parts);
    if (page === undefined) return reply.redirect('/', 303);
    const { request: authorization } = page.pending;
    return answerRefusal(request, reply, parts, authorization, 'The person went back without signing in.');
  });
  app.get(CANCEL, async (_request, reply) => reply.redirect('/', 303));
}
