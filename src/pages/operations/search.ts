// GET /console/operations/search: accounts, applications, agents, APIs and incident codes that a text leads to.
import type { FastifyInstance } from 'fastify';
import { readIncidentCode } from '../../http/incident-code.ts';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { type FoundIncident, findIncident } from '../../store/refusals.ts';
import { calledById } from '../../web/html/client-by-id.ts';
import { textField } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { ago } from '../../web/html/time.ts';
import { operationsNavigation, SEARCH, searchForm } from './frame-view.ts';
import { SEARCH_MAX } from './list.ts';
import type { SearchRows } from './sections.ts';

/** @param sections search each section; their results are shown in this order */
export function searchPage(area: FastifyInstance, parts: Parts, sections: readonly SearchRows[]): void {
  area.get(SEARCH, async (request, reply) => {
    const search = queryOf(request).get('search')?.trim().slice(0, SEARCH_MAX) || undefined;
    const groups = search === undefined ? [] : await Promise.all(sections.map((find) => find(search)));
    const code = readIncidentCode(search ?? '');
    // The code may have been shown a moment ago.
    if (code !== undefined) await parts.diagnostics.flush();
    const incident = code === undefined ? undefined : await findIncident(parts.database, code);
    return reply.page({
      title: (messages) => messages.operations.search,
      main(messages) {
        const { operations: text } = messages;
        const found = groups.map((group) => group(messages)).filter((group) => group !== undefined);
        return html`${operationsNavigation(messages, 'search')}
<h1>${text.search}</h1>
${searchEverything(messages, search)}
${code && incident && incidentGroup(code, incident, messages)}
${found}
${search !== undefined && incident === undefined && found.length === 0 && html`<p class="quiet">${text.nothingFound(search)}</p>`}`;
      },
    });
  });
}

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

function incidentGroup(code: string, found: FoundIncident, messages: Messages): Html {
  const { clientId, apiId, name, lastAt } = found;
  const { diagnostics, operations: text } = messages;
  const when = html`<span class="quiet">${text.refusedAt} ${ago(lastAt, messages)}</span>`;
  const whose = clientId === null ? `apis/${apiId}` : `applications/${encodeURIComponent(clientId)}`;
  const url = `/console/${whose}/diagnostics?${new URLSearchParams({ incident: code })}`;
  return html`<h2>${diagnostics.found(code)}</h2>
<ul class="found">
<li>${
    name === null
      ? html`<code>${found.error}</code> <span lang="en">${found.description}</span> <span class="quiet">${found.endpoint}</span>`
      : html`<a href="${url}">${diagnostics.title(clientId === null ? name : calledById({ clientId, name }, messages))}</a>`
  } ${when}</li>
</ul>`;
}
