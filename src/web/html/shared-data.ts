// Owns the look of what an application would receive: each scope in words, with the person's own values.

import type { Messages } from '../../i18n/index.ts';
import { type Html, html } from './html.ts';

/** One granted scope with the values that the application would receive for it. */
export type SharedData =
  | { scope: 'openid'; value: string }
  | { scope: 'profile'; value: { name: string; avatar: string; updatedAt: Date } }
  | { scope: 'email'; value: { address: string; verified: boolean } }
  | { scope: 'phone'; value: string | undefined };

export const sharedDataView = (
  messages: Messages,
  shared: readonly SharedData[],
): Html => html`<ul class="shared">
${shared.map(
  (data) => html`<li>
<p>${messages.consent[data.scope]}</p>
${values(data, messages)}
</li>
`,
)}</ul>`;

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
