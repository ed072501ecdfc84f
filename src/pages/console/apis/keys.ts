// …/apis/:api_id/keys: the public keys of an API that authenticates without a secret.
import type { FastifyInstance } from 'fastify';
import { replaceApiKeys } from '../../../apis/updates.ts';
import { parsePublicKeys } from '../../../clients/protocol-fields.ts';
import type { Services } from '../../../http/services.ts';
import { notFound } from '../../../oauth/errors.ts';
import type { OwnedApi } from '../../../store/owned-apis.ts';
import { submitButton } from '../../../web/html/buttons.ts';
import { textArea } from '../../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { reauthenticationFields } from '../../../web/html/reauthentication-fields.ts';
import { APIS_URL, apiUrl, consoleNavigation } from '../layout.ts';
import { ownerOf, requireOwnedApi } from '../sections.ts';
import { toSettingsError } from '../settings-errors.ts';

export function apiKeysPage(area: FastifyInstance, services: Services): void {
  const toFormError = toSettingsError();
  area.formPage({
    path: `${APIS_URL}/:api_id/keys`,
    loadSubject: (request) => requireOwnedApi(request, services),
    initialFields: ({ jwks }) => ({ jwks: jwks === null ? '' : JSON.stringify(jwks, null, 2) }),
    parse: (form) => ({ jwks: form.get('jwks') ?? '' }),
    async validate({ fields }) {
      const keys = await parsePublicKeys(fields.jwks);
      return keys !== null && 'code' in keys ? [toFormError(keys)] : [];
    },
    requiresReauthentication: true,
    inTransaction: true,
    async act({ request, subject: { apiId, name }, fields }, transaction) {
      const jwks = await parsePublicKeys(fields.jwks);
      if (jwks !== null && 'code' in jwks) return { errors: [toFormError(jwks)] };
      if (!(await replaceApiKeys(transaction, ownerOf(request), apiId, jwks, services.now())))
        throw notFound();
      return { to: `${apiUrl(apiId, 'keys')}?done=changed`, notice: 'api_keys_changed', subject: name };
    },
    doneMessages: ({ applications }) => ({ changed: applications.detail.done.changed }),
    render: ({ subject: api, fields }) => ({
      title: (messages) => messages.apis.keys.title(api.name),
      main: (form) => keysView(form, api, fields.jwks),
    }),
  });
}

function keysView(view: FormState, api: OwnedApi, jwks: string): Html {
  const { messages, csrf, errors } = view;
  const text = messages.apis.keys;
  return html`${consoleNavigation(messages, api, 'keys')}
${formStatus(view)}
<h1>${text.title(api.name)}</h1>
<p class="lead">${text.lead}</p>
${form({
  action: apiUrl(api.apiId, 'keys'),
  csrf,
  body: html`${textArea({
    name: 'jwks',
    label: text.label,
    hint: text.hint,
    value: jwks,
    rows: Math.min(20, Math.max(6, jwks.split('\n').length)),
    optional: messages.fields.optional,
    errors,
  })}
${reauthenticationFields(view)}
${submitButton({ text: messages.applications.edit.action })}`,
})}`;
}
