// What the console's pages have in common: their URLs, the list of pages beside them, the links back.

import type { Messages } from '../../i18n/index.ts';
import type { ClientType } from '../../oauth/redirect-uri.ts';
import type { OwnApplication } from '../../store/applications.ts';
import type { Kind } from '../../store/owned.ts';
import { calledById, operatorsPage } from '../../web/html/client-by-id.ts';
import { attention } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { sideList } from '../../web/html/side-list.ts';
import { tag } from '../../web/html/tag.ts';

export const APPLICATIONS = '/console/applications';
export const APIS = '/console/apis';
export const LISTS: Record<Kind, string> = { application: APPLICATIONS, api: APIS };

/** An application or an API. */
export type Thing = ({ clientId: string; type?: ClientType } | { apiId: string }) & { name: string };

export const kindOf = (thing: Thing): Kind => ('apiId' in thing ? 'api' : 'application');
export const idOf = (thing: Thing): string => ('apiId' in thing ? thing.apiId : thing.clientId);

const url = (list: string, id: string, below?: string): string =>
  `${list}/${id}${below === undefined ? '' : `/${below}`}`;

/** The URL of an application's page, or of one below it. */
export const applicationAddress = (clientId: string, below?: string): string =>
  url(APPLICATIONS, clientId, below);

/** The URL of an API's page, or of one below it. */
export const apiAddress = (apiId: string, below?: string): string => url(APIS, apiId, below);

export const thingAddress = (thing: Thing, below?: string): string =>
  url(LISTS[kindOf(thing)], idOf(thing), below);

/** The pages that the list beside them names, in its order; each at the URL of its name. */
const PARTS = {
  application: {
    overview: ({ account }: Messages) => account.parts.overview,
    integrate: ({ applications }: Messages) => applications.detail.integrate,
    diagnostics: ({ applications }: Messages) => applications.detail.diagnostics,
    activity: ({ activity }: Messages) => activity.title,
    apis: ({ serviceAccess }: Messages) => serviceAccess.client.part,
    secrets: ({ applications }: Messages) => applications.detail.secrets,
    edit: ({ applications }: Messages) => applications.detail.settings,
    protocol: ({ protocol }: Messages) => protocol.tile,
  },
  api: {
    overview: ({ account }: Messages) => account.parts.overview,
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

/** Pages that only a confidential client has. */
const CONFIDENTIAL = ['apis', 'secrets'];

export type Part = keyof typeof PARTS.application | keyof typeof PARTS.api;

/** The list of a kind, as a link back to it. */
export function wayToList(messages: Messages, kind: Kind, more: Html | false = false): Html {
  const { title } = kind === 'api' ? messages.apis.list : messages.applications.list;
  return html`<nav class="way" aria-label="${messages.applications.way}">
<ol>
<li><a href="${LISTS[kind]}">${title}</a></li>
${more}</ol>
</nav>`;
}

/**
 * The links from a page of an application or an API: to its other pages, which are listed beside it, and back.
 * @param part the page, or the one that it is below
 */
export function way(messages: Messages, thing: Thing, part: Part | { below: Part }): Html {
  const here = typeof part === 'object' ? part.below : part;
  const overview = html`<li><a href="${thingAddress(thing)}"><bdi>${thing.name}</bdi></a></li>
`;
  const isHidden = (name: string) =>
    'clientId' in thing && thing.type !== 'confidential' && CONFIDENTIAL.includes(name);
  return html`${sideList({
    label: thing.name,
    here,
    within: typeof part === 'object',
    links: Object.entries(PARTS[kindOf(thing)])
      .filter(([name]) => !isHidden(name))
      .map(([name, words]) => ({
        name,
        href: thingAddress(thing, name === 'overview' ? undefined : name),
        text: words(messages),
      })),
  })}
${wayToList(messages, kindOf(thing), part !== 'overview' && overview)}`;
}

/** The same for an administrator too: back to the administrators' page about it, and a notice that it isn't theirs. */
export function watchedWay(messages: Messages, thing: Thing & { own: boolean }, part: Part): Html {
  if (thing.own) return way(messages, thing, part);
  const isApi = 'apiId' in thing;
  const here = isApi ? `/console/operations/apis/${thing.apiId}` : operatorsPage(thing.clientId);
  const text = isApi ? messages.apiAccess.diagnostics : messages.diagnostics;
  return html`<nav class="way" aria-label="${messages.applications.way}">
<ol>
<li><a href="${here.slice(0, here.lastIndexOf('/'))}">${messages.layout.operations}</a></li>
<li><a href="${here}"><bdi>${isApi ? thing.name : calledById(thing, messages)}</bdi></a></li>
</ol>
</nav>
${attention(text.operatorNotice)}`;
}

/** What distinguishes an application at a glance, where anything does. */
export function stateTags({ verified, suspended }: OwnApplication, messages: Messages): Html | false {
  const { states } = messages.applications;
  return (
    (verified || suspended) &&
    html`<span class="tags">${verified && tag(states.verified, 'good')}${suspended && tag(states.suspended, 'stopped')}</span>`
  );
}
