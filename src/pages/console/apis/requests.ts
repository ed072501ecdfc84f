// /console/apis/:api_id/requests and …/requests/answer: applications that ask on their own account; granting, refusing, ending.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { endAccess, grantAccess } from '../../../apis/service-access.ts';
import { queryOf } from '../../../http/parameters.ts';
import type { Parts } from '../../../http/parts.ts';
import type { Locale, Messages } from '../../../i18n/index.ts';
import { invalidRequest, notFound } from '../../../oauth/errors.ts';
import { callbackHost } from '../../../oauth/redirect-uri.ts';
import { findOwnerNames } from '../../../store/apis.ts';
import type { OwnApi } from '../../../store/own-apis.ts';
import {
  findServiceAccessRow,
  listAccessOfApi,
  type ServiceAccessRow,
} from '../../../store/service-access.ts';
import { doneOf } from '../../../web/faults.ts';
import {
  buttonLink,
  choiceField,
  confirmationField,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  notice,
  submitButton,
} from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { APIS, apiAddress, way } from '../frame-view.ts';
import { ownApi, ownerOf } from '../sections.ts';
import { accessFacts } from '../service-access-view.ts';

/** A request with the name of the client's owner. */
type Requested = ServiceAccessRow & { ownerName: string };

const PAGE = `${APIS}/:api_id/requests`;

export function apiRequestPages(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;
  const withOwnerNames = async (rows: readonly ServiceAccessRow[]): Promise<Requested[]> => {
    const names = await findOwnerNames(database, rows);
    return rows.map((row) => ({ ...row, ownerName: names.get(row.ownerId) ?? '' }));
  };

  area.get(PAGE, async (request, reply) => {
    const api = await ownApi(request, parts);
    const rows = await withOwnerNames(await listAccessOfApi(database, api.apiId));
    return reply.page({
      title: ({ serviceAccess }) => serviceAccess.api.title(api.name),
      main: (messages) =>
        requestsView({ messages, api, rows, notice: doneOf(request, messages.serviceAccess.api.done) }),
    });
  });

  area.formPage({
    url: `${PAGE}/answer`,
    about: requestOf,
    address: ({ row: { apiId, clientId } }) => answerAddress(apiId, clientId),
    read: (form) => ({
      decision: form.get('decision') ?? '',
      scopes: form.all('scopes'),
      asked: form.get('asked') ?? '',
    }),
    begin: ({ row }) => ({ decision: '', scopes: row.scopes, asked: '' }),
    faults: ({ fields: { decision, scopes } }) =>
      decision === 'grant' && scopes.length === 0
        ? [{ field: 'scopes', text: ({ serviceAccess }) => serviceAccess.api.nothingChosen }]
        : [],
    proof: true,
    deletes: true,
    async act({ request, about: { row }, fields: { decision, scopes, asked } }, transaction) {
      const { apiId, clientId, clientName, askedAt } = row;
      const at = apiAddress(apiId, 'requests');
      const access = { apiId, clientId };
      if (decision === 'end') {
        await endAccess(parts, transaction, ownerOf(request), access, parts.now());
        return `${at}?done=ended`;
      }
      if (decision !== 'grant') throw invalidRequest('decision must be grant or end.', { kind: 'page_form' });
      // What was asked for anew since the page was opened may be the next owner's of the application.
      const wish = { ...access, scopes, askedAt };
      const isSeen = asked === askedAt.toISOString();
      if (!isSeen || !(await grantAccess(parts, transaction, ownerOf(request), wish, parts.now())))
        return { status: 409, faults: [{ text: ({ serviceAccess }) => serviceAccess.api.changed }] };
      return { to: `${at}?done=granted`, notice: 'service_access_granted', subject: clientName };
    },
    page: ({ about: { api, row }, fields }) => ({
      title: ({ serviceAccess }) =>
        row.grantedAt === null
          ? serviceAccess.api.decideTitle(row.clientName)
          : serviceAccess.ending.title(row.clientName, row.apiName),
      main: (form, locale) => answerView({ ...form, api, row, locale, ticked: fields.scopes }),
    }),
  });

  /** @throws OAuthError `not_found` when the API is not the person's own, or that application has not asked */
  async function requestOf(request: FastifyRequest): Promise<{ api: OwnApi; row: Requested }> {
    const api = await ownApi(request, parts);
    const clientId = queryOf(request).get('client_id') ?? '';
    const found = await findServiceAccessRow(database, { apiId: api.apiId, clientId });
    const [row] = await withOwnerNames(found === undefined ? [] : [found]);
    if (row === undefined) throw notFound();
    return { api, row };
  }
}

/** The page on which a request is answered, or what was granted is ended. */
const answerAddress = (apiId: string, clientId: string): string =>
  `${apiAddress(apiId, 'requests/answer')}?${new URLSearchParams({ client_id: clientId })}`;

function requestsView(view: {
  messages: Messages;
  api: OwnApi;
  rows: readonly Requested[];
  notice: string | undefined;
}): Html {
  const { messages, api, rows } = view;
  const text = messages.serviceAccess.api;
  return html`${way(messages, api, 'requests')}
${notice(view.notice)}
<h1>${text.title(api.name)}</h1>
<p class="lead">${text.lead}</p>
${
  rows.length === 0
    ? html`<div class="empty">
<p class="empty-title">${text.none}</p>
<p>${text.noneAdvice}</p>
</div>`
    : html`<ul class="connected">
${rows.map(
  (row) => html`<li>
${who(row, messages, html`<h2><bdi>${row.clientName}</bdi></h2>`)}
${accessFacts(row, messages)}
<p class="actions"><a class="button button--${row.grantedAt === null ? 'secondary' : 'danger'}" href="${answerAddress(api.apiId, row.clientId)}"><span>${row.grantedAt === null ? text.answer : text.end}<span class="unseen"> ${row.clientName}</span></span></a></p>
</li>
`,
)}</ul>`
}`;
}

/** Names may be alike: where its callbacks lead and whose it is stand beside them. */
const who = (row: Requested, { serviceAccess }: Messages, heading?: Html): Html =>
  html`<div class="connected-who">
${heading}
<p class="quiet host">${[...new Set(row.redirectUris.map(callbackHost))].join(', ')}</p>
<p class="quiet">${serviceAccess.api.owner} <bdi>${row.ownerName}</bdi></p>
</div>`;

type AnswerView = FormState & {
  api: OwnApi;
  row: Requested;
  locale: Locale;
  ticked: readonly string[];
};

function answerView(view: AnswerView): Html {
  const { messages, csrf, api, row } = view;
  const { api: text, ending } = messages.serviceAccess;
  const isWaiting = row.grantedAt === null;
  const to = answerAddress(api.apiId, row.clientId);
  return html`${way(messages, api, { below: 'requests' })}
${formStatus(view)}
<h1>${isWaiting ? text.decideTitle(row.clientName) : ending.title(row.clientName, row.apiName)}</h1>
${who(row, messages)}
<p>${isWaiting ? text.decideText : ending.text}</p>
${!isWaiting && accessFacts(row, messages)}
${form({
  action: to,
  csrf,
  body: html`${
    isWaiting &&
    html`${hiddenInput('asked', row.askedAt.toISOString())}
${choices(view)}`
  }
${confirmationField(view)}
<div class="actions">
${isWaiting && submitButton({ text: text.grant, name: 'decision', value: 'grant' })}
${submitButton({ text: isWaiting ? text.refuse : text.end, kind: isWaiting ? 'secondary' : 'danger', name: 'decision', value: 'end' })}
${buttonLink({ text: isWaiting ? text.later : messages.ownership.remove.cancel, href: apiAddress(api.apiId, 'requests'), kind: 'secondary' })}
</div>`,
})}`;
}

/** What was asked for; a scope that the API has no more is granted for nothing. */
const choices = ({ messages, api, row, locale, ticked, errors }: AnswerView): Html =>
  choiceField({
    name: 'scopes',
    kind: 'checkbox',
    legend: messages.serviceAccess.api.choose,
    choices: row.scopes.map((name) => {
      const scope = api.scopes.find((one) => one.name === name);
      const words = scope && (scope[locale] || scope.fr || scope.en);
      return { value: name, label: name, hint: words, checked: ticked.includes(name) };
    }),
    errors,
  });
