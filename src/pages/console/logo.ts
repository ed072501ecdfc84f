// …/applications/:client_id/logo: uploads or removes an application's logo.
import type { FastifyInstance } from 'fastify';
import { encodePicture } from '../../accounts/pictures.ts';
import { isMachineClient } from '../../clients/kind.ts';
import { updateLogo } from '../../clients/updates.ts';
import { readForm } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import { notFound } from '../../oauth/errors.ts';
import type { OwnedClient } from '../../store/owned-clients.ts';
import { cropScriptPath } from '../../web/html/asset-paths.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { pictureField } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { attentionNotice } from '../../web/html/notices.ts';
import { logo } from '../../web/html/pictures.ts';
import { uploadedFile } from '../../web/uploads.ts';
import { APPLICATIONS_URL, applicationUrl, consoleNavigation } from './layout.ts';
import { ownerOf, requireOwnedClient } from './sections.ts';

export function logoPage(area: FastifyInstance, services: Services): void {
  area.formPage({
    path: `${APPLICATIONS_URL}/:client_id/logo`,
    acceptsFile: true,
    loadSubject: (request) => requireOwnedClient(request, services),
    parse: () => ({}),
    async act({ request, subject: { clientId } }) {
      const isRemoval = readForm(request).get('remove') === 'yes';
      const file = isRemoval ? undefined : uploadedFile(request, 'logo');
      const picture = file && (await encodePicture(file));
      if (!isRemoval && picture === undefined) {
        const errorCode = file === undefined ? 'fileMissing' : 'fileUnreadable';
        return { errors: [{ field: 'logo', text: ({ applications }) => applications.problems[errorCode] }] };
      }
      const owner = ownerOf(request);
      const changed = await services.database.transaction((transaction) =>
        updateLogo(transaction, owner, clientId, picture, services.now()),
      );
      if (!changed) throw notFound();
      return `${applicationUrl(clientId)}?done=${isRemoval ? 'logo-removed' : 'logo'}`;
    },
    render: ({ subject: application }) => ({
      title: (messages) => messages.applications.logo.title(application.name),
      scripts: [cropScriptPath],
      main: (form) => logoView(form, application),
    }),
  });
}

function logoView(view: FormState, application: OwnedClient): Html {
  const { messages, csrf, errors } = view;
  const { logo: text, edit } = messages.applications;
  const action = applicationUrl(application.clientId, 'logo');
  return html`${consoleNavigation(messages, application, 'logo')}
${formStatus(view)}
<h1>${text.title(application.name)}</h1>
${!isMachineClient(application) && html`<p class="lead">${text.lead}</p>`}
${attentionNotice(application.verified ? edit.verified : undefined)}
${application.logo !== null && html`<p>${logo(application, 128)}</p>`}
${form({
  action,
  csrf,
  upload: true,
  body: html`${pictureField({ name: 'logo', label: text.file, hint: text.fileHint, shape: 'square', errors }, messages)}
<div class="actions">
${submitButton({ text: edit.action })}
${application.logo !== null && submitButton({ text: text.remove, kind: 'secondary', name: 'remove', value: 'yes' })}
${buttonLink({ text: messages.ownership.remove.cancel, href: applicationUrl(application.clientId), kind: 'secondary' })}
</div>`,
})}`;
}
