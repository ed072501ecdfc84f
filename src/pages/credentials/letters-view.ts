// Owns the look of the pages that links in mails open.

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

/** In a browser that is not signed in to the account: its email address changes only where it is. */
export function signInFirstView(messages: Messages, email: string): Html {
  const text = messages.account.credentials.confirm;
  return html`<h1>${text.changeTitle}</h1>
<p class="lead">${text.signInFirst(email)}</p>
<p class="actions">${buttonLink({ href: '/signin?next=%2Faccount%2Femail', text: text.signIn })}</p>
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

/** The address belongs to another account. */
export function takenView(messages: Messages, text: string): Html {
  const { confirm } = messages.account.credentials;
  return html`<div class="stopped">
<h1>${confirm.takenTitle}</h1>
<p class="lead">${text}</p>
<p class="actions">${buttonLink({ href: '/', text: messages.failures.home })}</p>
</div>`;
}
