// Shared parts of the console pages: URLs, side navigation and back links.

import type { Messages } from '../../i18n/index.ts';
import type { ClientType } from '../../oauth/redirect-uri.ts';
import type { OwnClient } from '../../store/own-clients.ts';
import type { ResourceKind } from '../../store/owned-resources.ts';
import { adminClientPath, clientDisplayName } from '../../web/html/client-display.ts';
import { attentionNotice } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { sideNav } from '../../web/html/side-nav.ts';
import { tag } from '../../web/html/tag.ts';

export const APPLICATIONS_URL = '/console/applications';
export const APIS_URL = '/console/apis';
export const LIST_URLS: Record<ResourceKind, string> = { application: APPLICATIONS_URL, api: APIS_URL };

export type ClientOrApi = ({ clientId: string; type?: ClientType } | { apiId: string }) & { name: string };

export const kindOf = (clientOrApi: ClientOrApi): ResourceKind =>
  'apiId' in clientOrApi ? 'api' : 'application';
export const idOf = (clientOrApi: ClientOrApi): string =>
  'apiId' in clientOrApi ? clientOrApi.apiId : clientOrApi.clientId;

const url = (list: string, id: string, below?: string): string =>
  `${list}/${id}${below === undefined ? '' : `/${below}`}`;

export const applicationUrl = (clientId: string, below?: string): string =>
  url(APPLICATIONS_URL, clientId, below);

export const apiUrl = (apiId: string, below?: string): string => url(APIS_URL, apiId, below);

export const clientOrApiUrl = (clientOrApi: ClientOrApi, below?: string): string =>
  url(LIST_URLS[kindOf(clientOrApi)], idOf(clientOrApi), below);

/** The pages in the side navigation, in order. The name of each page is also its path. */
const PAGES = {
  application: {
    overview: ({ account }: Messages) => account.navigation.overview,
    integrate: ({ applications }: Messages) => applications.detail.integrate,
    diagnostics: ({ applications }: Messages) => applications.detail.diagnostics,
    activity: ({ activity }: Messages) => activity.title,
    apis: ({ serviceAccess }: Messages) => serviceAccess.client.part,
    secrets: ({ applications }: Messages) => applications.detail.secrets,
    edit: ({ applications }: Messages) => applications.detail.settings,
    protocol: ({ protocol }: Messages) => protocol.tile,
  },
  api: {
    overview: ({ account }: Messages) => account.navigation.overview,
    scopes: ({ applications }: Messages) => applications.detail.scopes,
    access: ({ apiAccess }: Messages) => apiAccess.access.part,
    requests: ({ serviceAccess }: Messages) => serviceAccess.api.part,
    integrate: ({ apiIntegrate }: Messages) => apiIntegrate.part,
    test: ({ apiTest }: Messages) => apiTest.part,
    diagnostics: ({ applications }: Messages) => applications.detail.diagnostics,
    secrets: ({ applications }: Messages) => applications.detail.secrets,
    keys: ({ apis }: Messages) => apis.keys.tile,
    edit: ({ applications }: Messages) => applications.detail.settings,
  },
};

const CONFIDENTIAL = ['apis', 'secrets'];

export type ConsolePage = keyof typeof PAGES.application | keyof typeof PAGES.api;

export function listLink(messages: Messages, kind: ResourceKind, more: Html | false = false): Html {
  const { title } = kind === 'api' ? messages.apis.list : messages.applications.list;
  return html`<nav class="breadcrumb" aria-label="${messages.applications.breadcrumb}">
<ol>
<li><a href="${LIST_URLS[kind]}">${title}</a></li>
${more}</ol>
</nav>`;
}

/**
 * Navigation on the pages of an application or an API: links between these pages, and back links.
 * @param part the current page or, if the navigation doesn't contain the current page, its parent page
 */
export function consoleNavigation(
  messages: Messages,
  clientOrApi: ClientOrApi,
  part: ConsolePage | { below: ConsolePage },
): Html {
  const currentPage = typeof part === 'object' ? part.below : part;
  const overview = html`<li><a href="${clientOrApiUrl(clientOrApi)}"><bdi>${clientOrApi.name}</bdi></a></li>
`;
  const isHidden = (name: string) =>
    'clientId' in clientOrApi && clientOrApi.type !== 'confidential' && CONFIDENTIAL.includes(name);
  return html`${sideNav({
    label: clientOrApi.name,
    here: currentPage,
    within: typeof part === 'object',
    links: Object.entries(PAGES[kindOf(clientOrApi)])
      .filter(([name]) => !isHidden(name))
      .map(([name, words]) => ({
        name,
        href: clientOrApiUrl(clientOrApi, name === 'overview' ? undefined : name),
        text: words(messages),
      })),
  })}
${listLink(messages, kindOf(clientOrApi), part !== 'overview' && overview)}`;
}

/** Like `consoleNavigation`, but shows a notice and links to the administration pages if the user isn't the owner. */
export function watcherNavigation(
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

export function applicationStateTags({ verified, suspended }: OwnClient, messages: Messages): Html | false {
  const { states } = messages.applications;
  return (
    (verified || suspended) &&
    html`<span class="tags">${verified && tag(states.verified, 'good')}${suspended && tag(states.suspended, 'stopped')}</span>`
  );
}
