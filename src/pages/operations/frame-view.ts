// Owns what the operators' pages have in common: their own navigation, tables that stack on a phone, paging, lists of what
// an account owns.

import type { Messages } from '../../i18n/index.ts';
import { isAgentId } from '../../oauth/secrets.ts';
import type { Owned } from '../../store/account-lists.ts';
import { calledById, operatorsPage } from '../../web/html/client-by-id.ts';
import { type Html, html, type Renderable } from '../../web/html/html.ts';
import { sideList } from '../../web/html/side-list.ts';

export const OPERATIONS = '/console/operations';
export const ACCOUNTS = `${OPERATIONS}/accounts`;
export const APPLICATIONS = `${OPERATIONS}/applications`;
export const APIS = `${OPERATIONS}/apis`;
const AGENTS = `${OPERATIONS}/agents`;
export const ACTIVITY = `${OPERATIONS}/activity`;
export const ANSWER_TIMES = `${ACTIVITY}/times`;
export const AUDIT = `${OPERATIONS}/audit`;
export const SEARCH = `${OPERATIONS}/search`;

export type OperationsSection =
  | 'overview'
  | 'activity'
  | 'search'
  | 'accounts'
  | 'applications'
  | 'apis'
  | 'agents'
  | 'audit'
  | 'settings';

const ADDRESSES: Record<OperationsSection, string> = {
  overview: OPERATIONS,
  activity: ACTIVITY,
  search: SEARCH,
  accounts: ACCOUNTS,
  applications: APPLICATIONS,
  apis: APIS,
  agents: AGENTS,
  audit: AUDIT,
  settings: `${OPERATIONS}/settings`,
};

/** The page of an agent, or of what can be done about it. */
export const agentPath = (clientId: string, action?: string): string =>
  `${AGENTS}/${encodeURIComponent(clientId)}${action === undefined ? '' : `/${action}`}`;

/** A link to the page of an application or an agent. Of those that have the same words the Client ID tells which is which. */
export const clientLink = (client: { clientId: string; name: string }, messages: Messages): Html =>
  html`<a href="${operatorsPage(client.clientId)}"><bdi>${calledById(client, messages)}</bdi>${isAgentId(client.clientId) && html` <code>${client.clientId}</code>`}</a>`;

/** The ways between the operators' pages; `within` says that the page is one below its section. */
export function operationsNavigation(
  { operations, activity }: Messages,
  current: OperationsSection,
  { within = false } = {},
): Html {
  const sections = Object.keys(ADDRESSES) as OperationsSection[];
  const text = { ...operations, activity: activity.title };
  const links = sections.map((name) => ({ name, href: ADDRESSES[name], text: text[name] }));
  const back = within ? current : 'overview';
  return sideList({
    label: operations.sections,
    links,
    here: current,
    within,
    back: current === 'overview' ? undefined : { href: ADDRESSES[back], text: text[back] },
  });
}

/** A table; each cell carries the heading of its column, to be shown beside it where the table has no room and is stacked. */
export function recordsTable(table: {
  caption: string;
  headings: readonly string[];
  rows: readonly (readonly Renderable[])[];
}): Html {
  const many = table.headings.length > 5;
  return html`<div class="records-room${many && ' records-room--many'}"><table class="records">
<caption class="unseen">${table.caption}</caption>
<thead>
<tr>${table.headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr>
</thead>
<tbody>
${table.rows.map(
  (
    cells,
  ) => html`<tr>${cells.map((cell, column) => html`<td data-heading="${table.headings[column]}"><div>${cell}</div></td>`)}</tr>
`,
)}</tbody>
</table></div>`;
}

/** What an account owns; beyond what is shown, how much more there is. */
export function ownedList<Row>(
  { count, first }: Owned<Row>,
  item: (row: Row) => Html,
  { operations }: Messages,
): Html {
  const more = count - first.length;
  return html`<ul class="lines">
${first.map(
  (row) => html`<li>${item(row)}</li>
`,
)}${
  more > 0 &&
  html`<li class="quiet">${operations.moreOwned(more)}</li>
`
}</ul>`;
}

/** An IP address, in one piece. */
export const ip = (address: string): Html => html`<span class="ip">${address}</span>`;

/** The address of a list with these parameters; absent ones are left out. */
export function addressWith(path: string, parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** Where a list goes on, and back to its beginning. */
export function paging(
  { operations }: Messages,
  { first, next }: { first: string | undefined; next: string | undefined },
): Html | undefined {
  if (first === undefined && next === undefined) return undefined;
  return html`<p class="paging">
${first && html`<a class="reachable" href="${first}">${operations.first}</a>`}
${next && html`<a class="reachable" href="${next}" rel="next">${operations.next}</a>`}
</p>`;
}

/** A form that only asks, so that its answer has an address: GET, without a token. */
export function searchForm(form: { action: string; title: string; body: Html; button: string }): Html {
  return html`<form class="form search" method="get" action="${form.action}" role="search" aria-label="${form.title}" novalidate>
${form.body}
<button class="button button--secondary" type="submit"><span>${form.button}</span></button>
</form>`;
}
