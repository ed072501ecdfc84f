// /console/operations/audit and /audit.json: the audit log with filters, as a page and a download.
import { isIPv6 } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { queryOf } from '../../http/parameters.ts';
import { ipNetwork } from '../../http/rate-limit.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { invalidRequest } from '../../oauth/errors.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import { isUuid } from '../../store/admin-accounts.ts';
import { type EventFilter, type EventRow, eventToJson, listEvents } from '../../store/audit-log.ts';
import type { Database } from '../../store/database.ts';
import { findUserByEmail } from '../../store/users.ts';
import { localizeErrors, type ValidationError } from '../../web/form-errors.ts';
import { errorSummary, type FormError, selectField, textField } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { eventTableView } from './events-view.ts';
import { AUDIT_URL, adminNavigation, pagingLinks, searchForm, urlWithParameters } from './layout.ts';
import { formatPosition, parsePosition } from './list-query.ts';

/** Events per page. Each event adds about half a kilobyte of HTML. */
const PAGE_SIZE = 25;
/** Maximum number of events per download, about 3 MB. */
const MAX_EXPORTED = 5000;
const DAY = 24 * 3600 * 1000;

export function auditPages(area: FastifyInstance, services: Services): void {
  const { database } = services;

  area.get(AUDIT_URL, async (request, reply) => {
    const query = queryOf(request);
    const fields = readFields(query);
    const { filter, errors } = await parseFilter(database, fields);
    const before = parsePosition(query.get('before'), isEventId);
    const rows =
      errors.length > 0 ? [] : await listEvents(database, filter, { before, limit: PAGE_SIZE + 1 });
    const events = rows.slice(0, PAGE_SIZE);
    return reply.page({
      status: errors.length > 0 ? 400 : 200,
      hasErrors: errors.length > 0,
      title: (messages) => messages.operations.audit,
      main: (messages) =>
        auditView({
          messages,
          fields,
          errors: localizeErrors(errors, messages),
          events,
          next: nextOf(rows, PAGE_SIZE),
          isFirst: before === undefined,
          maxExported: MAX_EXPORTED,
        }),
    });
  });

  area.get(`${AUDIT_URL}.json`, async (request, reply) => {
    const query = queryOf(request);
    const fields = readFields(query);
    const { filter, errors } = await parseFilter(database, fields);
    if (errors.length > 0)
      throw invalidRequest(`Invalid filter parameters: ${errors.map(({ field }) => field).join(', ')}.`, {
        kind: 'page_form_invalid',
      });
    const before = parsePosition(query.get('before'), isEventId);
    const rows = await listEvents(database, filter, { before, limit: MAX_EXPORTED + 1 });
    const next = nextOf(rows, MAX_EXPORTED);
    return reply
      .header('content-disposition', 'attachment; filename="audit.json"')
      .type('application/json; charset=utf-8')
      .send(
        JSON.stringify({
          events: rows.slice(0, MAX_EXPORTED).map(eventToJson),
          next:
            next === undefined ? null : urlWithParameters(`${AUDIT_URL}.json`, { ...fields, before: next }),
        }),
      );
  });
}

const isEventId = (text: string): boolean => /^\d{1,18}$/.test(text);

/** Returns the position of the next page. Returns undefined on the last page. */
function nextOf(found: EventRow[], shown: number): string | undefined {
  const last = found[shown - 1];
  return found.length > shown && last ? formatPosition(last) : undefined;
}

const FIELDS = ['kind', 'ip', 'account', 'client_id', 'api_id', 'from', 'until'] as const;
type FilterFields = Partial<Record<(typeof FIELDS)[number], string>>;

const readFields = (query: Parameters): FilterFields =>
  Object.fromEntries(
    FIELDS.flatMap((name) => {
      const value = query.get(name)?.trim().slice(0, 300);
      return value ? [[name, value]] : [];
    }),
  );

async function parseFilter(
  database: Database,
  fields: FilterFields,
): Promise<{ filter: EventFilter; errors: ValidationError[] }> {
  const errors: ValidationError[] = [];
  const addError = (field: 'account' | 'from' | 'until') =>
    errors.push({
      field,
      text: ({ operations: { filterFaults } }) => filterFaults[field === 'account' ? field : 'day'],
    });
  const userId = fields.account && (await userIdOf(database, fields.account));
  if (fields.account !== undefined && userId === undefined) addError('account');
  const from = parseDay(fields.from);
  if (fields.from !== undefined && from === undefined) addError('from');
  const until = parseDay(fields.until);
  if (fields.until !== undefined && until === undefined) addError('until');
  return {
    filter: {
      kind: fields.kind,
      userId,
      clientId: fields.client_id,
      apiId: fields.api_id,
      // The audit log contains only the network of an IPv6 address, not the address itself.
      ip: fields.ip && isIPv6(fields.ip) ? ipNetwork(fields.ip) : fields.ip,
      from,
      until: until && new Date(until.getTime() + DAY),
    },
    errors,
  };
}

const userIdOf = async (database: Database, text: string): Promise<string | undefined> =>
  isUuid(text) ? text : (await findUserByEmail(database, text))?.userId;

/** Parses a date in the format `YYYY-MM-DD`, in UTC. */
function parseDay(text: string | undefined): Date | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const date = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text) ? undefined : date;
}

type AuditView = {
  messages: Messages;
  fields: FilterFields;
  errors: readonly FormError[];
  events: readonly EventRow[];
  next: string | undefined;
  isFirst: boolean;
  maxExported: number;
};

function auditView(view: AuditView): Html {
  const { messages, fields, errors, events } = view;
  const text = messages.operations;
  const isFiltered = Object.keys(fields).length > 0;
  return html`${adminNavigation(messages, 'audit')}
${errorSummary({ title: text.filterFaultTitle, errors })}
<h1>${text.audit}</h1>
<details class="filter"${(isFiltered || errors.length > 0) && html` open`}>
<summary>${text.filter.title}</summary>
${searchForm({ action: AUDIT_URL, title: text.filter.title, button: text.filter.apply, body: filterFields(view) })}
</details>
${isFiltered && html`<p class="paging"><a class="touch-target" href="${AUDIT_URL}">${text.filter.clear}</a></p>`}
${
  events.length === 0
    ? errors.length === 0 && html`<p class="quiet">${isFiltered ? text.noMatchingEvent : text.noEvent}</p>`
    : eventTableView(events, messages, text.audit)
}
${pagingLinks(messages, {
  first: view.isFirst ? undefined : urlWithParameters(AUDIT_URL, fields),
  next: view.next && urlWithParameters(AUDIT_URL, { ...fields, before: view.next }),
})}
${events.length > 0 && html`<p class="paging"><a class="touch-target" href="${urlWithParameters(`${AUDIT_URL}.json`, fields)}" download>${text.exportJson(text.number(view.maxExported))}</a></p>`}`;
}

function filterFields({ messages, fields, errors }: AuditView): Html {
  const text = messages.operations.filter;
  const kinds = Object.entries(messages.operations.events)
    .map(([value, label]) => ({ value, label }))
    .sort((a, b) => a.label.localeCompare(b.label));
  // An invalid date is shown in a text field, because a date field can't show it.
  const typeOf = (name: string) =>
    (name === 'from' || name === 'until') && errors.every(({ field }) => field !== name) ? 'date' : 'text';
  return html`<div class="filter-fields">
${FIELDS.map((name) =>
  name === 'kind'
    ? selectField({
        name,
        label: text.kind,
        options: [{ value: '', label: text.anything }, ...kinds],
        value: fields.kind ?? '',
      })
    : textField({ name, type: typeOf(name), label: text[name], value: fields[name], optional: true, errors }),
)}
</div>`;
}
