// Owns the look of what an application would receive: each scope in words, with the person's own values.

import type { Messages } from '../../i18n/index.ts';
import { phoneInWords } from '../../i18n/phones.ts';
import type { Person } from '../../oauth/claims.ts';
import type { Scope } from '../../oauth/scopes.ts';
import { type Html, html } from './html.ts';
import { avatarAddress } from './picture-address.ts';
import { tag } from './tag.ts';
import { day } from './time.ts';

export const sharedDataView = (messages: Messages, scopes: readonly Scope[], person: Person): Html =>
  html`<ul class="shared">
${scopes.map(
  (scope) => html`<li>
<p>${messages.consent[scope]}</p>
${values(scope, person, messages)}
</li>
`,
)}</ul>`;

function values(scope: Scope, person: Person, messages: Messages): Html {
  const text = messages.consent;
  switch (scope) {
    case 'openid':
      return list([[text.identifier, html`<code>${person.userId}</code>`]]);
    case 'profile': {
      const avatar = avatarAddress('', person);
      return list([
        [text.name, html`<bdi>${person.name}</bdi>`],
        [text.avatar, html`<img class="avatar" src="${avatar}" alt="" width="40" height="40">`],
        [text.updatedAt, day(person.profileUpdatedAt, messages)],
      ]);
    }
    case 'email': {
      const state = person.emailVerified ? text.emailVerified : text.emailNotVerified;
      return list([
        [text.emailAddress, html`${person.email} ${tag(state, person.emailVerified ? 'good' : 'waiting')}`],
      ]);
    }
    case 'phone':
      if (person.phone === null) return html`<p class="quiet">${text.noPhone}</p>`;
      return list([[text.phoneNumber, phoneInWords(person.phone)]]);
  }
}

function list(rows: readonly (readonly [label: string, value: Html | string])[]): Html {
  return html`<dl class="facts">
${rows.map(
  ([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>
`,
)}</dl>`;
}
