// GET and POST /security/not-me: the link in security alerts, by which a user reports unauthorized activity.
import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  findReport,
  isMoved,
  previewReport,
  type ReportPreview,
  type ReviewItem,
  reportUnauthorizedActivity,
} from '../../credentials/report-unauthorized-activity.ts';
import { formOf, queryOf, requireForm } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { readLink } from '../../mail/links.ts';
import type { AddedItem } from '../../store/added-since.ts';
import { fromOf } from '../../web/browser.ts';
import { deadLink } from '../../web/credential-forms.ts';
import { openFormToken, requireOpenForm } from '../../web/csrf.ts';
import { buttonLink, form, hiddenInput, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

const PATH = '/security/not-me';

export function reportPage(app: FastifyInstance, parts: Parts): void {
  app.get(PATH, async (request, reply) => {
    const token = queryOf(request).get('token');
    const link = readLink(token);
    if (token === undefined || link === undefined) throw deadLink();
    const preview = await previewReport(parts, link, parts.now());
    if (preview !== undefined) return askToConfirm(reply, token, preview);
    const report = await findReport(parts, link, parts.now());
    if (report === undefined) throw deadLink();
    const emailTaken = queryOf(request).get('email') === 'taken';
    return reply.page({
      title: (messages) => messages.account.credentials.report.doneTitle,
      reach: emailTaken,
      main: (messages) => reportedView({ messages, emailTaken, ...report }),
    });
  });

  app.post(PATH, { preHandler: requireForm }, async (request, reply) => {
    requireOpenForm(request, parts);
    const token = formOf(request).get('token');
    const link = readLink(token);
    if (token === undefined || link === undefined) throw deadLink();
    const result = await reportUnauthorizedActivity(parts, link, fromOf(request), parts.now());
    if (result.outcome === 'invalid' && (await findReport(parts, link, parts.now())) === undefined)
      throw deadLink();
    if (result.outcome !== 'incomplete') {
      const taken = result.outcome === 'email_taken' ? '&email=taken' : '';
      return reply.redirect(`${PATH}?token=${token}${taken}`, 303);
    }
    request.log.error({ err: result.reason }, 'a report of unauthorized activity is incomplete');
    const preview = await previewReport(parts, link, parts.now());
    if (preview === undefined) throw deadLink();
    return askToConfirm(reply, token, preview, 503);
  });

  /** @param status 503 if a first attempt was incomplete */
  function askToConfirm(reply: FastifyReply, token: string, preview: ReportPreview, status: 200 | 503 = 200) {
    const csrf = openFormToken(reply, parts);
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
  /** A first attempt ended all access, but removed nothing. */
  incomplete: boolean;
}): Html {
  const text = messages.account.credentials.report;
  return html`<h1>${text.title}</h1>
${incomplete && html`<p class="warning" role="alert">${text.incomplete}</p>`}
<p class="lead">${text.ends}</p>
${isMoved(token) && html`<p>${text.restores(token.email)}</p>`}
${form({
  action: PATH,
  csrf,
  body: html`${hiddenInput('token', link)}${submitButton({ text: text.action, kind: 'danger' })}`,
})}
<p class="aside">${text.advice}</p>
${listsOf(messages, text.removes, added, changed)}`;
}

function reportedView({
  messages,
  removed,
  changed,
  emailTaken,
}: {
  messages: Messages;
  removed: readonly AddedItem[];
  changed: readonly ReviewItem[];
  emailTaken: boolean;
}): Html {
  const text = messages.account.credentials.report;
  return html`<h1>${text.doneTitle}</h1>
<p class="lead">${text.done}</p>
${emailTaken && html`<p class="warning">${text.emailTaken}</p>`}
<p class="actions">${buttonLink({ href: '/password/forgot', text: text.reset })}</p>
${listsOf(messages, text.removed, removed, changed)}`;
}

const listsOf = (
  messages: Messages,
  heading: string,
  items: readonly AddedItem[],
  changed: readonly ReviewItem[],
): Html => html`${
  items.length > 0 &&
  html`<h2>${heading}</h2>
${itemsIn(messages, items)}`
}
${
  changed.length > 0 &&
  html`<h2>${messages.account.credentials.report.review}</h2>
<p>${messages.account.credentials.report.reviewText}</p>
${changesIn(messages, changed)}`
}`;

/** What is removed, by application and API. */
const itemsIn = (messages: Messages, items: readonly AddedItem[]): Html =>
  byHolder(
    messages,
    items.map(({ holder, kind, name }) => ({
      holder,
      line: html`<bdi>${messages.account.credentials.report.items[kind](name ?? '')}</bdi>`,
    })),
  );

/** What was changed or deleted, with links. */
const changesIn = (messages: Messages, items: readonly ReviewItem[]): Html =>
  byHolder(
    messages,
    items.map(({ holder, kind, path }) => {
      const words = messages.operations.events[kind];
      return { holder, line: path === undefined ? html`${words}` : html`<a href="${path}">${words}</a>` };
    }),
  );

function byHolder(messages: Messages, lines: readonly { holder: string | null; line: Html }[]): Html {
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
