// /security/report: reports unauthorized activity through the link in a security alert.
import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  findReport,
  hasEmailChanged,
  previewReport,
  type ReportPreview,
  type ReviewItem,
  reportUnauthorizedActivity,
} from '../../credentials/report-unauthorized-activity.ts';
import { readForm, readQuery, requireForm } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { parseLinkToken } from '../../mail/links.ts';
import type { AddedItem } from '../../store/recent-additions.ts';
import { requestContext } from '../../web/browser.ts';
import { invalidLinkError } from '../../web/credential-forms.ts';
import { createBrowserFormToken, requireBrowserFormToken } from '../../web/csrf.ts';
import { supportLink } from '../../web/html/branding.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { hiddenInput } from '../../web/html/fields.ts';
import { form } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

const PATH = '/security/report';

export function reportUnauthorizedActivityPage(app: FastifyInstance, services: Services): void {
  app.get(PATH, async (request, reply) => {
    const token = readQuery(request).get('token');
    const link = parseLinkToken(token);
    if (token === undefined || link === undefined) throw invalidLinkError();
    const preview = await previewReport(services, link, services.now());
    if (preview !== undefined) return sendConfirmationPage(reply, token, preview);
    const report = await findReport(services, link, services.now());
    if (report === undefined) throw invalidLinkError();
    const emailTaken = readQuery(request).get('email') === 'taken';
    return reply.page({
      title: (messages) => messages.account.credentials.report.doneTitle,
      main: (messages) =>
        reportedView({ messages, emailTaken, support: supportLink(services.config), ...report }),
    });
  });

  app.post(PATH, { preHandler: requireForm }, async (request, reply) => {
    requireBrowserFormToken(request, services);
    const token = readForm(request).get('token');
    const link = parseLinkToken(token);
    if (token === undefined || link === undefined) throw invalidLinkError();
    const result = await reportUnauthorizedActivity(services, link, requestContext(request), services.now());
    if (result.outcome === 'invalid' && (await findReport(services, link, services.now())) === undefined)
      throw invalidLinkError();
    if (result.outcome !== 'incomplete') {
      const emailParameter = result.outcome === 'email_taken' ? '&email=taken' : '';
      return reply.redirect(`${PATH}?token=${token}${emailParameter}`, 303);
    }
    request.log.error(
      { err: result.reason },
      'could not finish processing a report of unauthorized activity',
    );
    const preview = await previewReport(services, link, services.now());
    if (preview === undefined) throw invalidLinkError();
    return sendConfirmationPage(reply, token, preview, 503);
  });

  function sendConfirmationPage(
    reply: FastifyReply,
    token: string,
    preview: ReportPreview,
    status: 200 | 503 = 200,
  ) {
    const csrf = createBrowserFormToken(reply, services);
    return reply.page({
      status,
      title: (messages) => messages.account.credentials.report.title,
      main: (messages) => reportView({ messages, csrf, link: token, incomplete: status === 503, ...preview }),
    });
  }
}

function reportView({
  messages,
  csrf,
  link,
  incomplete,
  token,
  added,
  changed,
}: ReportPreview & {
  messages: Messages;
  csrf: string;
  link: string;
  /** True if an earlier attempt revoked all access but removed no credentials. */
  incomplete: boolean;
}): Html {
  const text = messages.account.credentials.report;
  return html`<h1>${text.title}</h1>
${incomplete && html`<p class="warning" role="alert">${text.incomplete}</p>`}
<p class="lead">${text.ends}</p>
${hasEmailChanged(token) && html`<p>${text.restores(token.email)}</p>`}
${form({
  action: PATH,
  csrf,
  body: html`${hiddenInput('token', link)}${submitButton({ text: text.action, kind: 'danger' })}`,
})}
<p class="aside">${text.advice}</p>
${affectedItemsView(messages, text.removes, added, changed)}`;
}

function reportedView({
  messages,
  removed,
  changed,
  emailTaken,
  support,
}: {
  messages: Messages;
  removed: readonly AddedItem[];
  changed: readonly ReviewItem[];
  emailTaken: boolean;
  support: ReturnType<typeof supportLink>;
}): Html {
  const text = messages.account.credentials.report;
  return html`<h1>${text.doneTitle}</h1>
<p class="lead">${text.done} ${!emailTaken && text.chooseNew}</p>
${
  emailTaken
    ? html`<div class="warning">
<p>${text.emailTaken}</p>
${support && buttonLink({ href: support.href, text: support.text(messages), isExternal: true })}
</div>`
    : html`<p class="actions">${buttonLink({ href: '/password/forgot', text: text.reset })}</p>`
}
${affectedItemsView(messages, text.removed, removed, changed)}`;
}

const affectedItemsView = (
  messages: Messages,
  heading: string,
  items: readonly AddedItem[],
  changed: readonly ReviewItem[],
): Html => html`${
  items.length > 0 &&
  html`<h2>${heading}</h2>
${addedItemsView(messages, items)}`
}
${
  changed.length > 0 &&
  html`<h2>${messages.account.credentials.report.review}</h2>
<p>${messages.account.credentials.report.reviewText}</p>
${reviewItemsView(messages, changed)}`
}`;

const addedItemsView = (messages: Messages, items: readonly AddedItem[]): Html =>
  itemsByHolderView(
    messages,
    items.map(({ resourceName, kind, name }) => ({
      holder: resourceName,
      line: html`<bdi>${messages.account.credentials.report.items[kind](name ?? '')}</bdi>`,
    })),
  );

const reviewItemsView = (messages: Messages, items: readonly ReviewItem[]): Html =>
  itemsByHolderView(
    messages,
    // The lines don't link to account pages because the user must first choose a new password.
    items.map(({ resourceName, kind }) => ({
      holder: resourceName,
      line: html`${messages.operations.events[kind]}`,
    })),
  );

function itemsByHolderView(
  messages: Messages,
  lines: readonly { holder: string | null; line: Html }[],
): Html {
  const holders = [...new Set(lines.map(({ holder }) => holder))];
  return html`<dl class="facts facts--framed">
${holders.map(
  (
    holder,
  ) => html`<div><dt><bdi>${holder ?? messages.account.credentials.report.account}</bdi></dt><dd><ul class="lines">${lines
    .filter((one) => one.holder === holder)
    .map(
      ({ line }) => html`<li>${line}</li>
`,
    )}</ul></dd></div>
`,
)}</dl>`;
}
