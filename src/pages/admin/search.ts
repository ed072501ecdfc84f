// /console/operations/search: finds accounts, applications, agents, APIs and incident codes.
import type { FastifyInstance } from 'fastify';
import { parseIncidentCode } from '../../http/incident-code.ts';
import { readQuery } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { type FoundIncident, findIncident } from '../../store/refusals.ts';
import { clientDisplayName } from '../../web/html/client-display.ts';
import { textField } from '../../web/html/fields.ts';
import { type Html, html } from '../../web/html/html.ts';
import { timeAgo } from '../../web/html/time.ts';
import { AUDIT_URL, adminNavigation, SEARCH_URL, searchForm, urlWithParameters } from './layout.ts';
import { MAX_SEARCH_LENGTH } from './list-query.ts';
import type { SearchRows } from './sections.ts';

export function searchPage(area: FastifyInstance, services: Services, sections: readonly SearchRows[]): void {
  area.get(SEARCH_URL, async (request, reply) => {
    const search = readQuery(request).get('search')?.trim().slice(0, MAX_SEARCH_LENGTH) || undefined;
    const groups = search === undefined ? [] : await Promise.all(sections.map((find) => find(search)));
    const code = parseIncidentCode(search ?? '');
    // The incident may not be in the database yet.
    if (code !== undefined) await services.diagnostics.flush();
    const incident = code === undefined ? undefined : await findIncident(services.database, code);
    return reply.page({
      title: (messages) => messages.operations.search,
      main(messages) {
        const { operations: text } = messages;
        const nonEmptyGroups = groups.map((group) => group(messages)).filter((group) => group !== undefined);
        return html`${adminNavigation(messages, 'search')}
<h1>${text.search}</h1>
${globalSearchForm(messages, search)}
${code && incident && incidentGroup(code, incident, messages)}
${nonEmptyGroups}
${search !== undefined && incident === undefined && nonEmptyGroups.length === 0 && noResultsView(search, code !== undefined, messages)}`;
      },
    });
  });
}

const noResultsView = (search: string, isCode: boolean, { operations: text }: Messages): Html =>
  html`<p class="quiet">${text.nothingFound(search)}${isCode && ` ${text.incidentNotFound}`}</p>
${!isCode && html`<p class="paging"><a class="touch-target" href="${urlWithParameters(AUDIT_URL, { search })}">${text.searchAudit(search)}</a></p>`}`;

export const globalSearchForm = ({ operations: text }: Messages, search?: string): Html =>
  searchForm({
    action: SEARCH_URL,
    title: text.searchAll,
    button: text.searchAction,
    isInline: true,
    body: textField({
      name: 'search',
      label: text.searchAll,
      placeholder: text.searchAllHint,
      value: search,
      optional: true,
      autocomplete: 'off',
    }),
  });

export function incidentGroup(code: string, found: FoundIncident, messages: Messages): Html {
  const { clientId, apiId, name, lastAt } = found;
  const { diagnostics, operations: text } = messages;
  const time = html`<span class="quiet">${text.refusedAt} ${timeAgo(lastAt, messages)}</span>`;
  const path = clientId === null ? `apis/${apiId}` : `applications/${encodeURIComponent(clientId)}`;
  const url = `/console/${path}/diagnostics?${new URLSearchParams({ incident: code })}`;
  return html`<h2>${diagnostics.found(code)}</h2>
<ul class="search-results">
<li>${
    name === null
      ? html`<code>${found.error}</code> <span lang="en">${found.description}</span> <span class="quiet">${found.endpoint}</span>`
      : html`<a href="${url}">${diagnostics.title(clientId === null ? name : clientDisplayName({ clientId, name }, messages))}</a>`
  } ${time}</li>
</ul>`;
}
