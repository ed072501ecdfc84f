// /console/applications/:client_id/logo: giving an application a logo, or taking it away.
import type { FastifyInstance } from 'fastify';
import { encodePicture } from '../../accounts/pictures.ts';
import { changeLogo } from '../../applications/changes.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
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
import { fileOf } from '../../web/uploads.ts';
import { APPLICATIONS, applicationAddress, way } from './frame-view.ts';
import { ownApplication, ownerOf } from './sections.ts';

export function logoPage(area: FastifyInstance, parts: Parts): void {
  area.formPage({
    url: `${APPLICATIONS}/:client_id/logo`,
    upload: true,
    about: (request) => ownApplication(request, parts),
    read: () => ({}),
    async act({ request, about: { clientId } }) {
      const remove = formOf(request).get('remove') === 'yes';
      const file = remove ? undefined : fileOf(request, 'logo');
      const picture = file && (await encodePicture(file));
      if (!remove && picture === undefined) {
        const fault = file === undefined ? 'fileMissing' : 'fileUnreadable';
        return { faults: [{ field: 'logo', text: ({ applications }) => applications.problems[fault] }] };
      }
      const owner = ownerOf(request);
      const changed = await parts.database.transaction((transaction) =>
        changeLogo(transaction, owner, clientId, picture, parts.now()),
      );
      if (!changed) throw notFound();
      return `${applicationAddress(clientId)}?done=${remove ? 'logo-removed' : 'logo'}`;
    },
    page: ({ about: application }) => ({
      title: (messages) => messages.applications.logo.title(application.name),
      main: (form) => logoView(form, application),
    }),
  });
}

function logoView(view: FormState, application: OwnApplication): Html {
  const { messages, csrf, errors } = view;
  const { logo: text, edit } = messages.applications;
  const action = applicationAddress(application.clientId, 'logo');
  return html`${way(messages, application, { below: 'overview' })}
${formStatus(view)}
<h1>${text.title(application.name)}</h1>
<p class="lead">${text.lead}</p>
${attention(application.verified ? edit.verified : undefined)}
${application.logo !== null && html`<p>${logoOf(application, 128)}</p>`}
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
${submitButton({ text: edit.action })}
${application.logo !== null && submitButton({ text: text.remove, kind: 'secondary', name: 'remove', value: 'yes' })}
${buttonLink({ text: messages.ownership.remove.cancel, href: applicationAddress(application.clientId), kind: 'secondary' })}
</div>`,
})}`;
}
