// Owns the look of the pages that links in mails open.

import type { Undone } from '../../accounts/undoing.ts';
import type { Messages } from '../../i18n/index.ts';
import { buttonLink, form, hiddenInput, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

type LinkView = { messages: Messages; csrf: string; token: string };

/** Asks whether an address is to be verified, or to become the account's. */
export function confirmView(view: LinkView & { isChange: boolean; name: string; email: string }): Html {
  const text = view.messages.account.credentials.confirm;
  const { isChange, name, email } = view;
  return html`<h1>${isChange ? text.changeTitle : text.verifyTitle}</h1>
<p class="lead">${isChange ? text.changeText(email, name) : text.verifyText(email, name)}</p>
${form({
  action: '/security/confirm',
  csrf: view.csrf,
  body: html`${hiddenInput('token', view.token)}${submitButton({ text: isChange ? text.changeAction : text.verifyAction })}`,
})}
<p class="aside">${text.advice}</p>`;
}

/** Says what « this was not me » ends, and asks. */
export function notMeView(
  view: LinkView & {
    ends: 'session' | 'everything';
    changes: readonly Undone[];
    restores: string | undefined;
  },
): Html {
  const text = view.messages.account.credentials.notMe;
  return html`<h1>${text.title}</h1>
<p class="lead">${text[view.ends]}</p>
${changesIn(view.messages, view.changes, text.undoes)}
${view.ends === 'everything' && view.restores !== undefined && html`<p>${text.restore(view.restores)}</p>`}
${form({
  action: '/security/not-me',
  csrf: view.csrf,
  body: html`${hiddenInput('token', view.token)}${submitButton({ text: text.action, kind: 'danger' })}`,
})}
<p class="aside">${text.advice}</p>`;
}

/** What was disowned has ended: says what was undone, and what is held. */
export function stoppedView(view: { messages: Messages; text: string; changes: readonly Undone[] }): Html {
  const text = view.messages.account.credentials.notMe;
  return html`<h1>${text.doneTitle}</h1>
<p class="lead">${view.text}</p>
${changesIn(view.messages, view.changes, text.undone)}
${view.changes.some(({ held }) => held) && html`<p>${text.heldUntil}</p>`}
<p class="actions">${buttonLink({ href: '/password/forgot', text: text.reset })}</p>`;
}

/** What was changed, by application. */
function changesIn(messages: Messages, changes: readonly Undone[], heading: string): Html | undefined {
  if (changes.length === 0) return undefined;
  const { kinds } = messages.account.credentials.notMe;
  const names = [...new Set(changes.map(({ name }) => name))];
  const kindsOf = (name: string) => [
    ...new Set(changes.filter((change) => change.name === name).map(({ kind }) => kinds[kind])),
  ];
  return html`<h2>${heading}</h2>
<dl class="facts facts--framed">
${names.map(
  (name) => html`<div><dt><bdi>${name}</bdi></dt><dd><ul class="lines">${kindsOf(name).map(
    (words) => html`<li>${words}</li>
`,
  )}</ul></dd></div>
`,
)}</dl>`;
}

/** What was asked is done; one way on. */
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

/** The address belongs to another account. */
export function takenView(messages: Messages, text: string): Html {
  const { confirm } = messages.account.credentials;
  return html`<div class="stopped">
<h1>${confirm.takenTitle}</h1>
<p class="lead">${text}</p>
<p class="actions">${buttonLink({ href: '/', text: messages.failures.home })}</p>
</div>`;
}
