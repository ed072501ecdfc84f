// Owns the look of an application's secrets: those that live, making the next one, ending one.

import type { Messages } from '../../i18n/index.ts';
import type { OwnApplication, OwnSecret } from '../../store/applications.ts';
import {
  buttonLink,
  confirmationField,
  type FormError,
  form,
  hiddenInput,
  notice,
  selectField,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { applicationAddress, faultsAbove, moment, way } from './parts-view.ts';

/** How long the present secrets may go on, in seconds (D28: 0 to 7 days). */
export const OVERLAPS = ['0', '3600', '86400', '259200', '604800'] as const;

export type SecretsView = {
  messages: Messages;
  csrf: string;
  formValue: string;
  application: OwnApplication;
  secrets: readonly OwnSecret[];
  overlap: string;
  recent: boolean;
  notice: string | undefined;
  errors: readonly FormError[];
};

export function secretsView(view: SecretsView): Html {
  const { messages, application, secrets, errors } = view;
  const text = messages.applications.secrets;
  return html`${way(messages, application, 'secrets')}
${notice(view.notice)}
${faultsAbove(messages, errors)}
<h1>${text.title(application.name)}</h1>
<p class="lead">${text.lead}</p>
<h2>${text.live}</h2>
${
  secrets.length === 0
    ? html`<p class="warning">${text.none}</p>`
    : html`<ul class="cards">
${secrets.map((secret) => card(secret, view))}</ul>`
}
<h2>${text.rotate}</h2>
<p>${text.rotateHint}</p>
${form({
  action: applicationAddress(application.clientId, 'secrets'),
  csrf: view.csrf,
  body: html`${hiddenInput('form', view.formValue)}
${selectField({
  name: 'overlap',
  label: text.overlap,
  options: OVERLAPS.map((value) => ({ value, label: text.overlaps[value] })),
  value: view.overlap,
})}
${confirm(view)}
${submitButton({ text: text.rotateAction })}`,
})}`;
}

function card(secret: OwnSecret, { messages, application }: SecretsView): Html {
  const text = messages.applications.secrets;
  const { number, createdAt, expiresAt, lastUsedAt } = secret;
  const href = applicationAddress(application.clientId, `secrets/${number}/end`);
  return html`<li class="card">
<h3>${text.number(number)}</h3>
<dl class="facts facts--card">
<div><dt>${text.created}</dt><dd>${moment(createdAt, messages)}</dd></div>
<div><dt>${text.ends}</dt><dd>${expiresAt === null ? text.noEnd : moment(expiresAt, messages)}</dd></div>
<div><dt>${text.used}</dt><dd>${lastUsedAt === null ? text.never : moment(lastUsedAt, messages)}</dd></div>
</dl>
<p class="actions"><a class="button button--secondary" href="${href}"><span>${text.end}<span class="unseen"> ${text.endOf(number)}</span></span></a></p>
</li>
`;
}

export type EndSecretView = {
  messages: Messages;
  csrf: string;
  application: OwnApplication;
  number: number;
  /** Nothing is left when it ends. */
  isLast: boolean;
  recent: boolean;
  errors: readonly FormError[];
};

export function endSecretView(view: EndSecretView): Html {
  const { messages, application, number, errors } = view;
  const text = messages.applications.secrets;
  return html`${way(messages, application, { below: 'secrets' })}
${faultsAbove(messages, errors)}
<h1>${text.endTitle(number)}</h1>
<p>${text.endText}</p>
${view.isLast && html`<p class="warning">${text.endLast}</p>`}
${form({
  action: applicationAddress(application.clientId, `secrets/${number}/end`),
  csrf: view.csrf,
  body: html`${confirm(view)}
<div class="actions">
${submitButton({ text: text.endAction, kind: 'danger' })}
${buttonLink({ text: text.keep, href: applicationAddress(application.clientId, 'secrets'), kind: 'secondary' })}
</div>`,
})}`;
}

const confirm = (view: { messages: Messages; recent: boolean; errors: readonly FormError[] }) =>
  confirmationField({
    recent: view.recent,
    label: view.messages.fields.confirmPassword,
    hint: view.messages.fields.confirmPasswordHint,
    errors: view.errors,
  });
