// Owns the look of letting an API that is held serve again.

import type { OwnApi } from '../../../store/own-apis.ts';
import {
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
} from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { apiAddress, apiWay } from './frame-view.ts';

export function releaseView(view: FormState & { api: OwnApi }): Html {
  const { messages, csrf, api } = view;
  const { detail } = messages.apis;
  const { title, action } = messages.applications.release;
  return html`${apiWay(messages, api, { below: 'overview' })}
${formStatus(view)}
<h1>${title(api.name)}</h1>
<p class="warning">${detail.held.own}</p>
<p>${detail.releaseText}</p>
${form({
  action: apiAddress(api.apiId, 'release'),
  csrf,
  body: html`${confirmationField(view)}
<div class="actions">
${submitButton({ text: action })}
${buttonLink({ text: detail.delete, href: apiAddress(api.apiId, 'delete'), kind: 'danger' })}
</div>`,
})}`;
}
