// Links to sign in, sign up or re-authenticate through an identity provider.
import type { Messages } from '../../i18n/index.ts';
import { type Html, html } from './html.ts';

export interface ProviderLink {
  name: string;
  href: string;
}

/** Further providers are collapsed. */
export const MAX_PROVIDER_BUTTONS = 4;

/** Renders links instead of forms because the CSP directive `form-action` (web/page.ts) forbids redirects to providers. */
export function providerLinks(
  messages: Messages,
  providers: readonly ProviderLink[],
  textOf: (name: string) => string = messages.linkedAccounts.continueWith,
  kind: 'primary' | 'secondary' = 'secondary',
): Html | undefined {
  if (providers.length === 0) return undefined;
  const [visible, folded] = [providers.slice(0, MAX_PROVIDER_BUTTONS), providers.slice(MAX_PROVIDER_BUTTONS)];
  return html`<div class="providers">
${visible.map((provider) => providerLink(provider, textOf, kind))}${
  folded.length > 0 &&
  html`<details class="disclosure">
<summary>${messages.linkedAccounts.otherProviders}</summary>
<div class="providers">
${folded.map((provider) => providerLink(provider, textOf, kind))}</div>
</details>
`
}</div>`;
}

const providerLink = ({ name, href }: ProviderLink, textOf: (name: string) => string, kind: string): Html =>
  html`<a class="button button--${kind} provider" href="${href}">${providerMark(name)}<span>${textOf(name)}</span></a>
`;

/** Shows an initial because most providers restrict the use of their logos. */
export const providerMark = (name: string): Html =>
  html`<span class="provider-mark" aria-hidden="true">${[...name.trim()][0]?.toUpperCase()}</span>`;

export const orDivider = ({ linkedAccounts }: Messages): Html =>
  html`<p class="or"><span>${linkedAccounts.or}</span></p>`;

export const identityCard = ({ linkedAccounts }: Messages, provider: string, label: string): Html =>
  html`<p class="identity">${providerMark(provider)}<span><span class="quiet">${linkedAccounts.signUp.as(provider)}</span><br><bdi>${label}</bdi></span></p>`;
