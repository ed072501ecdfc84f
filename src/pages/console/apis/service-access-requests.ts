// …/apis/:api_id/requests: grants, denies and revokes clients' service access to an API.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { endServiceAccessByOwner, grantServiceAccessByOwner } from '../../../apis/service-access.ts';
import { readQuery } from '../../../http/parameters.ts';
import type { Services } from '../../../http/services.ts';
import type { Locale, Messages } from '../../../i18n/index.ts';
import { textIn } from '../../../oauth/api.ts';
import { invalidRequest, notFound } from '../../../oauth/errors.ts';
import { getRedirectUriHost } from '../../../oauth/redirect-uri.ts';
import { findOwnerNames } from '../../../store/apis.ts';
import type { OwnedApi } from '../../../store/owned-apis.ts';
import {
  findServiceAccessRow,
  listServiceAccessOfApi,
  type ServiceAccessRow,
} from '../../../store/service-access.ts';
import { doneMessage } from '../../../web/form-errors.ts';
import { breakable } from '../../../web/html/breakable.ts';
import { buttonLink, submitButton } from '../../../web/html/buttons.ts';
import { choiceField, hiddenInput } from '../../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { notice } from '../../../web/html/notices.ts';
import { logo } from '../../../web/html/pictures.ts';
import { reauthenticationFields } from '../../../web/html/reauthentication-fields.ts';
import { APIS_URL, apiUrl, consoleNavigation } from '../layout.ts';
import { ownerOf, requireOwnedApi } from '../sections.ts';
import { serviceAccessDetails } from '../service-access-view.ts';

type AccessRequest = ServiceAccessRow & { ownerName: string };

const PATH = `${APIS_URL}/:api_id/requests`;

export function serviceAccessRequestPages(area: FastifyInstance, services: Services): void {
  const { database } = services;
  const addOwnerNames = async (rows: readonly ServiceAccessRow[]): Promise<AccessRequest[]> => {
    const names = await findOwnerNames(database, rows);
    return rows.map((row) => ({ ...row, ownerName: names.get(row.ownerId) ?? '' }));
  };

  area.get(PATH, async (request, reply) => {
    const api = await requireOwnedApi(request, services);
    const rows = await addOwnerNames(await listServiceAccessOfApi(database, api.apiId));
    return reply.page({
      title: ({ serviceAccess }) => serviceAccess.api.title(api.name),
      main: (messages) =>
        requestsView({ messages, api, rows, notice: doneMessage(request, messages.serviceAccess.api.done) }),
    });
  });

  area.formPage({
    path: `${PATH}/answer`,
    loadSubject: requireAccessRequest,
    pageUrl: ({ row: { apiId, clientId } }) => decisionUrl(apiId, clientId),
    parse: (form) => ({
      decision: form.get('decision') ?? '',
      scopes: form.getAll('scopes'),
      asked: form.get('asked') ?? '',
    }),
    initialFields: ({ row }) => ({ decision: '', scopes: row.scopes, asked: '' }),
    validate: ({ fields: { decision, scopes } }) =>
      decision === 'grant' && scopes.length === 0
        ? [{ field: 'scopes', text: ({ serviceAccess }) => serviceAccess.api.nothingChosen }]
        : [],
    requiresReauthentication: true,
    deletesSubject: true,
    async act({ request, subject: { row }, fields: { decision, scopes, asked } }, transaction) {
      const { apiId, clientId, clientName, requestedAt } = row;
      const listUrl = apiUrl(apiId, 'requests');
      const access = { apiId, clientId };
      if (decision === 'end') {
        await endServiceAccessByOwner(services, transaction, ownerOf(request), access, services.now());
        return `${listUrl}?done=ended`;
      }
      if (decision !== 'grant')
        throw invalidRequest('decision must be grant or end.', { kind: 'page_form_invalid' });
      // Grant only the request shown on the page. A newer request may come from a new owner of the client.
      const grant = { ...access, scopes, requestedAt };
      const isCurrent = asked === requestedAt.toISOString();
      if (
        !isCurrent ||
        !(await grantServiceAccessByOwner(services, transaction, ownerOf(request), grant, services.now()))
      )
        return { status: 409, errors: [{ text: ({ serviceAccess }) => serviceAccess.api.changed }] };
      return { to: `${listUrl}?done=granted`, notice: 'service_access_granted', subject: clientName };
    },
    render: ({ subject: { api, row }, fields }) => ({
      title: ({ serviceAccess }) =>
        row.grantedAt === null
          ? serviceAccess.api.decideTitle(row.clientName)
          : serviceAccess.ending.title(row.clientName, row.apiName),
      main: (form, locale) => decisionView({ ...form, api, row, locale, ticked: fields.scopes }),
    }),
  });

  async function requireAccessRequest(
    request: FastifyRequest,
  ): Promise<{ api: OwnedApi; row: AccessRequest }> {
    const api = await requireOwnedApi(request, services);
    const clientId = readQuery(request).get('client_id') ?? '';
    const accessRow = await findServiceAccessRow(database, { apiId: api.apiId, clientId });
    const [row] = await addOwnerNames(accessRow === undefined ? [] : [accessRow]);
    if (row === undefined) throw notFound();
    return { api, row };
  }
}

const decisionUrl = (apiId: string, clientId: string): string =>
  `${apiUrl(apiId, 'requests/answer')}?${new URLSearchParams({ client_id: clientId })}`;

function requestsView(view: {
  messages: Messages;
  api: OwnedApi;
  rows: readonly AccessRequest[];
  notice: string | undefined;
}): Html {
  const { messages, api, rows } = view;
  const text = messages.serviceAccess.api;
  return html`${consoleNavigation(messages, api, 'requests')}
${notice(view.notice)}
<h1>${text.title(api.name)}</h1>
<p class="lead">${text.lead}</p>
${
  rows.length === 0
    ? html`<div class="empty">
<p class="empty-title">${text.none}</p>
<p>${text.noneAdvice}</p>
</div>`
    : html`<p class="quiet">${text.scope}</p>
<ul class="item-list">
${rows.map(
  (row) => html`<li>
${clientHeading(row, messages, html`<h2><bdi>${row.clientName}</bdi></h2>`)}
${serviceAccessDetails(row, messages)}
<p class="actions"><a class="button button--${row.grantedAt === null ? 'secondary' : 'danger'}" href="${decisionUrl(api.apiId, row.clientId)}"><span>${row.grantedAt === null ? text.answer : text.end}<span class="visually-hidden"> ${row.clientName}</span></span></a></p>
</li>
`,
)}</ul>`
}`;
}

/** Client names aren't unique, so the redirect hosts and the owner are shown. */
const clientHeading = (row: AccessRequest, { serviceAccess }: Messages, heading?: Html): Html =>
  html`<div class="item-title">
${logo({ ...row, name: row.clientName }, 36)}
${heading}
<p class="quiet host">${breakable([...new Set(row.redirectUris.map(getRedirectUriHost))].join(', '))}</p>
<p class="quiet">${serviceAccess.api.owner} <bdi>${row.ownerName}</bdi></p>
</div>`;

type DecisionView = FormState & {
  api: OwnedApi;
  row: AccessRequest;
  locale: Locale;
  ticked: readonly string[];
};

function decisionView(view: DecisionView): Html {
  const { messages, csrf, api, row } = view;
  const { api: text, ending } = messages.serviceAccess;
  const isPending = row.grantedAt === null;
  const to = decisionUrl(api.apiId, row.clientId);
  return html`${consoleNavigation(messages, api, { below: 'requests' })}
${formStatus(view)}
<h1>${isPending ? text.decideTitle(row.clientName) : ending.title(row.clientName, row.apiName)}</h1>
${clientHeading(row, messages)}
<p>${isPending ? text.decideText : ending.text}</p>
${!isPending && serviceAccessDetails(row, messages)}
${form({
  action: to,
  csrf,
  body: html`${
    isPending &&
    html`${hiddenInput('asked', row.requestedAt.toISOString())}
${scopeChoices(view)}`
  }
${reauthenticationFields(view)}
<div class="actions">
${isPending && submitButton({ text: text.grant, name: 'decision', value: 'grant' })}
${submitButton({ text: isPending ? text.refuse : text.end, kind: isPending ? 'secondary' : 'danger', name: 'decision', value: 'end' })}
${buttonLink({ text: isPending ? text.later : messages.ownership.remove.cancel, href: apiUrl(api.apiId, 'requests'), kind: 'secondary' })}
</div>`,
})}`;
}

/** A scope deleted after the request has no description. Granting such a scope has no effect. */
const scopeChoices = ({ messages, api, row, locale, ticked, errors }: DecisionView): Html =>
  choiceField({
    name: 'scopes',
    kind: 'checkbox',
    legend: messages.serviceAccess.api.choose,
    choices: row.scopes.map((name) => {
      const scope = api.scopes.find((one) => one.name === name);
      const description = scope && textIn(scope, locale);
      return { value: name, label: name, hint: description, checked: ticked.includes(name) };
    }),
    errors,
  });
