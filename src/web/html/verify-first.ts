// The page in place of one that takes a verified email address: why, and where to verify it.
import type { Messages } from '../../i18n/index.ts';
import { buttonLink } from './form.ts';
import { type Html, html } from './html.ts';

/** @param next the page that the person wanted, to which verifying leads back */
export function verifyFirstView(messages: Messages, email: string, next: string): Html {
  const text = messages.account.credentials.verifyFirst;
  return html`<h1>${text.title}</h1>
<p class="lead">${text.text(email)}</p>
<p class="actions">${buttonLink({ text: text.action, href: `/account/verify?next=${encodeURIComponent(next)}` })}</p>`;
}
