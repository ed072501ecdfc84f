// /security/confirm: the link of an email that verifies an email address, or changes the account's.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { confirmByLink } from '../../credentials/email-address.ts';
import { parametersOf, queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { readLink } from '../../mail/links.ts';
import { calledOnPages } from '../../oauth/agent-document.ts';
import { findToken, type TokenDetail } from '../../store/one-time-tokens.ts';
import { accountsHere } from '../../web/accounts-here.ts';
import { fromOf } from '../../web/browser.ts';
import { deadLink } from '../../web/credential-forms.ts';
import {
  buttonLink,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { pendingAddress, stepOf } from '../../web/pending.ts';
import { restoreReturnTo } from '../../web/return-to.ts';

const PATH = '/security/confirm';
const DONE = '/security/confirmed';
const KINDS = ['verify_email', 'change_email'] as const;

export function confirmPage(app: FastifyInstance, parts: Parts): void {
  app.formPage({
    url: PATH,
    async about(request) {
      const token = parametersOf(request).get('token');
      const link = readLink(token);
      const found = link && (await findToken(parts.database, link, KINDS, parts.now()));
      if (token === undefined || link === undefined || found === undefined) throw deadLink();
      return { token, link, ...found, isHere: await isSignedIn(request, found.userId) };
    },
    elsewhere({ token, kind, email, isHere }, _request, reply) {
      if (isHere) return undefined;
      if (kind === 'verify_email') return `/password/reset?token=${token}`;
      return () =>
        reply.page({
          title: ({ account }) => account.credentials.confirm.changeTitle,
          main: (messages) => signInFirstView(messages, email),
        });
    },
    read: () => ({}),
    async act({ request, about: { link } }) {
      const confirmed = await confirmByLink(parts, link, fromOf(request), parts.now());
      if (confirmed.outcome === 'dead') throw deadLink();
      if (!('returnTo' in confirmed))
        return { status: 409, faults: [{ text: ({ account }) => account.credentials.email.taken }] };
      const { pending, next } = confirmed.returnTo;
      const query = { done: confirmed.outcome, ...(pending && { pending }), ...(next && { next }) };
      return `${DONE}?${new URLSearchParams(query)}`;
    },
    address: ({ token }) => `${PATH}?token=${token}`,
    page: ({ about }) => ({
      token: about.token,
      title: ({ account: { credentials } }) => wordsOf(credentials.confirm, about.kind).title,
      main: (form) => confirmView(form, about),
    }),
  });

  app.get(DONE, async (request, reply) => {
    const query = queryOf(request);
    const outcome = query.get('done');
    if (outcome !== 'verified' && outcome !== 'changed') throw deadLink();
    const way = await wayOn(request, reply, { pending: query.get('pending'), next: query.get('next') });
    return reply.page({
      title: (messages) => messages.account.credentials.confirm.doneTitle,
      main: (messages) => {
        const { doneTitle: title, done } = messages.account.credentials.confirm;
        return finishedView({
          title,
          text: done[outcome],
          link: way(messages),
        });
      },
    });
  });

  /** Whether the account is signed in in this browser: anybody may have had the mail sent, and to any mailbox. */
  const isSignedIn = async (request: FastifyRequest, userId: string): Promise<boolean> =>
    (await accountsHere(request, parts)).some((account) => account.userId === userId);

  /** Back to where the person was when the mail was asked for, in the browser in which that was; else to the account. */
  async function wayOn(request: FastifyRequest, reply: FastifyReply, kept: TokenDetail) {
    const { page, next = '/account' } = await restoreReturnTo(request, reply, parts, kept, '/account');
    return ({ account: { credentials } }: Messages) => {
      const text = credentials.confirm;
      if (page === undefined) return { href: next, text: next === '/account' ? text.toAccount : text.goOn };
      // Where nothing is left to be asked, the application has its answer already.
      if (stepOf(parts, page).next === 'issue') return { href: '/account', text: text.toAccount };
      const href = pendingAddress('/oauth/authorize', page.sealed);
      return {
        href,
        text: text.toApplication(calledOnPages(page.facts.client, [page.pending.request.redirectUri])),
      };
    };
  }
}

function wordsOf(text: Messages['account']['credentials']['confirm'], kind: string) {
  return kind === 'change_email'
    ? { title: text.changeTitle, lead: text.changeText, action: text.changeAction }
    : { title: text.verifyTitle, lead: text.verifyText, action: text.verifyAction };
}

function confirmView(
  view: FormState,
  about: { token: string; kind: string; name: string; email: string },
): Html {
  const { confirm } = view.messages.account.credentials;
  const { title, lead, action } = wordsOf(confirm, about.kind);
  return html`${formStatus(view)}
<h1>${title}</h1>
<p class="lead">${lead(about.email, about.name)}</p>
${form({
  action: PATH,
  csrf: view.csrf,
  body: html`${hiddenInput('token', about.token)}${submitButton({ text: action })}`,
})}
<p class="aside">${confirm.advice}</p>`;
}

/** In a browser that is not signed in to the account: its email address changes only where it is. */
function signInFirstView(messages: Messages, email: string): Html {
  const text = messages.account.credentials.confirm;
  return html`<h1>${text.changeTitle}</h1>
<p class="lead">${text.signInFirst(email)}</p>
<p class="actions">${buttonLink({ href: '/signin?next=%2Faccount%2Femail', text: messages.signIn.action })}</p>
<p class="aside">${text.advice}</p>`;
}

export function finishedView({
  title,
  text,
  link,
}: {
  title: string;
  text: string;
  link: { href: string; text: string };
}): Html {
  return html`<h1>${title}</h1>
<p class="lead">${text}</p>
<p class="actions">${buttonLink(link)}</p>`;
}
