// Owns the look of letting an application that is held serve again.

import type { OwnApplication } from '../../store/applications.ts';
import { buttonLink, form, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { type Asked, applicationAddress, confirm, faultsAbove, way } from './parts-view.ts';

export type ReleaseView = Asked & { application: OwnApplication };

export function releaseView(view: ReleaseView): Html {
  const { messages, application, errors } = view;
  const { release: text, detail } = messages.applications;
  const { clientId, name } = application;
  return html`${way(messages, application, { below: 'overview' })}
${faultsAbove(messages, errors)}
<h1>${text.title(name)}</h1>
<p class="warning">${messages.applications.held.own}</p>
<p>${text.text}</p>
${form({
  action: applicationAddress(clientId, 'release'),
  csrf: view.csrf,
  body: html`${confirm(view)}
<div class="actions">
${submitButton({ text: text.action })}
${buttonLink({ text: detail.delete, href: applicationAddress(clientId, 'delete'), kind: 'danger' })}
</div>`,
})}`;
}
