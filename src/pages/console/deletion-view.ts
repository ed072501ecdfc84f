// Owns the look of deleting an application.

import type { OwnApplication } from '../../store/applications.ts';
import { buttonLink, form, submitButton, textField } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { type Asked, applicationAddress, confirm, faultsAbove, way } from './parts-view.ts';

export type DeleteView = Asked & { application: OwnApplication; people: number; typed: string };

export function deleteView(view: DeleteView): Html {
  const { messages, application, errors } = view;
  const text = messages.applications.remove;
  return html`${way(messages, application, { below: 'overview' })}
${faultsAbove(messages, errors)}
<h1>${text.title(application.name)}</h1>
<p class="warning">${text.people(view.people)} ${text.text}</p>
${form({
  action: applicationAddress(application.clientId, 'delete'),
  csrf: view.csrf,
  body: html`${textField({
    name: 'name',
    label: text.name,
    hint: text.nameHint(application.name),
    value: view.typed,
    autocomplete: 'off',
    errors,
  })}
${confirm(view)}
<div class="actions">
${submitButton({ text: text.action, kind: 'danger' })}
${buttonLink({ text: text.cancel, href: applicationAddress(application.clientId), kind: 'secondary' })}
</div>`,
})}`;
}
