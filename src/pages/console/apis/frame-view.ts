// Owns what the pages of APIs have in common: their addresses, the list of an API's pages beside them, the way back.

import type { Messages } from '../../../i18n/index.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { sideList } from '../../../web/html/side-list.ts';
import type { Owned } from '../parts-view.ts';

export const APIS = '/console/apis';

/** The address of an API's page, or of one below it. */
export const apiAddress = (apiId: string, below?: string): string =>
  `${APIS}/${apiId}${below === undefined ? '' : `/${below}`}`;

/** The pages of an API that the list beside them names, in its order; each is at the address of its name. */
const PARTS = {
  overview: ({ account }: Messages) => account.parts.overview,
  scopes: ({ apis }: Messages) => apis.detail.scopes,
  access: ({ apiAccess }: Messages) => apiAccess.access.part,
  requests: ({ serviceAccess }: Messages) => serviceAccess.api.part,
  integrate: ({ apiIntegrate }: Messages) => apiIntegrate.part,
  test: ({ apiTest }: Messages) => apiTest.part,
  diagnostics: ({ apiAccess }: Messages) => apiAccess.diagnostics.part,
  secrets: ({ apis }: Messages) => apis.detail.secrets,
  keys: ({ apis }: Messages) => apis.keys.tile,
  edit: ({ apis }: Messages) => apis.detail.settings,
} satisfies Record<string, (messages: Messages) => string>;

export type ApiPart = keyof typeof PARTS;

/**
 * The ways from a page of an API: to its other pages, which stand beside it; and back, to the list and to the API whose
 * page is above this one.
 * @param below what the page is part of when it is a page below that
 */
export function apiWay(
  messages: Messages,
  api?: { apiId: string; name: string },
  part?: ApiPart | { below: ApiPart },
): Html {
  const back = html`<nav class="way" aria-label="${messages.applications.way}">
<ol>
<li><a href="${APIS}">${messages.apis.list.title}</a></li>
${
  api &&
  part !== 'overview' &&
  html`<li><a href="${apiAddress(api.apiId)}"><bdi>${api.name}</bdi></a></li>
`
}</ol>
</nav>`;
  return api === undefined || part === undefined
    ? back
    : html`${partsOf(messages, api, part)}
${back}`;
}

export const ownedApi = (api: { apiId: string; name: string }): Owned => ({
  id: api.apiId,
  name: api.name,
  address: (below) => apiAddress(api.apiId, below),
  way: (messages) => apiWay(messages, api, { below: 'overview' }),
});

function partsOf(
  messages: Messages,
  { apiId, name }: { apiId: string; name: string },
  part: ApiPart | { below: ApiPart },
): Html {
  const within = typeof part === 'object';
  return sideList({
    label: name,
    here: within ? part.below : part,
    within,
    links: Object.entries(PARTS).map(([one, words]) => ({
      name: one,
      href: apiAddress(apiId, one === 'overview' ? undefined : one),
      text: words(messages),
    })),
  });
}
