// GET /console/operations/search: everything that a text leads to: accounts, applications, agents, APIs, incident codes.
import type { FastifyInstance } from 'fastify';
import { readIncidentCode } from '../../http/incident-code.ts';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { listAccounts } from '../../store/account-lists.ts';
import { type AgentRow, listAgentsPage } from '../../store/agent-lists.ts';
import { type ApiRow, listApisPage } from '../../store/api-lists.ts';
import { type ApplicationRow, listApplicationsPage } from '../../store/application-lists.ts';
import type { Database } from '../../store/database.ts';
import type { ListPage } from '../../store/list-pages.ts';
import { type FoundIncident, findIncident } from '../../store/refusals.ts';
import type { UserRow } from '../../store/users.ts';
import { calledById } from '../../web/html/client-by-id.ts';
import { textField } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { ago } from '../../web/html/time.ts';
import { accountTags } from './accounts.ts';
import { agentLink, agentTag, agentWords } from './agents.ts';
import { apiTags } from './apis.ts';
import { applicationTags } from './applications.ts';
import {
  ACCOUNTS,
  APIS,
  APPLICATIONS,
  addressWith,
  OPERATIONS,
  operationsNavigation,
  SEARCH,
  searchForm,
} from './frame-view.ts';
import { SEARCH_MAX } from './list.ts';

export function searchPage(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(SEARCH, async (request, reply) => {
    const search = queryOf(request).get('search')?.trim().slice(0, SEARCH_MAX) || undefined;
    // Whoever reads a code out has just seen it.
    if (search !== undefined && readIncidentCode(search) !== undefined) await parts.diagnostics.flush();
    const of = <Found>(find: (database: Database, by: { search: string }) => Promise<Found>) =>
      search === undefined ? undefined : find(database, { search });
    const [accounts, applications, agents, apis, incident] = await Promise.all([
      of(listAccounts),
      of(listApplicationsPage),
      of(listAgentsPage),
      of(listApisPage),
      search === undefined ? undefined : incidentOf(search),
    ]);
    return reply.page({
      title: (messages) => messages.operations.search,
      main: (messages) => searchView({ messages, search, accounts, applications, agents, apis, incident }),
    });
  });

  const incidentOf = async (search: string) => {
    const code = readIncidentCode(search);
    return code === undefined ? undefined : { code, found: await findIncident(database, code) };
  };
}

type SearchView = {
  messages: Messages;
  search: string | undefined;
  accounts: ListPage<UserRow> | undefined;
  applications: ListPage<ApplicationRow> | undefined;
  agents: ListPage<AgentRow> | undefined;
  apis: ListPage<ApiRow> | undefined;
  /** Set where the text can be an incident code. */
  incident: { code: string; found: FoundIncident | undefined } | undefined;
};

/** Shown of each kind; the lists have the others. */
const SHOWN = 8;

/** The field that begins a search over everything. */
export const searchEverything = ({ operations: text }: Messages, search?: string): Html =>
  searchForm({
    action: SEARCH,
    title: text.searchAll,
    button: text.searchAction,
    body: textField({
      name: 'search',
      label: text.searchAll,
      hint: text.searchAllHint,
      value: search,
      optional: true,
      autocomplete: 'off',
    }),
  });

function searchView(view: SearchView): Html {
  const { messages, search } = view;
  const text = messages.operations;
  const groups = search === undefined ? [] : found(view);
  return html`${operationsNavigation(messages, 'search')}
<h1>${text.search}</h1>
${searchEverything(messages, search)}
${groups}
${search !== undefined && groups.length === 0 && html`<p class="quiet">${text.nothingFound(search)}</p>`}`;
}

function found(view: SearchView): Html[] {
  const { messages, accounts, applications, agents, apis, incident } = view;
  const groups: Html[] = [];
  if (incident?.found) groups.push(incidentGroup(incident.code, incident.found, messages));
  groups.push(
    ...group('accounts', accounts, view, (account) => ({
      link: html`<a href="${ACCOUNTS}/${account.userId}">${account.email}</a>`,
      aside: html`<bdi>${account.name}</bdi>`,
      tags: accountTags(account, messages),
    })),
    ...group('applications', applications, view, (application) => ({
      link: html`<a href="${APPLICATIONS}/${application.clientId}"><bdi>${application.name}</bdi></a>`,
      aside: html`${application.ownerEmail}`,
      tags: applicationTags(application, messages),
    })),
    ...group('agents', agents, view, (agent) => ({
      link: agentLink(agent),
      aside: agentWords(agent, messages),
      tags: [agentTag(agent, messages)],
    })),
    ...group('apis', apis, view, (api) => ({
      link: html`<a href="${APIS}/${api.apiId}"><bdi>${api.name}</bdi></a>`,
      aside: html`${api.ownerEmail}`,
      tags: apiTags(api, messages),
    })),
  );
  return groups;
}

function incidentGroup(code: string, found: FoundIncident, messages: Messages): Html {
  const { clientId, apiId, name, lastAt } = found;
  const { diagnostics, operations: text } = messages;
  if (name === null)
    return html`<h2>${diagnostics.found(code)}</h2>
<ul class="found">
<li><code>${found.error}</code> <span lang="en">${found.description}</span> <span class="quiet">${found.endpoint} · ${text.refusedAt} ${ago(lastAt, messages)}</span></li>
</ul>`;
  const whose = clientId === null ? `apis/${apiId}` : `applications/${encodeURIComponent(clientId)}`;
  const address = `/console/${whose}/diagnostics?${new URLSearchParams({ incident: code })}`;
  return html`<h2>${diagnostics.found(code)}</h2>
<ul class="found">
<li><a href="${address}">${diagnostics.title(clientId === null ? name : calledById({ clientId, name }, messages))}</a> <span class="quiet">${text.refusedAt} ${ago(lastAt, messages)}</span></li>
</ul>`;
}

/** What was found in one list; nothing if nothing was. */
function group<Row>(
  section: 'accounts' | 'applications' | 'agents' | 'apis',
  page: ListPage<Row> | undefined,
  { messages: { operations: text }, search = '' }: SearchView,
  line: (row: Row) => { link: Html; aside: Html; tags: Html[] },
): Html[] {
  if (page === undefined || page.rows.length === 0) return [];
  const { rows, next } = page;
  const all = addressWith(`${OPERATIONS}/${section}`, { search });
  return [
    html`<h2>${text[section]}</h2>
<ul class="found">
${rows.slice(0, SHOWN).map((row) => {
  const { link, aside, tags } = line(row);
  return html`<li>${link} <span class="quiet">${aside}</span> <span class="tags">${tags}</span></li>
`;
})}</ul>
${(rows.length > SHOWN || next !== undefined) && html`<p class="paging"><a class="reachable" href="${all}">${text.allFound}</a></p>`}`,
  ];
}
