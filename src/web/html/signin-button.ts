// The sign-in button that clients show, and the authorization URL it links to.

import type { Messages } from '../../i18n/index.ts';
import { logoPath } from './asset-paths.ts';
import { type Html, html } from './html.ts';

/**
 * Without `href`, renders a button for the client's own script. The label is always French.
 * @param baseUrl of the logo, or '' on the service's pages
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
  const content = html`<img src="${baseUrl}${logoPath}" alt="" width="22" height="22">Se connecter avec ${serviceName}`;
  return href === undefined
    ? html`<button type="button" class="${name}" lang="fr">${content}</button>`
    : html`<a class="${name}" lang="fr" href="${href}">${content}</a>`;
}

/** Scopes are separated by `+`, the form encoding of a space. */
export function authorizeUrl(
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

export function buttonPreviews({
  messages,
  serviceName,
  href,
  isInert = false,
}: {
  messages: Messages;
  serviceName: string;
  href: string | undefined;
  isInert?: boolean;
}): Html {
  const { button: text } = messages.integrate;
  return html`<div class="previews">
${(['light', 'dark'] as const).map(
  (variant) => html`<figure class="preview preview--${variant}">
<div class="preview-ground"${isInert && html` inert`}>${signInButton({ baseUrl: '', serviceName, variant, href })}</div>
<figcaption>${text[variant]}</figcaption>
</figure>
`,
)}</div>`;
}
