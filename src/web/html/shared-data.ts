// Shows the values that a client would receive, with one row per scope.
// A collapsed list contains the technical values.

import type { Messages } from '../../i18n/index.ts';
import { formatPhone } from '../../i18n/phones.ts';
import type { ClaimsSubject } from '../../oauth/claims.ts';
import type { Scope } from '../../oauth/scopes.ts';
import { breakable } from './breakable.ts';
import { type Html, html } from './html.ts';
import { avatarUrl } from './pictures.ts';
import { tag } from './tag.ts';
import { day } from './time.ts';

export const sharedDataView = (messages: Messages, scopes: readonly Scope[], user: ClaimsSubject): Html =>
  html`<div class="shared">
<dl class="shared-lines">
${scopes.map(
  (
    scope,
  ) => html`<div class="shared-line"><dt>${messages.consent[scope]}</dt><dd>${sharedValue(scope, user, messages.consent)}</dd></div>
`,
)}</dl>
${technicalDetails(scopes, user, messages)}
</div>`;

export function sharedValue(scope: Scope, user: ClaimsSubject, text: Messages['consent']): Html {
  switch (scope) {
    case 'openid':
      return html`<span class="quiet">${text.openidFor}</span>`;
    case 'profile':
      return html`<bdi>${user.name}</bdi> <img class="avatar" src="${avatarUrl('', user)}" alt="" width="24" height="24">`;
    case 'email': {
      const state = user.emailVerified ? text.emailVerified : text.emailNotVerified;
      return html`<span>${breakable(user.email)}</span> ${tag(state, user.emailVerified ? 'good' : 'waiting')}`;
    }
    case 'phone':
      return user.phone === null
        ? html`<span class="quiet">${text.noPhone}</span>`
        : html`${formatPhone(user.phone)}`;
  }
}

function technicalDetails(
  scopes: readonly Scope[],
  { userId, profileUpdatedAt }: ClaimsSubject,
  messages: Messages,
): Html | undefined {
  const { consent: text } = messages;
  const rows = [
    ...(scopes.includes('openid') ? [[text.identifier, html`<code>${userId}</code>`] as const] : []),
    ...(scopes.includes('profile') ? [[text.updatedAt, day(profileUpdatedAt, messages)] as const] : []),
  ];
  if (rows.length === 0) return undefined;
  return html`<details class="shared-details">
<summary>${text.details}</summary>
<dl class="facts">
${rows.map(
  ([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>
`,
)}</dl>
</details>`;
}
