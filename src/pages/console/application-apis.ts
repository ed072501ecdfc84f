// /console/applications/:client_id/apis and …/apis/end: what an application may do at APIs on its own account.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type AskFault, askForAccess, endAccess } from '../../apis/service-access.ts';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import type { OwnApplication } from '../../store/applications.ts';
import {
  findServiceAccessRow,
  listAccessOfClient,
  type ServiceAccessRow,
} from '../../store/service-access.ts';
import type { Fault } from '../../web/faults.ts';
import {
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { APPLICATIONS, applicationAddress, way } from './frame-view.ts';
import { confidentialApplication, ownerOf } from './sections.ts';
import { accessFacts } from './service-access-view.ts';

const PAGE = `${APPLICATIONS}/:client_id/apis`;

/** The fields that faults of a request belong to. */
const FIELDS: Partial<Record<string, string>> = {
  identifierMissing: 'identifier',
  unknown: 'identifier',
  exists: 'identifier',
  scopesMissing: 'scopes',
  scopeUnknown: 'scopes',
};

export function applicationApisPages(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.formPage({
    url: PAGE,
    about: (request) => confidentialApplication(request, parts),
    read: (form) => ({
      identifier: form.get('identifier')?.trim() ?? '',
      scopes: form.get('scopes')?.trim() ?? '',
    }),
    faults: ({ fields: { identifier, scopes } }) => [
      ...(identifier === '' ? [faultOf('identifierMissing')] : []),
      ...(scopes === '' ? [faultOf('scopesMissing')] : []),
    ],
    proof: true,
    async act({ request, about: { clientId, name }, fields }) {
      const scopes = [...new Set(fields.scopes.split(/\s+/))];
      const wish = { clientId, identifier: fields.identifier, scopes };
      const outcome = await askForAccess(parts, ownerOf(request), wish, parts.now());
      const to = `${applicationAddress(clientId, 'apis')}?done=${outcome}`;
      if (outcome === 'asked') return to;
      // Both are the person's own: what was granted is theirs to know of.
      if (outcome === 'granted') return { to, notice: 'service_access_granted', subject: name };
      return { ...(outcome === 'tooOften' && { status: 429 }), faults: [faultOf(outcome)] };
    },
    done: ({ serviceAccess }) => serviceAccess.client.done,
    async page({ about: application, fields }) {
      const rows = await listAccessOfClient(database, application.clientId);
      return {
        title: (messages) => messages.serviceAccess.client.title(application.name),
        main: (form) => applicationApisView({ ...form, application, rows, typed: fields }),
      };
    },
  });

  area.formPage({
    url: `${PAGE}/end`,
    about: accessOf,
    address: ({ row: { clientId, apiId } }) => endAddress(clientId, apiId),
    read: () => ({}),
    proof: true,
    deletes: true,
    async act({ request, about: { row } }, transaction) {
      await endAccess(parts, transaction, ownerOf(request), row, parts.now());
      return `${applicationAddress(row.clientId, 'apis')}?done=ended`;
    },
    page: ({ about: { application, row } }) => ({
      title: ({ serviceAccess }) => serviceAccess.ending.title(row.clientName, row.apiName),
      main: (form) => applicationEndView({ ...form, application, row }),
    }),
  });

  /** @throws OAuthError `not_found` when the application is not the person's own, or has nothing of that API */
  async function accessOf(
    request: FastifyRequest,
  ): Promise<{ application: OwnApplication; row: ServiceAccessRow }> {
    const application = await confidentialApplication(request, parts);
    const apiId = queryOf(request).get('api_id') ?? '';
    const row = await findServiceAccessRow(database, { apiId, clientId: application.clientId });
    if (row === undefined) throw notFound();
    return { application, row };
  }
}

function faultOf(fault: AskFault | 'identifierMissing' | 'scopesMissing'): Fault {
  const field = FIELDS[fault];
  return { ...(field && { field }), text: ({ serviceAccess }) => serviceAccess.client.faults[fault] };
}

/** The page that asks before an access is ended. */
const endAddress = (clientId: string, apiId: string): string =>
  `${applicationAddress(clientId, 'apis/end')}?${new URLSearchParams({ api_id: apiId })}`;

function applicationApisView(
  view: FormState & {
    application: OwnApplication;
    rows: readonly ServiceAccessRow[];
    typed: { identifier: string; scopes: string };
  },
): Html {
  const { messages, csrf, application, rows, typed, errors } = view;
  const text = messages.serviceAccess.client;
  return html`${way(messages, application, 'apis')}
${formStatus(view)}
<h1>${text.title(application.name)}</h1>
<p class="lead">${text.lead}</p>
${
  rows.length === 0
    ? html`<p class="quiet">${text.none}</p>`
    : html`<ul class="connected">
${rows.map(
  (row) => html`<li>
<div class="connected-who">
<h2><bdi>${row.apiName}</bdi></h2>
<p class="quiet host">${row.identifier}</p>
</div>
${accessFacts(row, messages)}
<p class="actions"><a class="button button--${row.grantedAt === null ? 'secondary' : 'danger'}" href="${endAddress(application.clientId, row.apiId)}"><span>${row.grantedAt === null ? text.cancel : text.end}<span class="unseen"> ${row.apiName}</span></span></a></p>
</li>
`,
)}</ul>`
}
<h2>${text.ask}</h2>
${form({
  action: applicationAddress(application.clientId, 'apis'),
  csrf,
  body: html`${textField({
    name: 'identifier',
    label: messages.apis.form.identifier,
    hint: text.identifierHint,
    type: 'url',
    value: typed.identifier,
    errors,
  })}
${textField({ name: 'scopes', label: messages.applications.detail.scopes, hint: text.scopesHint, value: typed.scopes, errors })}
${confirmationField(view)}
${submitButton({ text: text.action })}`,
})}`;
}

function applicationEndView(view: FormState & { application: OwnApplication; row: ServiceAccessRow }): Html {
  const { messages, csrf, application, row } = view;
  const { ending: text, client } = messages.serviceAccess;
  return html`${way(messages, application, { below: 'apis' })}
${formStatus(view)}
<h1>${text.title(row.clientName, row.apiName)}</h1>
<p>${text.text}</p>
${accessFacts(row, messages)}
${form({
  action: endAddress(application.clientId, row.apiId),
  csrf,
  body: html`${confirmationField(view)}
<div class="actions">
${submitButton({ text: row.grantedAt === null ? client.cancel : client.end, kind: 'danger' })}
${buttonLink({ text: messages.ownership.remove.cancel, href: applicationAddress(application.clientId, 'apis'), kind: 'secondary' })}
</div>`,
})}`;
}
