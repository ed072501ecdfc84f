// /signin/code: a sign-in that has to be confirmed by the code of an email.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HalfSignedIn } from '../../credentials/sign-in.ts';
import { askForSignIn, signInByCode } from '../../credentials/sign-in-by-mail.ts';
import { formOf, parametersOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { browserIdsOf, ensureBrowserId, fromOf } from '../../web/browser.ts';
import { codeFaults, deadLink } from '../../web/credential-forms.ts';
import {
  codeField,
  type FormState,
  formStatus,
  hiddenInput,
  loginForm,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { noticeSignIn } from '../../web/known-browsers.ts';
import { finishLogin, originOfCode, secondFactorUrl } from '../../web/login.ts';
import { loginUrl, parseReturnTo, type ReturnTo } from '../../web/return-to.ts';

const CODE = '/signin/code';
const PURPOSE = 'sign-in-by-mail';

/** Names a browser in the database without revealing its cookie. */
const nameOf = (parts: Parts, browserId: string): string =>
  parts.sealer.mac(PURPOSE, browserId).toString('base64url');

/**
 * Sends an email if the password was right. @returns the URL of the page for its code, the same in any case
 * @param userId absent if the password was wrong, or there is no account
 */
export async function leadToMail(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  { userId, email }: { userId: string | undefined; email: string },
  returnTo: ReturnTo,
): Promise<string> {
  const browser = nameOf(parts, ensureBrowserId(reply));
  await askForSignIn(parts, { userId: userId ?? null, browser, ...fromOf(request) });
  const ticket = parts.sealer.sealJson(PURPOSE, [browser, email]);
  return loginUrl(CODE, returnTo, { token: ticket });
}

export function signInByMailPages(app: FastifyInstance, parts: Parts): void {
  /** The sealed attempt. @throws PageFault if it started in another browser */
  function ticketOf(request: FastifyRequest) {
    const text = parametersOf(request).get('token');
    const ticket = parts.sealer.openJson<[string, string]>(PURPOSE, text);
    if (text === undefined || ticket === undefined) throw deadLink();
    const [browser, email] = ticket;
    if (!browserIdsOf(request).some((id) => nameOf(parts, id) === browser)) throw deadLink();
    return { text, browser, email };
  }

  app.formPage({
    url: CODE,
    about: async (request, reply) => ({
      returnTo: await parseReturnTo(request, reply, parts),
      ticket: ticketOf(request),
    }),
    read: () => ({}),
    faults: ({ request }) => codeFaults(request, ({ account }) => account.credentials.codeMissing),
    async act({ request, reply, about: { ticket, returnTo } }) {
      const attempt = { ...ticket, typed: formOf(request).get('code') ?? '' };
      const origin = originOfCode(request, parts, attempt.email, attempt.typed);
      const session = await signInByCode(parts, attempt, origin, parts.now());
      if (session === undefined)
        return {
          faults: [{ field: 'code', text: ({ account }) => account.credentials.signInByMail.codeWrong }],
        };
      if (session instanceof HalfSignedIn) return secondFactorUrl(reply, parts, session, returnTo);
      await noticeSignIn(reply, parts, session);
      return () => finishLogin(reply, session, returnTo);
    },
    address: ({ returnTo, ticket }) => loginUrl(CODE, returnTo, { token: ticket.text }),
    page: ({ about: { ticket, returnTo } }) => ({
      returnTo,
      token: ticket.text,
      title: (messages) => messages.account.credentials.signInByMail.title,
      main: (form) => signInCodeView(form, ticket, loginUrl('/signin', returnTo)),
    }),
  });
}

/** The same whether or not an email was sent. */
function signInCodeView(view: FormState, ticket: { text: string; email: string }, againHref: string): Html {
  const { credentials } = view.messages.account;
  const text = credentials.signInByMail;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text(ticket.email)}</p>
${loginForm(
  view,
  CODE,
  html`${hiddenInput('token', ticket.text)}${codeField({
    label: credentials.code,
    inputmode: 'numeric',
    errors: view.errors,
  })}
${submitButton({ text: view.messages.signIn.action })}`,
)}
<p class="aside">${text.advice}</p>
<p class="aside"><a href="${againHref}">${text.again}</a></p>`;
}
