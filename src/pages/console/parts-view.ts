// Owns what the console's pages of applications have in common: the way to a page, states, times, faults.

import type { Messages } from '../../i18n/index.ts';
import type { ClientType } from '../../oauth/redirect-uri.ts';
import type { OwnApplication } from '../../store/applications.ts';
import type { WatchedApplication } from '../../store/watched-applications.ts';
import { calledById, operatorsPage } from '../../web/html/client-by-id.ts';
import { attention } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { sideList } from '../../web/html/side-list.ts';
import { tag } from '../../web/html/tag.ts';

export const APPLICATIONS = '/console/applications';

/** The address of an application's page, or of one below it. */
export const applicationAddress = (clientId: string, below?: string): string =>
  `${APPLICATIONS}/${clientId}${below === undefined ? '' : `/${below}`}`;

/** The pages of an application that its list beside them names. */
export type ApplicationPart =
  | 'overview'
  | 'edit'
  | 'integrate'
  | 'diagnostics'
  | 'activity'
  | 'apis'
  | 'secrets'
  | 'protocol';

/**
 * The ways from a page of the console: to the other pages of its application, which stand beside it; and back, to the
 * list and to the application whose page is above this one.
 * @param below what the page is part of when it is a page below that
 */
export function way(
  messages: Messages,
  application?: { clientId: string; name: string; type?: ClientType },
  part?: ApplicationPart | { below: ApplicationPart },
): Html {
  const text = messages.applications;
  const back = html`<nav class="way" aria-label="${text.way}">
<ol>
<li><a href="${APPLICATIONS}">${text.list.title}</a></li>
${
  application &&
  part !== 'overview' &&
  html`<li><a href="${applicationAddress(application.clientId)}"><bdi>${application.name}</bdi></a></li>
`
}</ol>
</nav>`;
  return application === undefined || part === undefined
    ? back
    : html`${applicationParts(messages, application, part)}
${back}`;
}

/** An application or an API, as the pages know it that are the same for both. */
export interface Owned {
  id: string;
  name: string;
  address: (below?: string) => string;
  /** The ways from a page below its overview. */
  way: (messages: Messages) => Html;
}

export const ownedApplication = (application: OwnApplication): Owned => ({
  id: application.clientId,
  name: application.name,
  address: (below) => applicationAddress(application.clientId, below),
  way: (messages) => way(messages, application, { below: 'overview' }),
});

/** The same for what operators look at, too: back to where they look after it, and that it is not theirs. */
export function watchedWay(messages: Messages, application: WatchedApplication, part: ApplicationPart): Html {
  if (application.own) return way(messages, application, part);
  const here = operatorsPage(application.clientId);
  const all = here.slice(0, here.lastIndexOf('/'));
  return html`<nav class="way" aria-label="${messages.applications.way}">
<ol>
<li><a href="${all}">${messages.layout.operations}</a></li>
<li><a href="${here}"><bdi>${calledById(application, messages)}</bdi></a></li>
</ol>
</nav>
${attention(messages.diagnostics.operatorNotice)}`;
}

function applicationParts(
  messages: Messages,
  { clientId, name, type }: { clientId: string; name: string; type?: ClientType },
  part: ApplicationPart | { below: ApplicationPart },
): Html {
  const { detail } = messages.applications;
  const link = (one: ApplicationPart, text: string) => ({
    name: one,
    href: applicationAddress(clientId, one === 'overview' ? undefined : one),
    text,
  });
  const within = typeof part === 'object';
  return sideList({
    label: name,
    here: within ? part.below : part,
    within,
    links: [
      link('overview', messages.account.parts.overview),
      link('integrate', detail.integrate),
      link('diagnostics', detail.diagnostics),
      link('activity', messages.activity.title),
      ...(type === 'confidential'
        ? [link('apis', messages.serviceAccess.client.part), link('secrets', detail.secrets)]
        : []),
      link('edit', detail.settings),
      link('protocol', messages.protocol.tile),
    ],
  });
}

/** What distinguishes an application at a glance, where anything does. */
export function stateTags({ verified, suspended }: OwnApplication, messages: Messages): Html | false {
  const { states } = messages.applications;
  return (
    (verified || suspended) &&
    html`<span class="tags">${verified && tag(states.verified, 'good')}${suspended && tag(states.suspended, 'stopped')}</span>`
  );
}
