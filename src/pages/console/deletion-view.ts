// Owns the look of deleting an application.

import type { OwnApplication } from '../../store/applications.ts';
import {
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { applicationAddress, way } from './parts-view.ts';

export type DeleteView = FormState & { application: OwnApplication; people: number; typed: string };

export function deleteView(view: DeleteView): Html {
  const { messages, csrf, application, people, typed, errors } = view;
  const text = messages.applications.remove;
  return html`${way(messages, application, { below: 'overview' })}
${formStatus(view)}
<h1>${text.title(application.name)}</h1>
<p class="warning">${text.people(people)} ${text.text}</p>
${form({
  action: applicationAddress(application.clientId, 'delete'),
  csrf,
  typed: true,
  body: html`${textField({
    name: 'name',
    label: text.name,
    hint: text.nameHint(application.name),
    value: typed,
    autocomplete: 'off',
    errors,
  })}
${confirmationField(view)}
<div class="actions">
${submitButton({ text: text.action, kind: 'danger' })}
${buttonLink({ text: text.cancel, href: applicationAddress(application.clientId), kind: 'secondary' })}
</div>`,
})}`;
}
