// Views of an API's scopes.

import type { Locale, Messages } from '../../../i18n/index.ts';
import { type ApiScope, textIn } from '../../../oauth/api.ts';
import type { OwnedApi } from '../../../store/owned-apis.ts';
import { buttonLink, submitButton } from '../../../web/html/buttons.ts';
import { choiceField, textField } from '../../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { notice } from '../../../web/html/notices.ts';
import { reauthenticationFields } from '../../../web/html/reauthentication-fields.ts';
import { tag } from '../../../web/html/tag.ts';
import { apiUrl, consoleNavigation, editLink } from '../layout.ts';
import { descriptionField, sortDescriptionErrors } from './description-field.ts';

export type ScopesView = { messages: Messages; api: OwnedApi; locale: Locale; done: string | undefined };

export function scopesView({ messages, api, locale, done }: ScopesView): Html {
  const text = messages.apis.scopes;
  return html`${consoleNavigation(messages, api, 'scopes')}
${notice(done)}
<h1>${text.title(api.name)}</h1>
<p class="lead">${text.lead}</p>
${
  api.scopes.length === 0
    ? html`<div class="empty">
<p class="empty-title">${text.none}</p>
<p>${text.noneAdvice}</p>
</div>`
    : html`<dl class="facts facts--framed facts--application">
${api.scopes.map((scope) => scopeRow(scope, messages, api, locale, removeLink(scope, messages, api)))}</dl>`
}
<p class="actions">${buttonLink({ text: text.add, href: apiUrl(api.apiId, 'scopes/new') })}</p>`;
}

const scopeUrl = (apiId: string, action: 'edit' | 'remove', name: string): string =>
  apiUrl(apiId, `scopes/${action}-${encodeURIComponent(name)}`);

function removeLink({ name }: ApiScope, { apis }: Messages, { apiId }: OwnedApi): Html {
  const text = apis.scopes;
  return html`<a class="edit-link edit-link--danger" href="${scopeUrl(apiId, 'remove', name)}">${text.remove}<span class="visually-hidden"> ${name}</span></a>`;
}

export function scopeRow(
  scope: ApiScope,
  messages: Messages,
  api: OwnedApi,
  locale: Locale,
  more?: Html,
): Html {
  const text = messages.apis.scopes;
  const { name, sensitive, agents } = scope;
  const edit = editLink(scopeUrl(api.apiId, 'edit', name), messages.applications.detail.edit, name);
  return html`<div><dt><code>${name}</code></dt><dd class="row"><span>${textIn(scope, locale)} ${sensitive && tag(text.sensitiveTag, 'waiting')}${agents && (api.allowedClients === 'agents' ? tag(text.agentsTag) : html`<span class="quiet">${text.agentsLater}</span>`)}</span>${
    more === undefined
      ? edit
      : html`<span class="changes">${edit}
${more}</span>`
  }</dd></div>
`;
}

export type ScopeView = FormState & { locale: Locale; api: OwnedApi; scope: ApiScope; isNew: boolean };

export function scopeView(state: ScopeView): Html {
  const view = { ...state, errors: sortDescriptionErrors(state.errors, state.locale) };
  const { messages, csrf, api, scope, isNew, errors } = view;
  const text = messages.apis.scopes;
  const allowsAgents = api.allowedClients === 'agents';
  return html`${consoleNavigation(messages, api, { below: 'scopes' })}
${formStatus(view)}
<h1>${isNew ? text.add : text.editTitle(scope.name)}</h1>
${!isNew && html`<p class="quiet">${text.fixed}</p>`}
${form({
  action: isNew ? apiUrl(api.apiId, 'scopes/new') : scopeUrl(api.apiId, 'edit', scope.name),
  csrf,
  body: html`${
    isNew &&
    textField({
      name: 'scope',
      label: text.name,
      hint: text.nameHint,
      value: scope.name,
      autocomplete: 'off',
      errors,
    })
  }
${descriptionField({ ...view, legend: text.description, hint: text.descriptionHint, texts: scope })}
${choiceField({
  name: 'traits',
  kind: 'checkbox',
  legend: text.traits,
  choices: [
    { value: 'sensitive', ...text.sensitive, checked: scope.sensitive },
    {
      value: 'agents',
      label: text.agents.label,
      hint: allowsAgents
        ? text.agents.hint
        : html`${text.agents.closed} <a href="${apiUrl(api.apiId, 'edit')}#allowed_clients">${text.agents.open}</a>`,
      checked: scope.agents,
      // If the API no longer allows agents, the scope can still be made unavailable to them.
      disabled: !allowsAgents && !scope.agents,
    },
  ],
})}
${reauthenticationFields(view, messages.apis.confirmHint)}
<div class="actions">
${submitButton({ text: isNew ? text.add : messages.applications.edit.action })}
${buttonLink({ text: messages.ownership.remove.cancel, href: apiUrl(api.apiId, 'scopes'), kind: 'secondary' })}
</div>`,
})}`;
}

export type ScopeRemovalView = FormState & { api: OwnedApi; scope: ApiScope };

export function scopeRemovalView(view: ScopeRemovalView): Html {
  const { messages, csrf, api, scope } = view;
  const text = messages.apis.scopes;
  return html`${consoleNavigation(messages, api, { below: 'scopes' })}
${formStatus(view)}
<h1>${text.removeTitle(scope.name)}</h1>
<p class="warning">${text.removeText}</p>
${form({
  action: scopeUrl(api.apiId, 'remove', scope.name),
  csrf,
  body: html`<div class="actions">
${submitButton({ text: text.removeAction, kind: 'danger' })}
${buttonLink({ text: messages.ownership.remove.cancel, href: apiUrl(api.apiId, 'scopes'), kind: 'secondary' })}
</div>`,
})}`;
}
