// Shared parts of the administration pages: URLs, navigation, tables, paging and search forms.

import type { Messages } from '../../i18n/index.ts';
import { isDynamicClientId } from '../../oauth/secrets.ts';
import type { OwnedSummary } from '../../store/admin-accounts.ts';
import type { Count } from '../../store/admin-counts.ts';
import { avatar } from '../../web/html/account-rows.ts';
import { breakable } from '../../web/html/breakable.ts';
import { adminClientPath, clientDisplayName } from '../../web/html/client-display.ts';
import { type Html, html, type Renderable } from '../../web/html/html.ts';
import { icon } from '../../web/html/icons.ts';
import { logo } from '../../web/html/pictures.ts';
import { sideNav } from '../../web/html/side-nav.ts';

export const ADMIN_URL = '/console/operations';
export const ACCOUNTS_URL = `${ADMIN_URL}/accounts`;
export const IMPORT_URL = `${ADMIN_URL}/import`;
export const APPLICATIONS_URL = `${ADMIN_URL}/applications`;
export const APIS_URL = `${ADMIN_URL}/apis`;
export const AGENTS_URL = `${ADMIN_URL}/agents`;
export const PROVIDERS_URL = `${ADMIN_URL}/providers`;
export const ACTIVITY_URL = `${ADMIN_URL}/activity`;
export const RESPONSE_TIMES_URL = `${ACTIVITY_URL}/times`;
export const AUDIT_URL = `${ADMIN_URL}/audit`;
export const SEARCH_URL = `${ADMIN_URL}/search`;
export const SETTINGS_URL = `${ADMIN_URL}/settings`;

export type AdminSection =
  | 'overview'
  | 'activity'
  | 'search'
  | 'accounts'
  | 'applications'
  | 'apis'
  | 'agents'
  | 'providers'
  | 'audit'
  | 'settings';

const SECTION_URLS: Record<AdminSection, string> = {
  overview: ADMIN_URL,
  activity: ACTIVITY_URL,
  search: SEARCH_URL,
  accounts: ACCOUNTS_URL,
  applications: APPLICATIONS_URL,
  apis: APIS_URL,
  agents: AGENTS_URL,
  providers: PROVIDERS_URL,
  audit: AUDIT_URL,
  settings: SETTINGS_URL,
};

export const agentUrl = (clientId: string, action?: string): string =>
  `${AGENTS_URL}/${encodeURIComponent(clientId)}${action === undefined ? '' : `/${action}`}`;

export const providerUrl = (providerId: string, action?: string): string =>
  `${PROVIDERS_URL}/${providerId}${action === undefined ? '' : `/${action}`}`;

/** Agents' names aren't unique. For agents without a metadata document, the link text includes the client ID. */
export function clientLink(
  client: { clientId: string; name: string; logo: string | null },
  messages: Messages,
): Html {
  const { clientId } = client;
  const name = clientDisplayName(client, messages);
  return html`<a class="with-picture" href="${adminClientPath(clientId)}">${logo({ ...client, name }, 24)}<span><bdi>${name}</bdi>${isDynamicClientId(clientId) && html` <code>${clientId}</code>`}</span></a>`;
}

export function adminNavigation(
  { operations, activity }: Messages,
  current: AdminSection,
  { within = false } = {},
): Html {
  const sections = Object.keys(SECTION_URLS) as AdminSection[];
  const text = { ...operations, activity: activity.title };
  const links = sections.map((name) => ({ name, href: SECTION_URLS[name], text: text[name] }));
  return sideNav({
    label: operations.sections,
    links,
    here: current,
    within,
    back: within ? { href: SECTION_URLS[current], text: text[current] } : undefined,
  });
}

export const detailRow = (label: string, value: Renderable, links?: Html): Html =>
  links === undefined
    ? html`<div><dt>${label}</dt><dd>${value}</dd></div>
`
    : html`<div><dt>${label}</dt><dd class="row"><span>${value}</span>${links}</dd></div>
`;

export function ownedListView<Row>(
  { count, first }: OwnedSummary<Row>,
  item: (row: Row) => Html,
  { operations }: Messages,
): Html {
  const hiddenCount = count - first.length;
  return html`<ul class="lines">
${first.map(
  (row) => html`<li>${item(row)}</li>
`,
)}${
  hiddenCount > 0 &&
  html`<li class="quiet">${operations.moreOwned(hiddenCount)}</li>
`
}</ul>`;
}

export const formatCount = ({ value, isCapped }: Count, { operations: text }: Messages): string =>
  isCapped ? text.moreThan(text.number(value)) : text.number(value);

/** @param count `max` if there are at least `max` rows, because counting stops there */
export const formatLimitedCount = (count: number, max: number, { operations: text }: Messages): string =>
  count < max ? text.number(count) : text.moreThan(text.number(max - 1));

/**
 * Narrow tables cut off the email address. Without `aria-label`, browsers add spaces to the link's name at line
 * breaks.
 */
export const emailLink = (userId: string, email: string): Html =>
  html`<a class="email" href="${ACCOUNTS_URL}/${userId}" title="${email}" aria-label="${email}">${breakable(email)}</a>`;

export const userLink = (user: {
  userId: string;
  name: string;
  email: string;
  pictureHash: string | null;
}): Html =>
  html`<a class="person" href="${ACCOUNTS_URL}/${user.userId}">${avatar(user, 36)}<span class="person-text"><bdi>${user.name}</bdi> <span class="email" title="${user.email}">${user.email}</span></span></a>`;

export const ipView = (ip: string): Html => html`<span class="ip">${ip}</span>`;

export function urlWithParameters(path: string, parameters: Record<string, string | undefined>): string {
  const defined = Object.entries(parameters).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  return defined.length === 0 ? path : `${path}?${new URLSearchParams(defined)}`;
}

export function pagingLinks(
  { operations }: Messages,
  { first, next }: { first: string | undefined; next: string | undefined },
): Html | undefined {
  if (first === undefined && next === undefined) return undefined;
  return html`<p class="paging">
${first && html`<a class="touch-target" href="${first}">${operations.first}</a>`}
${next && html`<a class="touch-target" href="${next}" rel="next">${operations.next}</a>`}
</p>`;
}

/**
 * Uses GET so that search results have a URL.
 * @param form.isInline puts the fields on one line and hides their labels
 */
export function searchForm(form: {
  action: string;
  title: string;
  body: Html;
  button: string;
  isInline?: boolean;
}): Html {
  return html`<form class="${form.isInline ? 'form search search--line' : 'form search'}" method="get" action="${form.action}" role="search" aria-label="${form.title}" novalidate>
${form.isInline && icon('search', 18)}${form.body}
<button class="button button--secondary" type="submit"><span>${form.button}</span></button>
</form>`;
}
