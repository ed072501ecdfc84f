// GET /console/operations/audit and /audit.json: the audit log, filtered, and the same to take along.
import { isIPv6 } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { networkOf } from '../../http/rate-limit.ts';
import type { Messages } from '../../i18n/index.ts';
import { invalidRequest } from '../../oauth/errors.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import { isUuid } from '../../store/account-lists.ts';
import type { Database } from '../../store/database.ts';
import { type EventFilter, type EventRow, eventAsJson, listEvents } from '../../store/events.ts';
import { findUserByEmail } from '../../store/users.ts';
import { type Fault, inWords } from '../../web/faults.ts';
import { errorSummary, type FormError, selectField, textField } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { eventTable } from './events-view.ts';
import { AUDIT, addressWith, operationsNavigation, paging, searchForm } from './frame-view.ts';
import { positionText, readPosition } from './list.ts';

/** Events of a page: each takes half a kilobyte. */
const SHOWN = 25;
/** Events that one download holds at most: some three megabytes. */
const EXPORTED = 5000;
const A_DAY = 24 * 3600 * 1000;

export function auditPages(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(AUDIT, async (request, reply) => {
    const query = queryOf(request);
    const typed = typedFilter(query);
    const { filter, faults } = await readFilter(database, typed);
    const before = readPosition(query.get('before'), isEventId);
    const found = faults.length > 0 ? [] : await listEvents(database, filter, { before, limit: SHOWN + 1 });
    const events = found.slice(0, SHOWN);
    return reply.page({
      status: faults.length > 0 ? 400 : 200,
      hasErrors: faults.length > 0,
      title: (messages) => messages.operations.audit,
      main: (messages) =>
        auditView({
          messages,
          typed,
          errors: inWords(faults, messages),
          events,
          next: nextOf(found, SHOWN),
          isFirst: before === undefined,
          exported: EXPORTED,
        }),
    });
  });

  area.get(`${AUDIT}.json`, async (request, reply) => {
    const query = queryOf(request);
    const typed = typedFilter(query);
    const { filter, faults } = await readFilter(database, typed);
    if (faults.length > 0)
      throw invalidRequest(`The filter cannot be applied: ${faults.map(({ field }) => field).join(', ')}.`, {
        kind: 'page_form',
      });
    const before = readPosition(query.get('before'), isEventId);
    const found = await listEvents(database, filter, { before, limit: EXPORTED + 1 });
    const next = nextOf(found, EXPORTED);
    return reply
      .header('content-disposition', 'attachment; filename="audit.json"')
      .type('application/json; charset=utf-8')
      .send(
        JSON.stringify({
          events: found.slice(0, EXPORTED).map(eventAsJson),
          next: next === undefined ? null : addressWith(`${AUDIT}.json`, { ...typed, before: next }),
        }),
      );
  });
}

const isEventId = (text: string): boolean => /^\d{1,18}$/.test(text);

/** Where the next page begins, when more was found than is shown. */
function nextOf(found: EventRow[], shown: number): string | undefined {
  const last = found[shown - 1];
  return found.length > shown && last ? positionText(last) : undefined;
}

const FIELDS = ['kind', 'address', 'account', 'client_id', 'api_id', 'from', 'until'] as const;
/** What was typed into the filter, as it stands in the URL. */
type TypedFilter = Partial<Record<(typeof FIELDS)[number], string>>;

const typedFilter = (query: Parameters): TypedFilter =>
  Object.fromEntries(
    FIELDS.flatMap((name) => {
      const value = query.get(name)?.trim().slice(0, 300);
      return value ? [[name, value]] : [];
    }),
  );

/** What was typed, as the store can look for it, and what of it cannot be looked for. */
async function readFilter(
  database: Database,
  typed: TypedFilter,
): Promise<{ filter: EventFilter; faults: Fault[] }> {
  const faults: Fault[] = [];
  const faulty = (field: 'account' | 'from' | 'until') =>
    faults.push({
      field,
      text: ({ operations: { filterFaults } }) => filterFaults[field === 'account' ? field : 'day'],
    });
  const userId = typed.account && (await userIdOf(database, typed.account));
  if (typed.account !== undefined && userId === undefined) faulty('account');
  const from = dayOf(typed.from);
  if (typed.from !== undefined && from === undefined) faulty('from');
  const until = dayOf(typed.until);
  if (typed.until !== undefined && until === undefined) faulty('until');
  return {
    filter: {
      kind: typed.kind,
      userId,
      clientId: typed.client_id,
      apiId: typed.api_id,
      // Addresses are remembered as they are counted: of IPv6 the network.
      address: typed.address && isIPv6(typed.address) ? networkOf(typed.address) : typed.address,
      from,
      until: until && new Date(until.getTime() + A_DAY),
    },
    faults,
  };
}

const userIdOf = async (database: Database, text: string): Promise<string | undefined> =>
  isUuid(text) ? text : (await findUserByEmail(database, text))?.userId;

/** A day by its name, in UTC. */
function dayOf(text: string | undefined): Date | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const date = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text) ? undefined : date;
}

type AuditView = {
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
function auditView(view: AuditView): Html {
  const { messages, typed, errors, events } = view;
  const text = messages.operations;
  const filtered = Object.keys(typed).length > 0;
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
  // A date field can't show a value that isn't a date.
  const typeOf = (name: string) =>
    (name === 'from' || name === 'until') && errors.every(({ field }) => field !== name) ? 'date' : 'text';
  return html`<div class="filter-fields">
${FIELDS.map((name) =>
  name === 'kind'
    ? selectField({
        name,
        label: text.kind,
        options: [{ value: '', label: text.anything }, ...kinds],
        value: typed.kind ?? '',
      })
    : textField({ name, type: typeOf(name), label: text[name], value: typed[name], optional: true, errors }),
)}
</div>`;
}
