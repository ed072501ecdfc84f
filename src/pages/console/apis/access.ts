// …/apis/:api_id/access: lists, blocks and unblocks the clients with access to an API.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { restoreClientAccess, revokeClientAccess } from '../../../apis/client-access.ts';
import { readQuery } from '../../../http/parameters.ts';
import type { Services } from '../../../http/services.ts';
import type { Messages } from '../../../i18n/index.ts';
import { notFound } from '../../../oauth/errors.ts';
import { MAX_COUNTED } from '../../../store/admin-counts.ts';
import { type AccessRow, type ApiClient, findApiClient, listApiAccess } from '../../../store/api-access.ts';
import type { OwnedApi } from '../../../store/owned-apis.ts';
import { doneMessage } from '../../../web/form-errors.ts';
import { buttonLink, submitButton } from '../../../web/html/buttons.ts';
import { type FormState, form, formStatus } from '../../../web/html/form.ts';
import { type Html, html, type Renderable } from '../../../web/html/html.ts';
import { attentionNotice, notice } from '../../../web/html/notices.ts';
import { reauthenticationFields } from '../../../web/html/reauthentication-fields.ts';
import { tag } from '../../../web/html/tag.ts';
import { day, timeAgo } from '../../../web/html/time.ts';
import { APIS_URL, apiUrl, consoleNavigation } from '../layout.ts';
import { ownerOf, requireOwnedApi } from '../sections.ts';
import { apiClientLogo, apiClientName, clientDetails } from './client-view.ts';

const ACCESS_URL = `${APIS_URL}/:api_id/access`;

const ACCESS_DECISIONS = {
  block: { perform: revokeClientAccess, notice: 'api_access_cut', excluded: true },
  restore: { perform: restoreClientAccess, notice: 'api_access_restored', excluded: false },
} as const satisfies Record<AccessDecision, object>;

export function apiAccessPages(area: FastifyInstance, services: Services): void {
  const { database } = services;

  area.get(ACCESS_URL, async (request, reply) => {
    const api = await requireOwnedApi(request, services);
    const { access, capped } = await loadAccess(services, api.apiId);
    return reply.page({
      title: (messages) => messages.apiAccess.access.title(api.name),
      main: (messages) =>
        accessView({
          messages,
          api,
          access,
          capped,
          notice: doneMessage(request, messages.apiAccess.access.done),
        }),
    });
  });

  for (const decision of Object.keys(ACCESS_DECISIONS) as AccessDecision[]) {
    const { perform, notice, excluded } = ACCESS_DECISIONS[decision];
    area.formPage({
      path: `${ACCESS_URL}/${decision}`,
      loadSubject: requireApiAndClient,
      // The client is already blocked or unblocked, for example after a double click.
      respondInstead: ({ api, client }) =>
        (client.excludedAt !== null) === excluded ? apiUrl(api.apiId, 'access') : undefined,
      pageUrl: ({ api, client }) => decisionUrl(api.apiId, decision, client.clientId),
      parse: () => ({}),
      requiresReauthentication: true,
      inTransaction: true,
      async act({ request, subject: { api, client } }, transaction) {
        const access = { apiId: api.apiId, clientId: client.clientId };
        const to = `${apiUrl(api.apiId, 'access')}?done=${decision}`;
        if (!(await perform(transaction, ownerOf(request), access, services.now()))) return to;
        return { to, notice, subject: apiClientName(client) };
      },
      render: ({ subject: { api, client } }) => ({
        title: (messages) => messages.apiAccess[decision].title(apiClientName(client)),
        main: (form) => decisionView({ ...form, api, client, decision }),
      }),
    });
  }

  async function requireApiAndClient(request: FastifyRequest): Promise<{ api: OwnedApi; client: ApiClient }> {
    const api = await requireOwnedApi(request, services);
    const clientId = readQuery(request).get('client_id') ?? '';
    const client = await findApiClient(database, api.apiId, clientId);
    if (client === undefined) throw notFound();
    return { api, client };
  }
}

export function loadAccess({ config, database, now }: Services, apiId: string) {
  const secondsAgo = (seconds: number) => new Date(now().getTime() - seconds * 1000);
  const { refreshTokenIdleTtl: idle, refreshTokenMaxTtl: max } = config;
  const liveSince = { rotated: secondsAgo(idle), created: max === 0 ? new Date(0) : secondsAgo(max) };
  return listApiAccess(database, apiId, liveSince);
}

type AccessDecision = 'block' | 'restore';

/** The client ID is in the query because it may be a URL. */
const decisionUrl = (apiId: string, decision: AccessDecision, clientId: string): string =>
  `${apiUrl(apiId, `access/${decision}`)}?${new URLSearchParams({ client_id: clientId })}`;

type AccessView = {
  messages: Messages;
  api: OwnedApi;
  access: readonly AccessRow[];
  capped: boolean;
  notice: string | undefined;
};

function accessView(view: AccessView): Html {
  const { messages, api, access } = view;
  const text = messages.apiAccess.access;
  const [allowed, blocked] = [false, true].map((isBlocked) =>
    access.filter(({ excludedAt }) => (excludedAt !== null) === isBlocked),
  ) as [AccessRow[], AccessRow[]];
  return html`${consoleNavigation(messages, api, 'access')}
${notice(view.notice)}
<h1>${text.title(api.name)}</h1>
<p class="lead">${text.lead}</p>
${view.capped && attentionNotice(text.capped(messages.operations.number(MAX_COUNTED)))}
${
  allowed.length === 0
    ? html`<div class="empty">
<p class="empty-title">${text.none}</p>
<p>${text.noneAdvice}</p>
</div>`
    : html`<p class="quiet">${text.hint}</p>`
}
${accessGroup(
  text.applications,
  allowed.filter(({ agent }) => !agent),
  view,
)}
${accessGroup(
  text.agents,
  allowed.filter(({ agent }) => agent),
  view,
  text.agentsText,
)}
${accessGroup(text.excluded, blocked, view)}`;
}

const accessGroup = (
  title: string,
  rows: readonly AccessRow[],
  view: AccessView,
  words?: string,
): Html | false =>
  rows.length > 0 &&
  html`<h2>${title}</h2>
${words !== undefined && html`<p>${words}</p>`}
<ul class="item-list">
${rows.map((row) => accessEntry(row, view))}</ul>`;

function accessEntry(row: AccessRow, { messages, api }: AccessView): Html {
  const text = messages.apiAccess.access;
  const { clientId, agent, isAllowed, excludedAt, hasServiceAccess } = row;
  const name = apiClientName(row);
  const decision = excludedAt === null ? 'block' : 'restore';
  return html`<li>
<div class="item-title">
${apiClientLogo(row, 36)}
${agent ? html`<h3 class="host">${name}</h3>` : html`<h3><bdi>${name}</bdi></h3>`}
<p class="quiet host">${clientDetails(row, messages)}</p>
</div>
<dl class="facts">
${!isAllowed && excludedAt === null && html`<div><dt>${messages.applications.detail.state}</dt><dd>${tag(text.blocked, 'stopped')}</dd></div>`}
${row.grants > 0 && grantDetails(row, messages)}
${hasServiceAccess && isAllowed && excludedAt === null && html`<div><dt>${text.hasServiceAccess}</dt><dd>${tag(text.granted, 'good')}</dd></div>`}
${excludedAt !== null && html`<div><dt>${text.excludedOn}</dt><dd>${day(excludedAt, messages)}</dd></div>`}
</dl>
<p class="actions"><a class="button button--${decision === 'block' ? 'danger' : 'secondary'}" href="${decisionUrl(api.apiId, decision, clientId)}"><span>${text[decision]}<span class="visually-hidden"> ${name}</span></span></a></p>
</li>
`;
}

function grantDetails({ grants: count, userCount, since, lastAt }: AccessRow, messages: Messages): Html {
  const { apiAccess, operations } = messages;
  const text = apiAccess.access;
  const formattedCount = userCount === 1 ? null : operations.number(userCount);
  return html`<div><dt>${text.grants}</dt><dd>${text.counted(operations.number(count), formattedCount)}</dd></div>
${since !== null && html`<div><dt>${text.since}</dt><dd>${day(since, messages)}</dd></div>`}
${lastAt !== null && html`<div><dt>${text.lastAt}</dt><dd>${timeAgo(lastAt, messages)}</dd></div>`}`;
}

type DecisionView = FormState & { api: OwnedApi; client: ApiClient; decision: AccessDecision };

function decisionView(view: DecisionView): Html {
  const { messages, csrf, api, client, decision } = view;
  const text = messages.apiAccess[decision];
  const consequences =
    decision === 'block'
      ? messages.apiAccess.block.text(messages.apis.detail.lasting(api.tokenLifetime))
      : describeUnblocking(client, api, messages);
  return html`${consoleNavigation(messages, api, { below: 'access' })}
${formStatus(view)}
<h1>${text.title(apiClientName(client))}</h1>
<p class="quiet host">${clientDetails(client, messages)}</p>
${consequences.map(
  (sentence) => html`<p>${sentence}</p>
`,
)}
${form({
  action: decisionUrl(api.apiId, decision, client.clientId),
  csrf,
  body: html`${reauthenticationFields(view)}
<div class="actions">
${submitButton({ text: text.action, kind: decision === 'block' ? 'danger' : 'primary' })}
${buttonLink({ text: messages.ownership.remove.cancel, href: apiUrl(api.apiId, 'access'), kind: 'secondary' })}
</div>`,
})}`;
}

function describeUnblocking(
  { isAllowed, hasServiceAccess }: ApiClient,
  { apiId }: OwnedApi,
  { apiAccess, apis }: Messages,
): Renderable[] {
  const { text, blocked, serviceAccess } = apiAccess.restore;
  if (!isAllowed)
    return [
      html`${blocked} <a href="${apiUrl(apiId, 'edit')}#allowed_clients">${apis.form.allowedClients}</a>`,
    ];
  return hasServiceAccess ? [text, serviceAccess] : [text];
}
