// …/applications/:client_id/apis: requests and revokes a client's service access to APIs.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  type AccessRequestError,
  endServiceAccessByOwner,
  requestAccess,
} from '../../apis/service-access.ts';
import { readQuery } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import { notFound } from '../../oauth/errors.ts';
import type { OwnedClient } from '../../store/owned-clients.ts';
import {
  findServiceAccessRow,
  listServiceAccessOfClient,
  type ServiceAccessRow,
} from '../../store/service-access.ts';
import type { ValidationError } from '../../web/form-errors.ts';
import { breakable } from '../../web/html/breakable.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { codeBlock } from '../../web/html/code.ts';
import { textField } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { reauthenticationFields } from '../../web/html/reauthentication-fields.ts';
import { APPLICATIONS_URL, applicationUrl, consoleNavigation } from './layout.ts';
import { ownerOf, requireConfidentialClient } from './sections.ts';
import { serviceAccessDetails } from './service-access-view.ts';
import { fillTemplate } from './snippets/fill.ts';

const PATH = `${APPLICATIONS_URL}/:client_id/apis`;

const TOKEN_COMMAND = `curl {{issuer}}/oauth/token \\
  -u "{{clientId}}:$CLIENT_SECRET" \\
  -d grant_type=client_credentials \\
  --data-urlencode resource='{{resource}}'`;

const ERROR_FIELDS: Partial<Record<string, string>> = {
  identifierMissing: 'identifier',
  unknown: 'identifier',
  exists: 'identifier',
  scopesMissing: 'scopes',
  scopeUnknown: 'scopes',
};

export function clientServiceAccessPages(area: FastifyInstance, services: Services): void {
  const { database } = services;

  area.formPage({
    path: PATH,
    loadSubject: (request) => requireConfidentialClient(request, services),
    parse: (form) => ({
      identifier: form.get('identifier')?.trim() ?? '',
      scopes: form.get('scopes')?.trim() ?? '',
    }),
    validate: ({ fields: { identifier, scopes } }) => [
      ...(identifier === '' ? [toFormError('identifierMissing')] : []),
      ...(scopes === '' ? [toFormError('scopesMissing')] : []),
    ],
    requiresReauthentication: true,
    async act({ request, subject: { clientId, name }, fields }) {
      const scopes = [...new Set(fields.scopes.split(/\s+/))];
      const accessRequest = { clientId, identifier: fields.identifier, scopes };
      const outcome = await requestAccess(services, ownerOf(request), accessRequest, services.now());
      const to = `${applicationUrl(clientId, 'apis')}?done=${outcome}`;
      if (outcome === 'asked') return to;
      // If the user also owns the API, access is granted at once.
      if (outcome === 'granted') return { to, notice: 'service_access_granted', subject: name };
      return { ...(outcome === 'tooOften' && { status: 429 }), errors: [toFormError(outcome)] };
    },
    doneMessages: ({ serviceAccess }) => serviceAccess.client.done,
    async render({ subject: application, fields }) {
      const rows = await listServiceAccessOfClient(database, application.clientId);
      return {
        title: (messages) => messages.serviceAccess.client.title(application.name),
        main: (form) =>
          applicationApisView({
            ...form,
            application,
            rows,
            entered: fields,
            issuer: services.config.baseUrl,
          }),
      };
    },
  });

  area.formPage({
    path: `${PATH}/end`,
    loadSubject: requireServiceAccess,
    pageUrl: ({ row: { clientId, apiId } }) => revokeUrl(clientId, apiId),
    parse: () => ({}),
    requiresReauthentication: true,
    deletesSubject: true,
    async act({ request, subject: { row } }, transaction) {
      await endServiceAccessByOwner(services, transaction, ownerOf(request), row, services.now());
      return `${applicationUrl(row.clientId, 'apis')}?done=ended`;
    },
    render: ({ subject: { application, row } }) => ({
      title: ({ serviceAccess }) => serviceAccess.ending.title(row.clientName, row.apiName),
      main: (form) => revokeAccessView({ ...form, application, row }),
    }),
  });

  async function requireServiceAccess(
    request: FastifyRequest,
  ): Promise<{ application: OwnedClient; row: ServiceAccessRow }> {
    const application = await requireConfidentialClient(request, services);
    const apiId = readQuery(request).get('api_id') ?? '';
    const row = await findServiceAccessRow(database, { apiId, clientId: application.clientId });
    if (row === undefined) throw notFound();
    return { application, row };
  }
}

function toFormError(error: AccessRequestError | 'identifierMissing' | 'scopesMissing'): ValidationError {
  const field = ERROR_FIELDS[error];
  return { ...(field && { field }), text: ({ serviceAccess }) => serviceAccess.client.errors[error] };
}

const revokeUrl = (clientId: string, apiId: string): string =>
  `${applicationUrl(clientId, 'apis/end')}?${new URLSearchParams({ api_id: apiId })}`;

type ServiceAccessView = FormState & {
  application: OwnedClient;
  rows: readonly ServiceAccessRow[];
  entered: { identifier: string; scopes: string };
  issuer: string;
};

function applicationApisView(view: ServiceAccessView): Html {
  const { messages, csrf, application, rows, entered, errors } = view;
  const text = messages.serviceAccess.client;
  return html`${consoleNavigation(messages, application, 'apis')}
${formStatus(view)}
<h1>${text.title(application.name)}</h1>
<p class="lead">${text.lead}</p>
${
  rows.length === 0
    ? html`<p class="quiet">${text.none}</p>`
    : html`<ul class="item-list">
${rows.map(
  (row) => html`<li>
<div class="item-title">
<h2><bdi>${row.apiName}</bdi></h2>
<p class="quiet host">${breakable(row.identifier)}</p>
</div>
${serviceAccessDetails(row, messages)}
<p class="actions"><a class="button button--${row.grantedAt === null ? 'secondary' : 'danger'}" href="${revokeUrl(application.clientId, row.apiId)}"><span>${row.grantedAt === null ? text.cancel : text.end}<span class="visually-hidden"> ${row.apiName}</span></span></a></p>
</li>
`,
)}</ul>`
}
${tokenCommand(view)}
<h2>${text.ask}</h2>
${form({
  action: applicationUrl(application.clientId, 'apis'),
  csrf,
  body: html`${textField({
    name: 'identifier',
    label: messages.apis.form.identifier,
    hint: text.identifierHint,
    type: 'url',
    value: entered.identifier,
    errors,
  })}
${textField({ name: 'scopes', label: messages.applications.detail.scopes, hint: text.scopesHint, value: entered.scopes, errors })}
${reauthenticationFields(view)}
${submitButton({ text: text.action })}`,
})}`;
}

/** Undefined if the application has no access yet. */
function tokenCommand({ messages, application, rows, issuer }: ServiceAccessView): Html | undefined {
  const granted = rows.find(({ grantedAt }) => grantedAt !== null);
  if (granted === undefined) return undefined;
  const { clientId } = application;
  const values = { issuer, clientId, resource: granted.identifier };
  return html`<h2>${messages.serviceAccess.client.getToken}</h2>
${codeBlock({ id: 'get-token', name: messages.integrate.page.run, language: 'sh', text: fillTemplate(TOKEN_COMMAND, 'sh', values), labels: messages.integrate })}`;
}

function revokeAccessView(view: FormState & { application: OwnedClient; row: ServiceAccessRow }): Html {
  const { messages, csrf, application, row } = view;
  const { ending: text, client } = messages.serviceAccess;
  return html`${consoleNavigation(messages, application, { below: 'apis' })}
${formStatus(view)}
<h1>${text.title(row.clientName, row.apiName)}</h1>
<p>${text.text}</p>
${serviceAccessDetails(row, messages)}
${form({
  action: revokeUrl(application.clientId, row.apiId),
  csrf,
  body: html`${reauthenticationFields(view)}
<div class="actions">
${submitButton({ text: row.grantedAt === null ? client.cancel : client.end, kind: 'danger' })}
${buttonLink({ text: messages.ownership.remove.cancel, href: applicationUrl(application.clientId, 'apis'), kind: 'secondary' })}
</div>`,
})}`;
}
