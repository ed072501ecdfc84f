// Owns the look of an operators' list: its search, a table of rows, and the way to the next page.

import type { Messages } from '../../i18n/index.ts';
import type { Asked, ListPage } from '../../store/list-pages.ts';
import { notice, selectField, textField } from '../../web/html/form.ts';
import { type Html, html, type Renderable } from '../../web/html/html.ts';
import {
  addressWith,
  OPERATIONS,
  operationsNavigation,
  paging,
  recordsTable,
  searchForm,
} from './frame-view.ts';
import { positionText } from './list.ts';

export type ListView<Row> = {
  messages: Messages;
  asked: Asked<string>;
  found: ListPage<Row>;
  notice?: string | undefined;
};

/** What is its own of a list. */
export type Listed<Row> = {
  section: 'accounts' | 'applications' | 'apis' | 'agents';
  /** What can be searched for. */
  search: string;
  states: Record<string, string>;
  /** What begins something new in this list. */
  begin?: Html;
  headings: readonly string[];
  cells: (row: Row) => readonly Renderable[];
};

export function listView<Row>(view: ListView<Row>, listed: Listed<Row>): Html {
  const { asked, found } = view;
  const { operations: text } = view.messages;
  const { section, search } = listed;
  const here = `${OPERATIONS}/${section}`;
  const states = Object.entries(listed.states).map(([value, label]) => ({ value, label }));
  const parameters = { search: asked.search, state: asked.state === 'any' ? undefined : asked.state };
  return html`${operationsNavigation(view.messages, section)}
${notice(view.notice)}
<div class="list-head">
<h1>${text[section]}</h1>
${listed.begin}
</div>
${searchForm({
  action: here,
  title: search,
  button: text.searchAction,
  body: html`${textField({ name: 'search', label: search, value: asked.search, optional: true })}
${selectField({ name: 'state', label: text.show, options: states, value: asked.state ?? 'any' })}`,
})}
${found.capped && html`<p class="quiet">${text.capped}</p>`}
${
  found.rows.length === 0
    ? html`<p class="quiet">${text.noMatch}</p>`
    : recordsTable({ caption: text[section], headings: listed.headings, rows: found.rows.map(listed.cells) })
}
${paging(view.messages, {
  first: asked.after && addressWith(here, parameters),
  next:
    found.next &&
    addressWith(here, {
      ...parameters,
      after: positionText({ at: found.next.createdAt, id: found.next.id }),
    }),
})}`;
}
