// /signin, and /signin/cancel.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ByMail, HalfSignedIn, signIn } from '../../credentials/sign-in.ts';
import { formOf, requireForm } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { readEmail } from '../../oauth/email.ts';
import { sessionIdOf } from '../../web/browser.ts';
import { answerRefusal } from '../../web/callback.ts';
import { emailFaults } from '../../web/credential-forms.ts';
import { requireOpenForm } from '../../web/csrf.ts';
import { suspendedFault } from '../../web/faults.ts';
import { cancelForm, destination, purposeOf } from '../../web/html/entrance.ts';
import {
  attention,
  emailField,
  type FormState,
  formStatus,
  loginForm,
  passwordField,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { ableToHoldPasskeys, passkeyButton, passkeyMissing } from '../../web/html/passkey.ts';
import { noticeSignIn } from '../../web/known-browsers.ts';
import {
  addsAccount,
  attemptingOf,
  backLink,
  finishPasswordLogin,
  loginByPasskey,
  loginPage,
  originOf,
  secondFactorUrl,
} from '../../web/login.ts';
import { offering, signInOptions } from '../../web/passkeys.ts';
import { stepOf } from '../../web/pending.ts';
import { addAccountUrl, destinationOf, loginUrl, parseReturnTo, type ReturnTo } from '../../web/return-to.ts';
import { leadToMail } from './by-mail.ts';

/** Its form stands on every page by which one can enter (web/html/entrance.ts). */
const CANCEL = '/signin/cancel';

export function signInPage(app: FastifyInstance, parts: Parts): void {
  app.formPage({
    url: '/signin',
    ...loginPage(parts, '/signin'),
    begin: ({ page }) => ({ email: page?.pending.request.loginHint ?? againAs(page) ?? '' }),
    read: (form) => ({ email: readEmail(form.get('email')) }),
    faults({ request, fields: { email } }) {
      if (formOf(request).get('passkey') !== undefined) return [];
      const faults = emailFaults(email);
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
            application: destinationOf(returnTo),
            reason: reasonOf(request, returnTo),
            email,
            back,
            passkey,
            forgotHref: loginUrl('/password/forgot', returnTo),
            signUpHref: parts.config.signUp === 'open' ? addressOf('/signup', returnTo) : undefined,
          }),
      };
    },
  });

  /** The signed-in user whom the application asks to sign in again. */
  const againAs = (page: ReturnTo['page']): string | undefined =>
    page && stepOf(parts, page).next === 'sign-in' ? page.facts.session?.email : undefined;

  /** Why a page of this service leads here. Its session is over, if there is a cookie of one. */
  function reasonOf(request: FastifyRequest, { page, next }: ReturnTo) {
    if (page !== undefined || next === undefined || addsAccount(request)) return undefined;
    if (sessionIdOf(request) === undefined) return next.startsWith('/device') ? undefined : 'asks';
    return 'sessionOver';
  }

  // Not a GET, which programs would prefetch.
  app.post(CANCEL, { preHandler: requireForm }, async (request, reply) => {
    const { page } = await parseReturnTo(request, reply, parts);
    requireOpenForm(request, parts);
    if (page === undefined) return reply.redirect('/', 303);
    const { request: authorization } = page.pending;
    return answerRefusal(request, reply, parts, authorization, 'The person went back without signing in.');
  });
  app.get(CANCEL, async (_request, reply) => reply.redirect('/', 303));
}

type SignInView = FormState & {
  application: { name: string; host: string } | undefined;
  reason: 'asks' | 'sessionOver' | undefined;
  email: string;
  /** Back to the signed-in account by its name, or to the choice among several. */
  back: { href: string; name: string | undefined } | undefined;
  forgotHref: string;
  signUpHref: string | undefined;
};

function signInView(view: SignInView): Html {
  const { messages, errors, back, email, passkey } = view;
  const calm = errors.length === 0;
  return html`${formStatus(view)}
<h1>${messages.signIn.title}</h1>
${view.application ? destination(messages.signIn.continueTo, view.application) : purposeOf(messages, view.next)}
${view.reason && calm && why(messages, view.reason)}
${loginForm(
  view,
  '/signin',
  html`${passkey !== undefined && ableToHoldPasskeys}${emailField({
    label: messages.fields.email,
    value: email,
    autocomplete: 'username webauthn',
    autofocus: calm && email === '',
    errors,
  })}
${passwordField({
  name: 'password',
  label: messages.fields.password,
  autocomplete: 'current-password',
  autofocus: calm && email !== '',
  errors,
})}
${submitButton({ text: messages.signIn.action })}
<a class="forgot" href="${view.forgotHref}">${messages.account.credentials.forgot.link}</a>`,
)}
${
  passkey !== undefined &&
  loginForm(view, '/signin', html`${passkeyButton(messages, passkey, messages.passkeys.signIn)}`)
}
${passkeyMissing(messages, passkey)}
${view.signUpHref && html`<p class="aside">${messages.signIn.noAccountYet} <a href="${view.signUpHref}">${messages.signIn.signUp}</a></p>`}
${back && html`<p class="aside"><a href="${back.href}">${back.name === undefined ? messages.accounts.choose : messages.accounts.continueAs(back.name)}</a></p>`}
${cancelForm(view, view.application)}`;
}

const why = ({ signIn }: Messages, reason: NonNullable<SignInView['reason']>): Html | undefined =>
  reason === 'asks' ? html`<p class="destination">${signIn.asks}</p>` : attention(signIn[reason]);
