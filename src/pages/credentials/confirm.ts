// GET and POST /security/confirm: the link of a mail that verifies an address, or makes a new one the account's.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { confirmByLink } from '../../credentials/email-address.ts';
import { formOf, queryOf, requireForm } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { tokenHash } from '../../mail/links.ts';
import { calledOnPages } from '../../oauth/agent-document.ts';
import { findToken, type TokenDetail } from '../../store/one-time-tokens.ts';
import { accountsHere } from '../../web/accounts-here.ts';
import { fromOf, sessionOf } from '../../web/browser.ts';
import { deadLink } from '../../web/credential-forms.ts';
import { openFormToken, requireOpenForm } from '../../web/csrf.ts';
import { doneOf } from '../../web/faults.ts';
import { buttonLink, form, hiddenInput, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { signalOfChange } from '../../web/passkeys.ts';
import { pendingAddress, stepOf } from '../../web/pending.ts';
import { restoreReturnTo } from '../../web/return-to.ts';

const PATH = '/security/confirm';
const KINDS = ['verify_email', 'change_email'] as const;

export function confirmPage(app: FastifyInstance, parts: Parts): void {
  app.get(PATH, async (request, reply) => {
    const token = queryOf(request).get('token');
    const hash = tokenHash(token);
    if (token === undefined || hash === undefined) return showDone();
    const found = await findToken(parts.database, hash, KINDS, parts.now());
    if (found === undefined) throw deadLink();
    const isChange = found.kind === 'change_email';
    if (!(await isSignedIn(request, found.userId)))
      return isChange
        ? signInFirst(reply, found.email)
        : reply.redirect(`/password/reset?token=${token}`, 303);
    const csrf = openFormToken(reply, parts);
    return reply.page({
      title: ({ account: { credentials } }) =>
        isChange ? credentials.confirm.changeTitle : credentials.confirm.verifyTitle,
      main: (messages) =>
        confirmView({ messages, csrf, token, isChange, name: found.name, email: found.email }),
    });

    async function showDone() {
      const done = queryOf(request).get('done');
      if (done === undefined) throw deadLink();
      const kept = { pending: queryOf(request).get('pending'), next: queryOf(request).get('next') };
      const way = await wayOn(request, reply, kept);
      return reply.page({
        // Where this is the browser of whoever has the new address.
        signal: done === 'changed' ? await signalOfChange(parts, await sessionOf(request, parts)) : undefined,
        title: (messages) => messages.account.credentials.confirm.doneTitle,
        main: (messages) => {
          const text = messages.account.credentials.confirm;
          return finishedView({
            title: text.doneTitle,
            text: doneOf(request, text.done) ?? text.done.verified,
            link: way(messages),
          });
        },
      });
    }
  });

  app.post(PATH, { preHandler: requireForm }, async (request, reply) => {
    requireOpenForm(request, parts);
    const hash = tokenHash(formOf(request).get('token'));
    const found = hash && (await findToken(parts.database, hash, KINDS, parts.now()));
    if (hash === undefined || found === undefined || !(await isSignedIn(request, found.userId)))
      throw deadLink();
    const confirmed = await confirmByLink(parts, hash, fromOf(request), parts.now());
    if (confirmed.outcome === 'dead') throw deadLink();
    if ('returnTo' in confirmed) {
      const { pending, next } = confirmed.returnTo;
      const query = new URLSearchParams({
        done: confirmed.outcome,
        ...(pending && { pending }),
        ...(next && { next }),
      });
      return reply.redirect(`${PATH}?${query}`, 303);
    }
    return reply.page({
      status: 409,
      title: (messages) => messages.account.credentials.confirm.takenTitle,
      main: takenView,
    });
  });

  /** Whether the account is signed in in this browser: anybody may have had the mail sent, and to any mailbox. */
  const isSignedIn = async (request: FastifyRequest, userId: string): Promise<boolean> =>
    (await accountsHere(request, parts)).some((account) => account.userId === userId);

  const signInFirst = (reply: FastifyReply, email: string) =>
    reply.page({
      title: ({ account }) => account.credentials.confirm.changeTitle,
      main: (messages) => signInFirstView(messages, email),
    });

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

function confirmView(view: {
  messages: Messages;
  csrf: string;
  token: string;
  isChange: boolean;
  name: string;
  email: string;
}): Html {
  const text = view.messages.account.credentials.confirm;
  const { isChange, name, email } = view;
  return html`<h1>${isChange ? text.changeTitle : text.verifyTitle}</h1>
<p class="lead">${isChange ? text.changeText(email, name) : text.verifyText(email, name)}</p>
${form({
  action: PATH,
  csrf: view.csrf,
  body: html`${hiddenInput('token', view.token)}${submitButton({ text: isChange ? text.changeAction : text.verifyAction })}`,
})}
<p class="aside">${text.advice}</p>`;
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

function takenView(messages: Messages): Html {
  const { confirm } = messages.account.credentials;
  return html`<div class="stopped">
<h1>${confirm.takenTitle}</h1>
<p class="lead">${confirm.taken}</p>
<p class="actions">${buttonLink({ href: '/', text: messages.failures.home })}</p>
</div>`;
}
