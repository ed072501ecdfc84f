// Owns the look of the consent page: who asks, for which account, and the very values that would be shared.

import type { Messages } from '../../i18n/index.ts';
import type { Person } from '../../oauth/claims.ts';
import type { Scope } from '../../oauth/scopes.ts';
import { decisionForm, partiesView } from '../../web/html/decision.ts';
import { attention } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { sharedDataView } from '../../web/html/shared-data.ts';

export type ConsentView = {
  messages: Messages;
  csrf: string;
  /** The sealed authorization request; the decision is the only other thing the form sends. */
  pending: string;
  application: {
    name: string;
    callbackHost: string;
    verified?: boolean | undefined;
    logo?: string | null | undefined;
    homePage?: string | null | undefined;
    privacyPolicy?: string | null | undefined;
    termsOfService?: string | null | undefined;
  };
  account: Person;
  scopes: readonly Scope[];
  /** Whether a mail waits whose link verifies the account's address, and leads back here. */
  verifying: boolean;
  switchAccountHref: string;
  notice?: string | undefined;
};

export function consentView(view: ConsentView): Html {
  const { messages, application } = view;
  const text = messages.consent;
  const { callbackHost } = application;
  return html`${attention(view.notice)}
<h1>${text.title(application.name)}</h1>
${partiesView({ ...view, application: { ...application, hosts: [callbackHost] }, about: links(view) })}
<h2>${text.shared}</h2>
${sharedDataView(messages, view.scopes, view.account)}
${view.verifying && html`<p class="quiet">${text.verifying}</p>`}
<p class="quiet">${text.next(callbackHost)}</p>
${decisionForm({ messages, action: '/consent', csrf: view.csrf, pending: view.pending })}`;
}

/**
 * What the application says about itself elsewhere. A host that is not the one above is shown, since the words are the
 * same everywhere.
 */
function links({ messages, application }: ConsentView): Html | undefined {
  const text = messages.consent;
  const pages = (
    [
      [text.homePage, application.homePage],
      [text.privacyPolicy, application.privacyPolicy],
      [text.termsOfService, application.termsOfService],
    ] as const
  ).filter(([, href]) => href);
  if (pages.length === 0) return undefined;
  const hostOf = (href: string) => {
    const { host } = new URL(href);
    return host !== application.callbackHost && html` <span class="quiet host">${host}</span>`;
  };
  return html`<ul class="party-links" aria-label="${text.about}">
${pages.map(
  ([label, href]) =>
    href &&
    html`<li><a href="${href}" target="_blank" rel="noopener noreferrer">${label}</a>${hostOf(href)}</li>
`,
)}</ul>
`;
}
