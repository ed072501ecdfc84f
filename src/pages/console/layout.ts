// Shared parts of the console's pages: URLs, side navigation and back links.

import { isMachineClient } from '../../clients/kind.ts';
import type { Messages } from '../../i18n/index.ts';
import type { ClientType } from '../../oauth/redirect-uri.ts';
import type { OwnedClient } from '../../store/owned-clients.ts';
import type { ResourceKind } from '../../store/owned-resources.ts';
import { type Branding, externalLink, supportContact } from '../../web/html/branding.ts';
import { adminClientPath, clientDisplayName } from '../../web/html/client-display.ts';
import { type Html, html } from '../../web/html/html.ts';
import { attentionNotice } from '../../web/html/notices.ts';
import { type SideNavLink, sideNav } from '../../web/html/side-nav.ts';
import { tag } from '../../web/html/tag.ts';

export const APPLICATIONS_URL = '/console/applications';
export const APIS_URL = '/console/apis';
export const LIST_URLS: Record<ResourceKind, string> = { application: APPLICATIONS_URL, api: APIS_URL };

export type ClientOrApi = (
  | { clientId: string; type?: ClientType; redirectUris?: readonly string[] }
  | { apiId: string }
) & { name: string };

export const kindOf = (clientOrApi: ClientOrApi): ResourceKind =>
  'apiId' in clientOrApi ? 'api' : 'application';
export const idOf = (clientOrApi: ClientOrApi): string =>
  'apiId' in clientOrApi ? clientOrApi.apiId : clientOrApi.clientId;

const resourceUrl = (list: string, id: string, below?: string): string =>
  `${list}/${id}${below === undefined ? '' : `/${below}`}`;

export const applicationUrl = (clientId: string, below?: string): string =>
  resourceUrl(APPLICATIONS_URL, clientId, below);

export const apiUrl = (apiId: string, below?: string): string => resourceUrl(APIS_URL, apiId, below);

export const clientOrApiUrl = (clientOrApi: ClientOrApi, below?: string): string =>
  resourceUrl(LIST_URLS[kindOf(clientOrApi)], idOf(clientOrApi), below);

type Label = (messages: Messages) => string;
type MenuEntry = { text: Label; pages?: Readonly<Record<string, Label>> };

/** In display order. Each key is also the page's path. */
const MENUS = {
  application: {
    overview: { text: ({ account }) => account.navigation.overview },
    integrate: { text: ({ applications }) => applications.detail.integrate },
    diagnostics: { text: ({ applications }) => applications.detail.diagnostics },
    activity: { text: ({ activity }) => activity.title },
    apis: { text: ({ serviceAccess }) => serviceAccess.client.part },
    edit: {
      text: ({ applications }) => applications.detail.settings,
      pages: {
        secrets: ({ applications }) => applications.detail.secrets,
        protocol: ({ protocol }) => protocol.tile,
        'sign-out': ({ protocol }) => protocol.logout,
        logo: ({ applications }) => applications.logo.part,
      },
    },
  },
  api: {
    overview: { text: ({ account }) => account.navigation.overview },
    scopes: { text: ({ applications }) => applications.detail.scopes },
    access: {
      text: ({ apiAccess }) => apiAccess.access.part,
      pages: { requests: ({ serviceAccess }) => serviceAccess.api.part },
    },
    integrate: {
      text: ({ apiIntegrate }) => apiIntegrate.part,
      pages: { test: ({ apiTest }) => apiTest.part },
    },
    diagnostics: { text: ({ applications }) => applications.detail.diagnostics },
    edit: {
      text: ({ applications }) => applications.detail.settings,
      pages: {
        secrets: ({ applications }) => applications.detail.secrets,
        keys: ({ apis }) => apis.keys.tile,
      },
    },
  },
} as const satisfies Record<ResourceKind, Record<string, MenuEntry>>;

type SubpageOf<Menu> = {
  [Entry in keyof Menu]: Menu[Entry] extends { pages: infer Pages } ? keyof Pages : never;
}[keyof Menu];
type PageOf<Menu> = keyof Menu | SubpageOf<Menu>;
export type ConsolePage = PageOf<(typeof MENUS)['application']> | PageOf<(typeof MENUS)['api']>;

/** Machine-to-machine applications have no pages about sign-in because users can't sign in to them. */
function hasPage(clientOrApi: ClientOrApi, name: string): boolean {
  if ('apiId' in clientOrApi) return true;
  const { type = 'public', redirectUris } = clientOrApi;
  if (['apis', 'secrets'].includes(name)) return type === 'confidential';
  const isMachine = redirectUris !== undefined && isMachineClient({ type, redirectUris });
  return !(isMachine && ['integrate', 'sign-out'].includes(name));
}

/**
 * Undefined if the application has no such page.
 * @param anchor `#` and the id of a field
 */
export function pageLink(
  clientOrApi: ClientOrApi,
  page: ConsolePage,
  messages: Messages,
  anchor = '',
): Html | undefined {
  if (!hasPage(clientOrApi, page)) return undefined;
  const entries: Record<string, MenuEntry> = MENUS[kindOf(clientOrApi)];
  const subpages = Object.assign({}, ...Object.values(entries).map(({ pages }) => pages));
  const label: Label = entries[page]?.text ?? subpages[page];
  return html`<a href="${pageUrl(clientOrApi, page)}${anchor}">${label(messages)}</a>`;
}

export function listLink(messages: Messages, kind: ResourceKind, more: Html | false = false): Html {
  const { title } = kind === 'api' ? messages.apis.list : messages.applications.list;
  return html`<nav class="breadcrumb" aria-label="${messages.applications.breadcrumb}">
<ol>
<li><a href="${LIST_URLS[kind]}">${title}</a></li>
${more}</ol>
</nav>`;
}

const pageUrl = (clientOrApi: ClientOrApi, name: string): string =>
  clientOrApiUrl(clientOrApi, name === 'overview' ? undefined : name);

/** @param part the current page, or its parent if the page isn't in the navigation */
export function consoleNavigation(
  messages: Messages,
  clientOrApi: ClientOrApi,
  part: ConsolePage | { below: ConsolePage },
): Html {
  const isSubpage = typeof part === 'object';
  const linksTo = (pages: Readonly<Record<string, MenuEntry | Label>>): SideNavLink[] =>
    Object.entries(pages)
      .filter(([name]) => hasPage(clientOrApi, name))
      .map(([name, page]) => {
        const { text, pages = {} }: MenuEntry = typeof page === 'function' ? { text: page } : page;
        return { name, href: pageUrl(clientOrApi, name), text: text(messages), pages: linksTo(pages) };
      });
  const overview = html`<li><a href="${clientOrApiUrl(clientOrApi)}"><bdi>${clientOrApi.name}</bdi></a></li>
`;
  return html`${listLink(messages, kindOf(clientOrApi), part !== 'overview' && overview)}
${sideNav({
  label: clientOrApi.name,
  here: isSubpage ? part.below : part,
  within: isSubpage,
  links: linksTo(MENUS[kindOf(clientOrApi)]),
})}`;
}

/** Users other than the owner get a notice and links to the administration pages. */
export function viewerNavigation(
  messages: Messages,
  clientOrApi: ClientOrApi & { own: boolean },
  part: ConsolePage,
): Html {
  if (clientOrApi.own) return consoleNavigation(messages, clientOrApi, part);
  const isApi = 'apiId' in clientOrApi;
  const adminUrl = isApi
    ? `/console/operations/apis/${clientOrApi.apiId}`
    : adminClientPath(clientOrApi.clientId);
  const text = isApi ? messages.apiAccess.diagnostics : messages.diagnostics;
  return html`<nav class="breadcrumb" aria-label="${messages.applications.breadcrumb}">
<ol>
<li><a href="${adminUrl.slice(0, adminUrl.lastIndexOf('/'))}">${messages.layout.admin}</a></li>
<li><a href="${adminUrl}"><bdi>${isApi ? clientOrApi.name : clientDisplayName(clientOrApi, messages)}</bdi></a></li>
</ol>
</nav>
${attentionNotice(text.adminNotice)}`;
}

export function applicationStateTags({ verified, suspended }: OwnedClient, messages: Messages): Html | false {
  const { states } = messages.applications;
  return (
    (verified || suspended) &&
    html`<span class="tags">${verified && tag(states.verified, 'good')}${suspended && tag(states.suspended, 'stopped')}</span>`
  );
}

export const editLink = (href: string, text: string, subject: string): Html =>
  html`<a class="edit-link" href="${href}">${text}<span class="visually-hidden"> ${subject}</span></a>`;

export function suspendedWarning(text: string, messages: Messages, branding: Branding): Html {
  const contact = supportContact(messages, branding);
  return html`<p class="warning">${text}${contact && html` ${messages.serviceLinks.supportLabel} ${externalLink(contact)}`}</p>`;
}

export const clientTypeLabel = (application: OwnedClient, { applications }: Messages): string =>
  isMachineClient(application) ? applications.kinds.machine.label : applications.types[application.type];
