// View of a list with search form, table and paging.

import type { Messages } from '../../i18n/index.ts';
import type { ListPage, ListQuery } from '../../store/admin-lists.ts';
import { selectField, textField } from '../../web/html/fields.ts';
import { type Html, html, type Renderable } from '../../web/html/html.ts';
import { notice } from '../../web/html/notices.ts';
import { recordsTable } from '../../web/html/records-table.ts';
import { formatPosition } from '../../web/list-position.ts';
import { ADMIN_URL, adminNavigation, pagingLinks, searchForm, urlWithParameters } from './layout.ts';

export type ListView<Row> = {
  messages: Messages;
  query: ListQuery<string>;
  results: ListPage<Row>;
  notice?: string | undefined;
};

export type ListDescription<Row> = {
  section: 'accounts' | 'applications' | 'apis' | 'agents';
  searchLabel: string;
  states: Record<string, string>;
  createLink?: Html;
  headings: readonly string[];
  cells: (row: Row) => readonly Renderable[];
};

export function listView<Row>(view: ListView<Row>, listed: ListDescription<Row>): Html {
  const { query, results } = view;
  const { operations: text } = view.messages;
  const { section, searchLabel } = listed;
  const listUrl = `${ADMIN_URL}/${section}`;
  const states = Object.entries(listed.states).map(([value, label]) => ({ value, label }));
  const parameters = { search: query.search, state: query.state === 'any' ? undefined : query.state };
  const isFiltered = Object.values(parameters).some((value) => value !== undefined && value !== '');
  return html`${adminNavigation(view.messages, section)}
${notice(view.notice)}
<div class="list-head">
<h1>${text[section]}</h1>
${listed.createLink}
</div>
${searchForm({
  action: listUrl,
  title: searchLabel,
  button: text.searchAction,
  isInline: true,
  body: html`${textField({ name: 'search', label: searchLabel, placeholder: searchLabel, value: query.search, optional: true })}
${selectField({ name: 'state', label: text.show, options: states, value: query.state ?? 'any' })}`,
})}
${results.capped && html`<p class="quiet">${text.capped}</p>`}
${
  results.rows.length === 0
    ? isFiltered
      ? html`<p class="quiet">${text.noMatch}${parameters.state === undefined && ` ${text.shorterSearch}`}</p>
<p class="paging"><a class="touch-target" href="${listUrl}">${text.showAll}</a></p>`
      : html`<p class="quiet">${text.noneYet}</p>`
    : recordsTable({
        caption: text[section],
        headings: listed.headings,
        rows: results.rows.map(listed.cells),
      })
}
${pagingLinks(view.messages, {
  first: query.after && urlWithParameters(listUrl, parameters),
  next:
    results.next &&
    urlWithParameters(listUrl, {
      ...parameters,
      after: formatPosition({ at: results.next.createdAt, id: results.next.id }),
    }),
})}`;
}
