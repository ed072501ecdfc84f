// Owns the look of the consent page: who asks, for which account, and the very values that would be shared.

import type { Messages } from '../../i18n/index.ts';
import type { Person } from '../../oauth/claims.ts';
import type { Scope } from '../../oauth/scopes.ts';
import { form, notice, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { cross, tick } from '../../web/html/icons.ts';
import { pictureAddress } from '../../web/html/picture-address.ts';
import { sharedDataView } from '../../web/html/shared-data.ts';

export type ConsentView = {
  messages: Messages;
  csrf: string;
  /** The sealed authorization request; the decision is the only other thing the form sends. */
  pending: string;
  application: {
    name: string;
    callbackHost: string;
    /** Whether an operator vouches for it; what else it says of itself is its owner's word. */
    verified?: boolean | undefined;
    logo?: string | null | undefined;
    homePage?: string | null | undefined;
    privacyPolicy?: string | null | undefined;
    termsOfService?: string | null | undefined;
  };
  account: Person;
  scopes: readonly Scope[];
  switchAccountHref: string;
  notice?: string | undefined;
};

export function consentView(view: ConsentView): Html {
  const { messages, application, account } = view;
  const text = messages.consent;
  return html`${notice(view.notice)}
${
  application.logo &&
  html`<img class="logo" src="${pictureAddress('', application.logo)}" alt="" width="72" height="72">
`
}<h1>${text.title(application.name)}</h1>
<dl class="parties">
<div>
<dt>${text.address}</dt>
<dd><strong class="host">${application.callbackHost}</strong> <span class="quiet">${text.addressAdvice}</span></dd>
${!application.verified && html`<dd class="unverified">${text.unverified}</dd>`}
</div>
${links(view)}
<div>
<dt>${text.account}</dt>
<dd><strong><bdi>${account.name}</bdi></strong> <span class="host">${account.email}</span> <a href="${view.switchAccountHref}">${text.switchAccount}</a></dd>
</div>
</dl>
<h2>${text.shared}</h2>
${sharedDataView(messages, view.scopes, view.account)}
<p>${text.next(application.callbackHost)}</p>
${form({
  action: '/consent',
  csrf: view.csrf,
  pending: view.pending,
  body: html`<div class="choices">
${submitButton({ text: text.deny, kind: 'choice', name: 'decision', value: 'deny', icon: cross })}
${submitButton({ text: text.allow, kind: 'choice', name: 'decision', value: 'allow', icon: tick })}
</div>`,
})}`;
}

/** What the application says about itself elsewhere. The host is shown, since the words are the same everywhere. */
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
  return html`<div>
<dt>${text.about}</dt>
${pages.map(
  ([label, href]) =>
    html`<dd><a href="${href}" target="_blank" rel="noopener noreferrer">${label}</a> <span class="quiet host">${new URL(href ?? '').host}</span></dd>
`,
)}</div>`;
}
