// /signin/code: confirms a password sign-in with an emailed code.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PendingMfaSignIn } from '../../credentials/sign-in.ts';
import { requestSignInEmail, signInWithEmailCode } from '../../credentials/sign-in-with-email-code.ts';
import { readForm, readQueryOrForm } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import { browserIdsOf, ensureBrowserId, requestContext } from '../../web/browser.ts';
import { invalidLinkError, requireCode } from '../../web/credential-forms.ts';
import { submitButton } from '../../web/html/buttons.ts';
import { codeField, hiddenInput } from '../../web/html/fields.ts';
import { type FormState, formStatus, loginForm } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { notifyNewSignIn } from '../../web/known-browsers.ts';
import { codeSignInContext, finishLogin, secondFactorUrl } from '../../web/login.ts';
import { loginUrl, parseReturnTo, type ReturnTo } from '../../web/return-to.ts';

const CODE_PATH = '/signin/code';
const SEAL_PURPOSE = 'sign-in-by-mail';

/** The database stores this key instead of the browser's cookie. */
const browserKeyOf = (services: Services, browserId: string): string =>
  services.sealer.mac(SEAL_PURPOSE, browserId).toString('base64url');

/**
 * Sends a code only if the password was correct. The returned URL is the same in both cases.
 * @param userId undefined if the password was wrong or there is no account
 */
export async function startEmailCodeSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  { userId, email }: { userId: string | undefined; email: string },
  returnTo: ReturnTo,
): Promise<string> {
  const browser = browserKeyOf(services, ensureBrowserId(reply));
  await requestSignInEmail(services, { userId: userId ?? null, browser, ...requestContext(request) });
  const token = services.sealer.sealJson(SEAL_PURPOSE, [browser, email]);
  return loginUrl(CODE_PATH, returnTo, { token });
}

export function emailCodePage(app: FastifyInstance, services: Services): void {
  /** @throws PageError if no attempt was started in this browser */
  function requireAttempt(request: FastifyRequest) {
    const text = readQueryOrForm(request).get('token');
    const attempt = services.sealer.openJson<[string, string]>(SEAL_PURPOSE, text);
    if (text === undefined || attempt === undefined) throw invalidLinkError('/signin');
    const [browser, email] = attempt;
    if (!browserIdsOf(request).some((id) => browserKeyOf(services, id) === browser))
      throw invalidLinkError('/signin');
    return { text, browser, email };
  }

  app.formPage({
    path: CODE_PATH,
    loadSubject: async (request, reply) => ({
      returnTo: await parseReturnTo(request, reply, services),
      attempt: requireAttempt(request),
    }),
    parse: () => ({}),
    validate: ({ request }) => requireCode(request, ({ account }) => account.credentials.codeMissing),
    async act({ request, reply, subject: { attempt, returnTo } }) {
      const code = readForm(request).get('code') ?? '';
      const context = codeSignInContext(request, services, attempt.email, code);
      const session = await signInWithEmailCode(
        services,
        { ...attempt, entered: code },
        context,
        services.now(),
      );
      if (session === undefined)
        return {
          errors: [{ field: 'code', text: ({ account }) => account.credentials.signInByMail.codeWrong }],
        };
      if (session instanceof PendingMfaSignIn) return secondFactorUrl(reply, services, session, returnTo);
      await notifyNewSignIn(reply, services, session);
      return () => finishLogin(reply, session, returnTo);
    },
    pageUrl: ({ returnTo, attempt }) => loginUrl(CODE_PATH, returnTo, { token: attempt.text }),
    render: ({ subject: { attempt, returnTo } }) => ({
      returnTo,
      token: attempt.text,
      title: (messages) => messages.account.credentials.signInByMail.title,
      main: (form) => signInCodeView(form, attempt, loginUrl('/signin', returnTo)),
    }),
  });
}

/** The page is identical whether or not an email was sent. */
function signInCodeView(view: FormState, attempt: { text: string; email: string }, againHref: string): Html {
  const { credentials } = view.messages.account;
  const text = credentials.signInByMail;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text(attempt.email)}</p>
${loginForm(
  view,
  CODE_PATH,
  html`${hiddenInput('token', attempt.text)}${codeField('email', {
    label: credentials.code,
    autofocus: view.errors.length === 0,
    errors: view.errors,
  })}
${submitButton({ text: view.messages.signIn.action })}`,
)}
<p class="aside">${text.advice}</p>
<p class="aside"><a href="${againHref}">${text.again}</a></p>`;
}
