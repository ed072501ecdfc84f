// /security/confirm: verifies or changes an email address with the token from an emailed link.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { confirmEmailWithLink } from '../../credentials/email-verification.ts';
import { readQuery, readQueryOrForm } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { parseLinkToken } from '../../mail/links.ts';
import { getDisplayName } from '../../oauth/client-metadata.ts';
import { findToken, type TokenDetail } from '../../store/one-time-tokens.ts';
import { requestContext } from '../../web/browser.ts';
import { invalidLinkError } from '../../web/credential-forms.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { hiddenInput } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { nextStepOf, pendingUrl } from '../../web/pending-requests.ts';
import { restoreReturnTo } from '../../web/return-to.ts';
import { findSignedInAccounts } from '../../web/signed-in-accounts.ts';

const PATH = '/security/confirm';
const EMAIL_PATH = '/account/email';
const DONE_URL = '/security/confirmed';
const LINK_KINDS = ['verify_email', 'change_email'] as const;

export function confirmEmailPage(app: FastifyInstance, services: Services): void {
  app.formPage({
    path: PATH,
    async loadSubject(request) {
      const token = readQueryOrForm(request).get('token');
      const link = parseLinkToken(token);
      const tokenDetail = link && (await findToken(services.database, link, LINK_KINDS, services.now()));
      if (token === undefined || link === undefined || tokenDetail === undefined)
        throw invalidLinkError(EMAIL_PATH);
      return { token, link, ...tokenDetail, isHere: await isSignedIn(request, tokenDetail.userId) };
    },
    respondInstead({ token, kind, email, isHere }, _request, reply) {
      if (isHere) return undefined;
      if (kind === 'verify_email') return `/password/reset?token=${token}`;
      return () =>
        reply.page({
          title: ({ account }) => account.credentials.confirm.changeTitle,
          main: (messages) => signInFirstView(messages, email),
        });
    },
    parse: () => ({}),
    async act({ request, reply, subject: { link, token, email } }) {
      const confirmed = await confirmEmailWithLink(services, link, requestContext(request), services.now());
      if (confirmed.outcome === 'invalid') throw invalidLinkError(EMAIL_PATH);
      if (!('returnTo' in confirmed))
        return () =>
          reply.page({
            status: 409,
            token,
            title: ({ account }) => account.credentials.confirm.takenTitle,
            main: (messages) => emailTakenView(messages, email),
          });
      const { pending, next } = confirmed.returnTo;
      const query = { done: confirmed.outcome, ...(pending && { pending }), ...(next && { next }) };
      return `${DONE_URL}?${new URLSearchParams(query)}`;
    },
    pageUrl: ({ token }) => `${PATH}?token=${token}`,
    render: ({ subject }) => ({
      token: subject.token,
      title: ({ account: { credentials } }) => confirmationTexts(credentials.confirm, subject.kind).title,
      main: (form) => confirmEmailView(form, subject),
    }),
  });

  app.get(DONE_URL, async (request, reply) => {
    const query = readQuery(request);
    const outcome = query.get('done');
    if (outcome !== 'verified' && outcome !== 'changed') throw invalidLinkError();
    const buildLink = await buildContinueLink(request, reply, {
      pending: query.get('pending'),
      next: query.get('next'),
    });
    return reply.page({
      title: (messages) => messages.account.credentials.confirm.doneTitle,
      main: (messages) => {
        const { doneTitle: title, done } = messages.account.credentials.confirm;
        return completedView({
          title,
          text: done[outcome],
          link: buildLink(messages),
        });
      },
    });
  });

  /** Anyone can have a link sent to any mailbox, so the link alone doesn't identify the user. */
  const isSignedIn = async (request: FastifyRequest, userId: string): Promise<boolean> =>
    (await findSignedInAccounts(request, services)).some((account) => account.userId === userId);

  /** Links to the page that requested the email, or to the account page in other browsers. */
  async function buildContinueLink(request: FastifyRequest, reply: FastifyReply, savedTarget: TokenDetail) {
    const { page, next = '/account' } = await restoreReturnTo(
      request,
      reply,
      services,
      savedTarget,
      '/account',
    );
    return ({ account: { credentials } }: Messages) => {
      const text = credentials.confirm;
      if (page === undefined) return { href: next, text: next === '/account' ? text.toAccount : text.goOn };
      // Nothing is left to ask, so another tab has already completed the request.
      if (nextStepOf(services, page).next === 'issue') return { href: '/account', text: text.toAccount };
      const href = pendingUrl('/oauth/authorize', page.sealed);
      return {
        href,
        text: text.toApplication(getDisplayName(page.context.client, [page.pending.request.redirectUri])),
      };
    };
  }
}

function confirmationTexts(text: Messages['account']['credentials']['confirm'], kind: string) {
  return kind === 'change_email'
    ? { title: text.changeTitle, lead: text.changeText, action: text.changeAction }
    : { title: text.verifyTitle, lead: text.verifyText, action: text.verifyAction };
}

function emailTakenView({ account: { credentials } }: Messages, email: string): Html {
  const text = credentials.confirm;
  return html`<h1>${text.takenTitle}</h1>
<p class="lead">${text.taken(email)}</p>
<p class="actions">${buttonLink({ href: EMAIL_PATH, text: text.another })}</p>`;
}

function confirmEmailView(
  view: FormState,
  about: { token: string; kind: string; name: string; email: string },
): Html {
  const { confirm } = view.messages.account.credentials;
  const { title, lead, action } = confirmationTexts(confirm, about.kind);
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

/** Only a signed-in browser can change the email address. */
function signInFirstView(messages: Messages, email: string): Html {
  const text = messages.account.credentials.confirm;
  return html`<h1>${text.changeTitle}</h1>
<p class="lead">${text.signInFirst(email)}</p>
<p class="actions">${buttonLink({ href: '/signin?next=%2Faccount%2Femail', text: messages.signIn.action })}</p>
<p class="aside">${text.advice}</p>`;
}

export function completedView({
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
