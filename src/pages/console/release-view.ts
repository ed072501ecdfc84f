// Owns the look of letting an application that is held serve again.

import type { OwnApplication } from '../../store/applications.ts';
import {
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { applicationAddress, way } from './parts-view.ts';

export function releaseView(view: FormState & { application: OwnApplication }): Html {
  const { messages, csrf, application } = view;
  const { release: text, detail } = messages.applications;
  const { clientId, name } = application;
  return html`${way(messages, application, { below: 'overview' })}
${formStatus(view)}
<h1>${text.title(name)}</h1>
<p class="warning">${messages.applications.held.own}</p>
<p>${text.text}</p>
${form({
  action: applicationAddress(clientId, 'release'),
  csrf,
  body: html`${confirmationField(view)}
<div class="actions">
${submitButton({ text: text.action })}
${buttonLink({ text: detail.delete, href: applicationAddress(clientId, 'delete'), kind: 'danger' })}
</div>`,
})}`;
}
