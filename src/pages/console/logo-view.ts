// Owns the look of giving an application a logo, or taking it away.

import type { OwnApplication } from '../../store/applications.ts';
import {
  attention,
  buttonLink,
  type FormState,
  fileField,
  form,
  formStatus,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { logoOf } from '../../web/html/pictures.ts';
import { applicationAddress, way } from './frame-view.ts';

export type LogoView = FormState & { application: OwnApplication };

export function logoView(view: LogoView): Html {
  const { messages, csrf, application, errors } = view;
  const { logo: text, secrets, edit } = messages.applications;
  const action = applicationAddress(application.clientId, 'logo');
  return html`${way(messages, application, { below: 'overview' })}
${formStatus(view)}
<h1>${text.title(application.name)}</h1>
<p class="lead">${text.lead}</p>
${attention(application.verified ? edit.verified : undefined)}
${
  application.logo !== null &&
  html`<h2>${text.current}</h2>
<p>${logoOf(application, 128)}</p>`
}
${form({
  action,
  csrf,
  upload: true,
  body: html`${fileField({
    name: 'logo',
    label: text.file,
    hint: text.fileHint,
    accept: 'image/png,image/jpeg,image/webp',
    errors,
  })}
<div class="actions">
${submitButton({ text: text.action })}
${application.logo !== null && submitButton({ text: text.remove, kind: 'secondary', name: 'remove', value: 'yes' })}
${buttonLink({ text: secrets.back, href: applicationAddress(application.clientId), kind: 'secondary' })}
</div>`,
})}`;
}
