// Owns the look of what an application would receive: a line for each scope with the person's own value, and behind
// « Details » what no person knows by sight.

import type { Messages } from '../../i18n/index.ts';
import { phoneInWords } from '../../i18n/phones.ts';
import type { Person } from '../../oauth/claims.ts';
import type { Scope } from '../../oauth/scopes.ts';
import { type Html, html } from './html.ts';
import { avatarAddress } from './pictures.ts';
import { tag } from './tag.ts';
import { day } from './time.ts';

export const sharedDataView = (messages: Messages, scopes: readonly Scope[], person: Person): Html =>
  html`<div class="shared">
<dl class="shared-lines">
${scopes.map(
  (
    scope,
  ) => html`<div class="shared-line"><dt>${messages.consent[scope]}</dt><dd>${sharedValue(scope, person, messages.consent)}</dd></div>
`,
)}</dl>
${details(scopes, person, messages)}
</div>`;

export function sharedValue(scope: Scope, person: Person, text: Messages['consent']): Html {
  switch (scope) {
    case 'openid':
      return html`<span class="quiet">${text.openidFor}</span>`;
    case 'profile':
      return html`<bdi>${person.name}</bdi> <img class="avatar" src="${avatarAddress('', person)}" alt="" width="24" height="24">`;
    case 'email': {
      const state = person.emailVerified ? text.emailVerified : text.emailNotVerified;
      return html`<span>${person.email}</span> ${tag(state, person.emailVerified ? 'good' : 'waiting')}`;
    }
    case 'phone':
      return person.phone === null
        ? html`<span class="quiet">${text.noPhone}</span>`
        : html`${phoneInWords(person.phone)}`;
  }
}

function details(
  scopes: readonly Scope[],
  { userId, profileUpdatedAt }: Person,
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
  ([label, shown]) => html`<div><dt>${label}</dt><dd>${shown}</dd></div>
`,
)}</dl>
</details>`;
}
