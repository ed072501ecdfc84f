// The pages by which a user reports unauthorized activity: what it removes, and what it removed.

import {
  isMoved,
  type ReportPreview,
  type ReviewItem,
} from '../../credentials/report-unauthorized-activity.ts';
import type { Messages } from '../../i18n/index.ts';
import type { AddedItem } from '../../store/added-since.ts';
import { buttonLink, form, hiddenInput, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

export function reportView({
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
${
  added.length > 0 &&
  html`<h2>${text.removes}</h2>
${itemsIn(messages, added)}`
}
${form({
  action: '/security/not-me',
  csrf,
  body: html`${hiddenInput('token', link)}${submitButton({ text: text.action, kind: 'danger' })}`,
})}
<p class="aside">${text.advice}</p>
${
  changed.length > 0 &&
  html`<h2>${text.stays}</h2>
<p>${text.staysText}</p>
${changesIn(messages, changed)}`
}`;
}

export function reportedView({
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
${
  removed.length > 0 &&
  html`<h2>${text.removed}</h2>
${itemsIn(messages, removed)}`
}
${
  changed.length > 0 &&
  html`<h2>${text.review}</h2>
<p>${text.reviewText}</p>
${changesIn(messages, changed)}`
}`;
}

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
