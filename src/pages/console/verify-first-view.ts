// Owns the look of what stands in place of a form for whoever has to verify their address first.

import type { Messages } from '../../i18n/index.ts';
import { buttonLink } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { way } from './parts-view.ts';

/** Instead of the form: an account that nobody can be reached by registers nothing. */
export function verifyFirstView(messages: Messages, email: string, next: string): Html {
  const text = messages.applications.create;
  return html`${way(messages)}
<h1>${text.verifyEmail}</h1>
<p class="lead">${text.verifyEmailText(email)}</p>
<p class="actions">${buttonLink({ text: text.verifyEmailAction, href: `/account/verify?next=${encodeURIComponent(next)}` })}</p>`;
}
