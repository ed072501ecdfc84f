// /signin/code and /signin/link: a sign-in that an email has to confirm. Only the forms use up its code and link.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HalfSignedIn } from '../../credentials/sign-in.ts';
import { askForSignIn, signInByCode, signInByLink } from '../../credentials/sign-in-by-mail.ts';
import { formOf, parametersOf, queryOf, requireForm } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { tokenHash } from '../../mail/links.ts';
import { findToken } from '../../store/one-time-tokens.ts';
import { browserIdsOf, ensureBrowserId, fromOf } from '../../web/browser.ts';
import { codeFaults, deadLink } from '../../web/credential-forms.ts';
import { openFormToken, requireOpenForm } from '../../web/csrf.ts';
import {
  buttonLink,
  codeField,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  loginForm,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { noticeSignIn } from '../../web/known-browsers.ts';
import { finishLogin, originOf, secondFactorUrl, withTyped } from '../../web/login.ts';
import {
  loginUrl,
  parseReturnTo,
  type ReturnTo,
  restoreReturnTo,
  returnFields,
} from '../../web/return-to.ts';

const CODE = '/signin/code';
const LINK = '/signin/link';
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
  const from = fromOf(request);
  await askForSignIn(parts, { userId: userId ?? null, browser, ...from, returnTo: returnFields(returnTo) });
  const ticket = parts.sealer.sealJson(PURPOSE, [browser, email]);
  return loginUrl(CODE, returnTo, { token: ticket });
}

export function signInByMailPages(app: FastifyInstance, parts: Parts): void {
  const { sealer, database } = parts;
  const isHere = (request: FastifyRequest, browser: string | undefined) =>
    browserIdsOf(request).some((id) => nameOf(parts, id) === browser);

  /** The sealed attempt. @throws PageFault if it started in another browser */
  function ticketOf(request: FastifyRequest) {
    const text = parametersOf(request).get('token');
    const ticket = sealer.openJson<[string, string]>(PURPOSE, text);
    if (text === undefined || ticket === undefined) throw deadLink();
    const [browser, email] = ticket;
    if (!isHere(request, browser)) throw deadLink();
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
      const entered = await signInByCode(parts, attempt, originOf(request), parts.now());
      if (entered === undefined)
        return {
          faults: [{ field: 'code', text: ({ account }) => account.credentials.signInByMail.codeWrong }],
        };
      const { session } = entered;
      if (session instanceof HalfSignedIn) return secondFactorUrl(reply, parts, session, returnTo);
      await noticeSignIn(reply, parts, session);
      return () => finishLogin(reply, session, returnTo);
    },
    address: ({ returnTo, ticket }) => loginUrl(CODE, returnTo, { token: ticket.text }),
    page: ({ reply, about: { ticket, returnTo } }) => ({
      returnTo,
      token: ticket.text,
      title: (messages) => messages.account.credentials.signInByMail.title,
      main: (form) =>
        signInCodeView(form, ticket, withTyped(reply, parts, loginUrl('/signin', returnTo), ticket.email)),
    }),
  });

  app.get(LINK, async (request, reply) => {
    const token = queryOf(request).get('token');
    const hash = tokenHash(token);
    const found = hash && (await findToken(database, hash, ['sign_in'], parts.now()));
    if (token === undefined || found === undefined) throw deadLink();
    if (!isHere(request, found.detail.browser))
      return reply.page({
        token,
        title: (messages) => messages.account.credentials.signInByMail.elsewhereTitle,
        main: signInElsewhereView,
      });
    const csrf = openFormToken(reply, parts);
    return reply.page({
      token,
      // The form may end at the application that the person was going to.
      formsLeave: found.detail.pending !== undefined,
      title: (messages) => messages.account.credentials.signInByMail.linkTitle,
      main: (messages) => signInLinkView(messages, csrf, token, found.email),
    });
  });

  app.post(LINK, { preHandler: requireForm }, async (request, reply) => {
    requireOpenForm(request, parts);
    const hash = tokenHash(formOf(request).get('token'));
    const found = hash && (await findToken(database, hash, ['sign_in'], parts.now()));
    // In another browser it would sign somebody in who was sent the link.
    if (hash === undefined || found === undefined || !isHere(request, found.detail.browser)) throw deadLink();
    const entered = await signInByLink(parts, hash, originOf(request), parts.now());
    if (entered === undefined) throw deadLink();
    const { session } = entered;
    const returnTo = await restoreReturnTo(request, reply, parts, entered.returnTo, '/account');
    if (session instanceof HalfSignedIn)
      return reply.redirect(secondFactorUrl(reply, parts, session, returnTo), 303);
    await noticeSignIn(reply, parts, session);
    return finishLogin(reply, session, returnTo);
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
    hint: credentials.codeHint,
    inputmode: 'numeric',
    errors: view.errors,
  })}
${submitButton({ text: view.messages.signIn.action })}`,
)}
<p class="aside">${text.advice}</p>
<p class="aside"><a href="${againHref}">${text.again}</a></p>`;
}

function signInLinkView(messages: Messages, csrf: string, token: string, email: string): Html {
  const { signInByMail: text, confirm } = messages.account.credentials;
  const body = html`${hiddenInput('token', token)}${submitButton({ text: messages.signIn.action })}`;
  return html`<h1>${text.linkTitle}</h1>
<p class="lead">${text.linkText(email)}</p>
${form({ action: LINK, csrf, body })}
<p class="aside">${confirm.advice}</p>`;
}

/** In a browser in which nobody gave the password. Says nothing about the account, since the link may have been forwarded. */
function signInElsewhereView({ account }: Messages): Html {
  const { signInByMail: text, confirm } = account.credentials;
  return html`<h1>${text.elsewhereTitle}</h1>
<p class="lead">${text.elsewhere}</p>
<p>${text.hereInstead}</p>
<p class="actions">${buttonLink({ href: '/signin', text: text.here })}</p>
<p class="aside">${confirm.advice}</p>`;
}
