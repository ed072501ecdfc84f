// /console/apis/:api_id/keys: the public keys by which an API may authenticate instead of a secret.
import type { FastifyInstance } from 'fastify';
import { changeKeys } from '../../../apis/changes.ts';
import { readKeys } from '../../../applications/protocol-fields.ts';
import type { Parts } from '../../../http/parts.ts';
import { notFound } from '../../../oauth/errors.ts';
import type { OwnApi } from '../../../store/own-apis.ts';
import {
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
  textArea,
} from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { APIS, apiAddress, way } from '../frame-view.ts';
import { ownApi, ownerOf } from '../sections.ts';
import { settingsError } from '../settings-errors.ts';

export function apiKeysPage(area: FastifyInstance, parts: Parts): void {
  const inWords = settingsError();
  area.formPage({
    url: `${APIS}/:api_id/keys`,
    about: (request) => ownApi(request, parts),
    begin: ({ jwks }) => ({ jwks: jwks === null ? '' : JSON.stringify(jwks, null, 2) }),
    read: (form) => ({ jwks: form.get('jwks') ?? '' }),
    async faults({ fields }) {
      const keys = await readKeys(fields.jwks);
      return keys !== null && 'fault' in keys ? [inWords(keys)] : [];
    },
    proof: true,
    inTransaction: true,
    async act({ request, about: { apiId, name }, fields }, transaction) {
      const jwks = await readKeys(fields.jwks);
      if (jwks !== null && 'fault' in jwks) return { faults: [inWords(jwks)] };
      if (!(await changeKeys(transaction, ownerOf(request), apiId, jwks, parts.now()))) throw notFound();
      return { to: `${apiAddress(apiId, 'keys')}?done=changed`, notice: 'api_keys_changed', subject: name };
    },
    done: ({ applications }) => ({ changed: applications.detail.done.changed }),
    page: ({ about: api, fields }) => ({
      title: (messages) => messages.apis.keys.title(api.name),
      main: (form) => keysView(form, api, fields.jwks),
    }),
  });
}

function keysView(view: FormState, api: OwnApi, jwks: string): Html {
  const { messages, csrf, errors } = view;
  const text = messages.apis.keys;
  return html`${way(messages, api, 'keys')}
${formStatus(view)}
<h1>${text.title(api.name)}</h1>
<p class="lead">${text.lead}</p>
${form({
  action: apiAddress(api.apiId, 'keys'),
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
${confirmationField(view)}
${submitButton({ text: messages.applications.edit.action })}`,
})}`;
}
