// Owns the markup of the sign-in button that client applications show, and the address that it leads to.

import type { Messages } from '../../i18n/index.ts';
import { logoPath } from './asset-paths.ts';
import { type Html, html } from './html.ts';

/**
 * The button as an application writes it: a link, or without an address a button for its own script. Its text stays
 * French in every language (D35), and says so to whoever reads it aloud.
 * @param baseUrl address of the service, before the logo's; '' on our own pages
 */
export function signInButton({
  baseUrl,
  serviceName,
  variant = 'light',
  href,
}: {
  baseUrl: string;
  serviceName: string;
  variant?: 'light' | 'dark' | undefined;
  href?: string | undefined;
}): Html {
  const name = variant === 'dark' ? 'service-signin-btn service-signin-btn--dark' : 'service-signin-btn';
  const inside = html`<img src="${baseUrl}${logoPath}" alt="" width="22" height="22">Se connecter avec ${serviceName}`;
  return href === undefined
    ? html`<button type="button" class="${name}" lang="fr">${inside}</button>`
    : html`<a class="${name}" lang="fr" href="${href}">${inside}</a>`;
}

/** The address that a sign-in begins at (contract §1): scopes are separated by `+`, as forms write a space. */
export function authorizeAddress(
  baseUrl: string,
  request: { clientId: string; redirectUri: string; scopes: readonly string[]; state: string },
): string {
  const query = new URLSearchParams({
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    response_type: 'code',
    scope: request.scopes.join(' '),
    state: request.state,
  });
  return `${baseUrl}/oauth/authorize?${query}`;
}

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
