// …/delete: deletes an application or an API.
import type { FastifyInstance } from 'fastify';
import { cleanName } from '../../accounts/account-fields.ts';
import type { Services } from '../../http/services.ts';
import { deleteResource } from '../../ownership/deletion.ts';
import { countUsersOfClient } from '../../store/owned-clients.ts';
import { isOwner } from '../../store/owned-resources.ts';
import type { ValidationError } from '../../web/form-errors.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { textField } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { reauthenticationFields } from '../../web/html/reauthentication-fields.ts';
import { type ClientOrApi, clientOrApiUrl, consoleNavigation, idOf, kindOf } from './layout.ts';
import { type ConsoleSection, ownerOf } from './sections.ts';

export function resourceDeletionPage(
  area: FastifyInstance,
  services: Services,
  { kind, listUrl, path, find }: ConsoleSection,
): void {
  const { database } = services;
  const wrongNameError: ValidationError = {
    field: 'name',
    text: ({ ownership }) => ownership.remove.nameDiffers,
  };

  area.formPage({
    path: `${path}/delete`,
    loadSubject: (request) => find(request, services),
    parse: (form) => ({ name: form.get('name') ?? '' }),
    validate: ({ subject: { name }, fields }) => (cleanName(fields.name) === name ? [] : [wrongNameError]),
    requiresReauthentication: true,
    deletesSubject: true,
    async act({ request, subject: clientOrApi }, transaction) {
      const [owner, id, { name }] = [ownerOf(request), idOf(clientOrApi), clientOrApi];
      const deleted = await deleteResource(kind, transaction, owner, id, name, services.now());
      // The user is still the owner, so the name has changed since the page was loaded.
      if (!deleted && (await isOwner(transaction, kind, owner.userId, id)))
        return { errors: [wrongNameError] };
      return {
        to: `${listUrl}?done=deleted`,
        notice: deleted ? `${kind}_deleted` : undefined,
        subject: name,
      };
    },
    async render({ subject: clientOrApi, fields }) {
      const userCount =
        kind === 'application' ? await countUsersOfClient(database, idOf(clientOrApi)) : undefined;
      return {
        title: ({ ownership }) => ownership.remove.title(clientOrApi.name),
        main: (form) => deletionView(form, clientOrApi, userCount, fields.name),
      };
    },
  });
}

function deletionView(
  view: FormState,
  clientOrApi: ClientOrApi,
  userCount: number | undefined,
  enteredName: string,
): Html {
  const { messages, csrf, errors } = view;
  const text = messages.ownership.remove;
  return html`${consoleNavigation(messages, clientOrApi, { below: 'edit' })}
${formStatus(view)}
<h1>${text.title(clientOrApi.name)}</h1>
<p class="warning">${userCount !== undefined && html`${text.people(userCount)} `}${text.text[kindOf(clientOrApi)]}</p>
${form({
  action: clientOrApiUrl(clientOrApi, 'delete'),
  csrf,
  body: html`${textField({
    name: 'name',
    label: text.name,
    hint: text.nameHint(clientOrApi.name),
    value: enteredName,
    autocomplete: 'off',
    errors,
  })}
${reauthenticationFields(view)}
<div class="actions">
${submitButton({ text: text.action, kind: 'danger' })}
${buttonLink({ text: text.cancel, href: clientOrApiUrl(clientOrApi, 'edit'), kind: 'secondary' })}
</div>`,
})}`;
}
