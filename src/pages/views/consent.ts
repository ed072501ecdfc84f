// Owns the look of the consent page: who asks, for which account, and the very values that would be shared.
import { form, notice, submitButton } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import type { Messages } from '../../i18n/index.ts';

/** One granted scope with the values that the application would receive for it. */
export type SharedData =
  | { scope: 'openid'; value: string }
  | { scope: 'profile'; value: { name: string; avatar: string; updatedAt: Date } }
  | { scope: 'email'; value: { address: string; verified: boolean } }
  | { scope: 'phone'; value: string | undefined };

export type ConsentView = {
  messages: Messages;
  csrf: string;
  /** The sealed authorization request; the decision is the only other thing the form sends. */
  pending: string;
  application: { name: string; callbackHost: string };
  account: { name: string; email: string };
  shared: readonly SharedData[];
  switchAccountHref: string;
  notice?: string | undefined;
};

export function consentView(view: ConsentView): Html {
  const { messages, application, account } = view;
  const text = messages.consent;
  return html`${notice(view.notice)}
<h1>${text.title(application.name)}</h1>
<dl class="parties">
<div>
<dt>${text.address}</dt>
<dd><strong class="host">${application.callbackHost}</strong> <span class="quiet">${text.addressAdvice}</span></dd>
</div>
<div>
<dt>${text.account}</dt>
<dd><strong><bdi>${account.name}</bdi></strong> <span class="host">${account.email}</span> <a href="${view.switchAccountHref}">${text.switchAccount}</a></dd>
</div>
</dl>
<h2>${text.shared}</h2>
<ul class="shared">
${view.shared.map(
  (shared) => html`<li>
<p>${text[shared.scope]}</p>
${values(shared, messages)}
</li>
`,
)}</ul>
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

function values(shared: SharedData, messages: Messages): Html {
  const text = messages.consent;
  switch (shared.scope) {
    case 'openid':
      return list([[text.identifier, html`<code>${shared.value}</code>`]]);
    case 'profile':
      return list([
        [text.name, html`<bdi>${shared.value.name}</bdi>`],
        [text.avatar, html`<img class="avatar" src="${shared.value.avatar}" alt="" width="40" height="40">`],
        [
          text.updatedAt,
          html`<time datetime="${shared.value.updatedAt.toISOString()}">${messages.date(shared.value.updatedAt)}</time>`,
        ],
      ]);
    case 'email': {
      const state = shared.value.verified ? text.emailVerified : text.emailNotVerified;
      return list([[text.emailAddress, html`${shared.value.address} <span class="tag">${state}</span>`]]);
    }
    case 'phone':
      if (shared.value === undefined) return html`<p class="quiet">${text.noPhone}</p>`;
      return list([[text.phoneNumber, shared.value]]);
  }
}

function list(rows: readonly (readonly [label: string, value: Html | string])[]): Html {
  return html`<dl class="facts">
${rows.map(
  ([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>
`,
)}</dl>`;
}

const tick = html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d="m4 10.5 4 4 8-9"/></svg>`;
const cross = html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d="m5 5 10 10M15 5 5 15"/></svg>`;
