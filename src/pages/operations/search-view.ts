// Owns the look of the search over everything, and of the field that begins it.

import type { Messages } from '../../i18n/index.ts';
import { normalized } from '../../oauth/email.ts';
import type { AgentRow } from '../../store/agent-lists.ts';
import type { ApiRow } from '../../store/api-lists.ts';
import type { ApplicationRow } from '../../store/application-lists.ts';
import type { EventFilter, EventRow } from '../../store/events.ts';
import type { ListPage } from '../../store/list-pages.ts';
import type { FoundIncident } from '../../store/refusals.ts';
import type { UserRow } from '../../store/users.ts';
import { calledById } from '../../web/html/client-by-id.ts';
import { textField } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { ago } from '../../web/html/time.ts';
import { accountTags } from './accounts-view.ts';
import { agentLink, agentTag, agentWords } from './agents.ts';
import { apiTags } from './apis.ts';
import { applicationTags } from './applications.ts';
import { eventTable } from './events-view.ts';
import {
  ACCOUNTS,
  APIS,
  APPLICATIONS,
  AUDIT,
  addressWith,
  OPERATIONS,
  operationsNavigation,
  SEARCH,
  searchForm,
} from './frame-view.ts';

export type SearchView = {
  messages: Messages;
  search: string | undefined;
  accounts: ListPage<UserRow> | undefined;
  applications: ListPage<ApplicationRow> | undefined;
  agents: ListPage<AgentRow> | undefined;
  apis: ListPage<ApiRow> | undefined;
  /** Set where the text can be an incident code. */
  incident: { code: string; found: FoundIncident | undefined } | undefined;
  events: readonly EventRow[];
  /** What they were looked for by. */
  filter: EventFilter | undefined;
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

export function searchView(view: SearchView): Html {
  const { messages, search } = view;
  const text = messages.operations;
  const groups = search === undefined ? [] : found(view, search);
  return html`${operationsNavigation(messages, 'search')}
<h1>${text.search}</h1>
${searchEverything(messages, search)}
${groups}
${search !== undefined && groups.length === 0 && html`<p class="quiet">${text.nothingFound(search)}</p>`}`;
}

function found(view: SearchView, search: string): Html[] {
  const { messages, accounts, applications, agents, apis, incident, events, filter } = view;
  const { operations: text } = messages;
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
  const kinds = kindsSaying(search, messages);
  if (kinds.length > 0)
    groups.push(html`<h2>${text.eventKinds}</h2>
<ul class="lines">
${kinds.map(
  ([kind, words]) => html`<li><a class="reachable" href="${addressWith(AUDIT, { kind })}">${words}</a></li>
`,
)}</ul>`);
  if (events.length > 0)
    groups.push(html`<h2>${text.latestEvents}</h2>
${eventTable(events, messages, text.latestEvents)}
<p class="paging"><a class="reachable" href="${addressWith(AUDIT, { account: filter?.userId, address: filter?.address })}">${text.eventsAbout}</a></p>`);
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

/** Kinds of events whose words hold the text, however it is accented and written. */
function kindsSaying(search: string, messages: Messages): [kind: string, words: string][] {
  const plain = (text: string) =>
    normalized(text, 'NFD').replaceAll(/\p{M}/gu, '').replaceAll('’', "'").toLowerCase();
  const sought = plain(search);
  if (sought.length < 3) return [];
  return Object.entries(messages.operations.events)
    .filter(([, words]) => plain(words).includes(sought))
    .slice(0, SHOWN);
}
