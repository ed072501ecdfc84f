// Owns the look of the audit log: its filter, a page of events, the way to take them along.

import type { Messages } from '../../i18n/index.ts';
import type { EventRow } from '../../store/events.ts';
import { errorSummary, type FormError, selectField, textField } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { eventTable } from './events-view.ts';
import { AUDIT, addressWith, operationsNavigation, paging, searchForm } from './frame-view.ts';

/** What was typed into the filter, as it travels in the address. */
export type TypedFilter = Record<
  'kind' | 'account' | 'client_id' | 'api_id' | 'address' | 'from' | 'until',
  string | undefined
>;

export type AuditView = {
  messages: Messages;
  typed: TypedFilter;
  errors: readonly FormError[];
  events: readonly EventRow[];
  /** Where the next page begins; `isFirst` when this is the first one. */
  next: string | undefined;
  isFirst: boolean;
  /** How many events one download holds at most. */
  exported: number;
};

/** The audit log, latest first. */
export function auditView(view: AuditView): Html {
  const { messages, typed, errors, events } = view;
  const text = messages.operations;
  const filtered = Object.values(typed).some((value) => value !== undefined);
  return html`${operationsNavigation(messages, 'audit')}
${errorSummary({ title: text.filterFaultTitle, errors })}
<h1>${text.audit}</h1>
<details class="filter"${(filtered || errors.length > 0) && html` open`}>
<summary>${text.filter.title}</summary>
${searchForm({ action: AUDIT, title: text.filter.title, button: text.filter.apply, body: filterFields(view) })}
</details>
${filtered && html`<p class="paging"><a class="reachable" href="${AUDIT}">${text.filter.clear}</a></p>`}
${
  events.length === 0
    ? errors.length === 0 && html`<p class="quiet">${filtered ? text.noMatchingEvent : text.noEvent}</p>`
    : eventTable(events, messages, text.audit)
}
${paging(messages, {
  first: view.isFirst ? undefined : addressWith(AUDIT, typed),
  next: view.next && addressWith(AUDIT, { ...typed, before: view.next }),
})}
${events.length > 0 && html`<p class="paging"><a class="reachable" href="${addressWith(`${AUDIT}.json`, typed)}" download>${text.exportJson(text.number(view.exported))}</a></p>`}`;
}

function filterFields({ messages, typed, errors }: AuditView): Html {
  const text = messages.operations.filter;
  const kinds = Object.entries(messages.operations.events)
    .map(([value, label]) => ({ value, label }))
    .sort((a, b) => a.label.localeCompare(b.label));
  // What is no day can only be shown again in a field that takes any text.
  const dayField = (name: string) => (errors.some(({ field }) => field === name) ? 'text' : 'date');
  const shared = { optional: true, errors };
  return html`<div class="filter-fields">
${selectField({ name: 'kind', label: text.kind, options: [{ value: '', label: text.anything }, ...kinds], value: typed.kind ?? '' })}
${textField({ ...shared, name: 'address', label: text.address, value: typed.address })}
${textField({ ...shared, name: 'account', label: text.account, value: typed.account })}
${textField({ ...shared, name: 'client_id', label: text.application, value: typed.client_id })}
${textField({ ...shared, name: 'api_id', label: text.api, value: typed.api_id })}
${textField({ ...shared, name: 'from', type: dayField('from'), label: text.from, value: typed.from })}
${textField({ ...shared, name: 'until', type: dayField('until'), label: text.until, value: typed.until })}
</div>`;
}
