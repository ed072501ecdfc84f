// Owns the look of the page for a link that was used, has expired, or never was one.

import type { Messages } from '../../i18n/index.ts';
import { buttonLink } from './form.ts';
import { type Html, html } from './html.ts';

/** A link that was used, has expired, or never was one. */
export function deadLinkView(messages: Messages): Html {
  const { dead } = messages.account.credentials;
  return html`<div class="stopped">
<h1>${dead.title}</h1>
<p class="lead">${dead.text}</p>
<p>${dead.advice}</p>
<p class="actions">${buttonLink({ href: '/', text: dead.home })}</p>
</div>`;
}
