// Owns the look of what stands in place of a form for whoever has to verify their address first.

import { buttonLink } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

export type VerifyFirstWords = {
  verifyEmail: string;
  verifyEmailText: (email: string) => string;
  verifyEmailAction: string;
};

/** Instead of the form: an account that nobody can be reached by registers nothing. */
export function verifyFirstView(
  way: Html,
  text: VerifyFirstWords,
  { email, next }: { email: string; next: string },
): Html {
  return html`${way}
<h1>${text.verifyEmail}</h1>
<p class="lead">${text.verifyEmailText(email)}</p>
<p class="actions">${buttonLink({ text: text.verifyEmailAction, href: `/account/verify?next=${encodeURIComponent(next)}` })}</p>`;
}
