// Owns the previews of the sign-in button.

import type { Messages } from '../../i18n/index.ts';
import { type Html, html } from './html.ts';
import { signInButton } from './signin-button.ts';

/** Both variants, each on a background that contrasts with it. */
export function previews({
  messages,
  serviceName,
  href,
}: {
  messages: Messages;
  serviceName: string;
  href: string | undefined;
}): Html {
  const { button: text } = messages.integrate;
  return html`<div class="previews">
${(['light', 'dark'] as const).map(
  (variant) => html`<figure class="preview preview--${variant}">
<div class="preview-ground">${signInButton({ baseUrl: '', serviceName, variant, href })}</div>
<figcaption>${text[variant]}</figcaption>
</figure>
`,
)}</div>`;
}
