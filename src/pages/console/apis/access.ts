// /console/apis/:api_id/access and below: who has access to an API; cutting one off, letting one in again.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { cutOff, letIn } from '../../../apis/access.ts';
import { queryOf } from '../../../http/parameters.ts';
import type { Parts } from '../../../http/parts.ts';
import type { Messages } from '../../../i18n/index.ts';
import { notFound } from '../../../oauth/errors.ts';
import {
  type AccessRow,
  type DecidedClient,
  findDecidedClient,
  listAccess,
} from '../../../store/api-access.ts';
import { COUNTED } from '../../../store/counts.ts';
import type { OwnApi } from '../../../store/own-apis.ts';
import { doneOf } from '../../../web/faults.ts';
import {
  attention,
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  notice,
  submitButton,
} from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { tag } from '../../../web/html/tag.ts';
import { ago, day } from '../../../web/html/time.ts';
import { APIS, apiAddress, way } from '../frame-view.ts';
import { ownApi, ownerOf } from '../sections.ts';
import { calledName, clientMark } from './client-view.ts';

const ACCESS = `${APIS}/:api_id/access`;

/** What an owner decides about, and how: its address, what it does, and what becomes of an application that it is done to. */
const DECISIONS = {
  cut: { does: cutOff, notice: 'api_access_cut', excluded: true },
  readmit: { does: letIn, notice: 'api_access_restored', excluded: false },
} as const satisfies Record<AccessDecision, object>;

export function apiAccessPages(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  area.get(ACCESS, async (request, reply) => {
    const api = await ownApi(request, parts);
    const ago = (seconds: number) => new Date(parts.now().getTime() - seconds * 1000);
    const { refreshTokenIdleTtl: idle, refreshTokenMaxTtl: max } = config;
    const after = { advanced: ago(idle), created: max === 0 ? new Date(0) : ago(max) };
    const { access, capped } = await listAccess(database, api.apiId, after);
    return reply.page({
      title: (messages) => messages.apiAccess.access.title(api.name),
      main: (messages) =>
        accessView({
          messages,
          api,
          access,
          capped,
          notice: doneOf(request, messages.apiAccess.access.done),
        }),
    });
  });

  for (const decision of Object.keys(DECISIONS) as AccessDecision[]) {
    const { does, notice, excluded } = DECISIONS[decision];
    area.formPage({
      url: `${ACCESS}/${decision}`,
      about: decidedClient,
      // Decided already, from another tab or by a second click: what its owner asked for is so.
      elsewhere: ({ api, client }) =>
        (client.excludedAt !== null) === excluded ? apiAddress(api.apiId, 'access') : undefined,
      address: ({ api, client }) => decisionAddress(api.apiId, decision, client.clientId),
      read: () => ({}),
      proof: true,
      inTransaction: true,
      async act({ request, about: { api, client } }, transaction) {
        const access = { apiId: api.apiId, clientId: client.clientId };
        const to = `${apiAddress(api.apiId, 'access')}?done=${decision}`;
        if (!(await does(transaction, ownerOf(request), access, parts.now()))) return to;
        return { to, notice, subject: calledName(client) };
      },
      page: ({ about: { api, client } }) => ({
        title: (messages) => messages.apiAccess[decision].title(calledName(client)),
        main: (form) => decisionView({ ...form, api, client, decision }),
      }),
    });
  }

  /** @throws OAuthError `not_found` when the API is not the person's own, or there is no such application */
  async function decidedClient(request: FastifyRequest): Promise<{ api: OwnApi; client: DecidedClient }> {
    const api = await ownApi(request, parts);
    const clientId = queryOf(request).get('client_id') ?? '';
    const client = await findDecidedClient(database, api.apiId, clientId);
    if (client === undefined) throw notFound();
    return { api, client };
  }
}

/** What an owner decides about an application or agent. */
type AccessDecision = 'cut' | 'readmit';

/** The page that asks before it is decided; a Client ID may be a URL, and stands in the query. */
const decisionAddress = (apiId: string, decision: AccessDecision, clientId: string): string =>
  `${apiAddress(apiId, `access/${decision}`)}?${new URLSearchParams({ client_id: clientId })}`;

type AccessView = {
  messages: Messages;
  api: OwnApi;
  access: readonly AccessRow[];
  /** Whether there are more grants than were counted. */
  capped: boolean;
  notice: string | undefined;
};

function accessView(view: AccessView): Html {
  const { messages, api, access } = view;
  const text = messages.apiAccess.access;
  const [inside, outside] = [false, true].map((out) =>
    access.filter(({ excludedAt }) => (excludedAt !== null) === out),
  ) as [AccessRow[], AccessRow[]];
  return html`${way(messages, api, 'access')}
${notice(view.notice)}
<h1>${text.title(api.name)}</h1>
<p class="lead">${text.lead}</p>
${view.capped && attention(text.capped(messages.operations.number(COUNTED)))}
${
  inside.length === 0
    ? html`<div class="empty">
<p class="empty-title">${text.none}</p>
<p>${text.noneAdvice}</p>
</div>`
    : html`<p class="quiet">${text.hint}</p>`
}
${group(
  text.applications,
  inside.filter(({ agent }) => !agent),
  view,
)}
${group(
  text.agents,
  inside.filter(({ agent }) => agent),
  view,
  text.agentsText,
)}
${group(text.excluded, outside, view)}`;
}

const group = (title: string, rows: readonly AccessRow[], view: AccessView, words?: string): Html | false =>
  rows.length > 0 &&
  html`<h2>${title}</h2>
${words !== undefined && html`<p>${words}</p>`}
<ul class="connected">
${rows.map((row) => entry(row, view))}</ul>`;

function entry(row: AccessRow, { messages, api }: AccessView): Html {
  const text = messages.apiAccess.access;
  const { clientId, agent, admitted, excludedAt, onItsOwn } = row;
  const name = calledName(row);
  const decision = excludedAt === null ? 'cut' : 'readmit';
  return html`<li>
<div class="connected-who">
${agent ? html`<h3 class="host">${name}</h3>` : html`<h3><bdi>${name}</bdi></h3>`}
<p class="quiet host">${clientMark(row, messages)}</p>
</div>
<dl class="facts">
${!admitted && excludedAt === null && html`<div><dt>${text.settings}</dt><dd>${text.notAdmitted}</dd></div>`}
${row.grants > 0 && grants(row, messages)}
${onItsOwn && excludedAt === null && html`<div><dt>${text.onItsOwn}</dt><dd>${tag(text.granted, 'good')}</dd></div>`}
${excludedAt !== null && html`<div><dt>${text.excludedOn}</dt><dd>${day(excludedAt, messages)}</dd></div>`}
</dl>
<p class="actions"><a class="button button--${decision === 'cut' ? 'danger' : 'secondary'}" href="${decisionAddress(api.apiId, decision, clientId)}"><span>${text[decision]}<span class="unseen"> ${name}</span></span></a></p>
</li>
`;
}

function grants({ grants: count, people, since, lastAt }: AccessRow, messages: Messages): Html {
  const { apiAccess, operations } = messages;
  const text = apiAccess.access;
  const of = people === 1 ? null : operations.number(people);
  return html`<div><dt>${text.grants}</dt><dd>${text.counted(operations.number(count), of)}</dd></div>
${since !== null && html`<div><dt>${text.since}</dt><dd>${day(since, messages)}</dd></div>`}
${lastAt !== null && html`<div><dt>${text.lastAt}</dt><dd>${ago(lastAt, messages)}</dd></div>`}`;
}

type DecisionView = FormState & { api: OwnApi; client: DecidedClient; decision: AccessDecision };

function decisionView(view: DecisionView): Html {
  const { messages, csrf, api, client, decision } = view;
  const text = messages.apiAccess[decision];
  const words = messages.apis.detail.lasting(api.tokenLifetime);
  return html`${way(messages, api, { below: 'access' })}
${formStatus(view)}
<h1>${text.title(calledName(client))}</h1>
<p class="quiet host">${clientMark(client, messages)}</p>
${text.text(words).map(
  (sentence) => html`<p>${sentence}</p>
`,
)}
${form({
  action: decisionAddress(api.apiId, decision, client.clientId),
  csrf,
  body: html`${confirmationField(view)}
<div class="actions">
${submitButton({ text: text.action, kind: decision === 'cut' ? 'danger' : 'primary' })}
${buttonLink({ text: messages.ownership.remove.cancel, href: apiAddress(api.apiId, 'access'), kind: 'secondary' })}
</div>`,
})}`;
}
