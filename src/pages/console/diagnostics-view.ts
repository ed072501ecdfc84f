// Owns the look of an application's diagnostics: its refused requests in words, and a checklist of what was observed.

import type { Messages } from '../../i18n/index.ts';
import type { Observation } from '../../store/observations.ts';
import { QUOTA } from '../../store/refusals.ts';
import type { WatchedApplication } from '../../store/watched-applications.ts';
import { calledById } from '../../web/html/client-by-id.ts';
import { type Html, html } from '../../web/html/html.ts';
import { checklist } from './checklist-view.ts';
import { applicationAddress, watchedWay } from './parts-view.ts';
import { incidentSearch, refusalList, type ShownRefusal, searched } from './refusals-view.ts';

export type DiagnosticsView = {
  messages: Messages;
  application: WatchedApplication;
  /** The code that is looked for; only what it belongs to is shown. */
  incident: string | undefined;
  refusals: readonly ShownRefusal[];
  observations: readonly Observation[];
};

export function diagnosticsView(view: DiagnosticsView): Html {
  const { messages, application, incident } = view;
  const text = messages.diagnostics;
  const here = applicationAddress(application.clientId, 'diagnostics');
  return html`${watchedWay(messages, application, 'diagnostics')}
<h1>${text.title(calledById(application, messages))}</h1>
<p class="lead">${text.lead}</p>
${incident === undefined && html`<p><a href="#checklist">${text.checklist}</a></p>`}
${incidentSearch(messages, here, incident)}
${incident === undefined ? everything(view) : searched(view, { incident, here, notFound: text.notFound(incident) })}`;
}

function everything(view: DiagnosticsView): Html {
  const text = view.messages.diagnostics;
  return html`<h2>${text.refused}</h2>
${
  view.refusals.length === 0
    ? html`<div class="empty">
<p class="empty-title">${text.none}</p>
<p>${text.noneAdvice}</p>
</div>`
    : html`<p class="quiet">${text.refusedHint(QUOTA)}</p>
${refusalList(view)}`
}
<h2 id="checklist">${text.checklist}</h2>
<p class="quiet">${text.checklistHint}</p>
${checklist(view)}`;
}
