// /console/operations/audit, /audit.json and /audit.csv: the audit log as a page and as downloads.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readQuery } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { invalidRequest } from '../../oauth/errors.ts';
import { findParameterError, type Parameters } from '../../oauth/parameters.ts';
import { type EventFilter, type EventRow, listEvents } from '../../store/audit-log.ts';
import { findSession } from '../../store/sessions.ts';
import { localizeErrors, type ValidationError } from '../../web/form-errors.ts';
import { errorSummary, type FormError } from '../../web/html/error-summary.ts';
import { selectField, textField } from '../../web/html/fields.ts';
import { type Html, html } from '../../web/html/html.ts';
import { icon } from '../../web/html/icons.ts';
import { formatPosition, parsePosition } from '../../web/list-position.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { type ExportFormat, MAX_EXPORTED_EVENTS, startExport } from './audit-export.ts';
import { type EventSearch, resolveEventSearch } from './audit-search.ts';
import { eventListView } from './events-view.ts';
import { AUDIT_URL, adminNavigation, pagingLinks, searchForm, urlWithParameters } from './layout.ts';
import { incidentGroup } from './search.ts';

/** Each event adds about half a kilobyte of HTML. */
const PAGE_SIZE = 25;
const DAY = 24 * 3600 * 1000;

export function auditPages(area: FastifyInstance, services: Services): void {
  const { database } = services;

  area.get(AUDIT_URL, async (request, reply) => {
    const query = readQuery(request);
    const fields = readFilterFields(query);
    const { filter, search, errors } = await parseFilter(services, fields);
    const before = parsePosition(query.get('before'), isEventId);
    const rows =
      errors.length > 0 ? [] : await listEvents(database, filter, { before, limit: PAGE_SIZE + 1 });
    const events = rows.slice(0, PAGE_SIZE);
    const last = events.at(-1);
    return reply.page({
      status: errors.length > 0 ? 400 : 200,
      hasErrors: errors.length > 0,
      title: (messages) => messages.operations.audit,
      main: (messages) =>
        auditView({
          messages,
          fields,
          search,
          errors: localizeErrors(errors, messages),
          events,
          next: rows.length > PAGE_SIZE && last ? formatPosition(last) : undefined,
          isFirst: before === undefined,
        }),
    });
  });

  const sendExport = async (request: FastifyRequest, reply: FastifyReply, format: ExportFormat) => {
    const query = readQuery(request);
    const fields = readFilterFields(query);
    const { filter, errors } = await parseFilter(services, fields);
    if (errors.length > 0)
      throw invalidRequest(`Invalid filter parameters: ${errors.map(({ field }) => field).join(', ')}.`, {
        kind: 'page_form_invalid',
      });
    const session = signedInUser(request);
    const content = await startExport(format, {
      database,
      filter,
      before: parsePosition(query.get('before'), isEventId),
      urlAfter: (position) =>
        urlWithParameters(`${AUDIT_URL}.${format}`, { ...fields, before: formatPosition(position) }),
      mayContinue: async () => (await findSession(database, session, services.now()))?.isAdmin ?? false,
    });
    return reply
      .header('content-disposition', `attachment; filename="audit.${format}"`)
      .header('x-content-type-options', 'nosniff')
      .type(format === 'json' ? 'application/json; charset=utf-8' : 'text/csv; charset=utf-8')
      .send(content);
  };
  area.get(`${AUDIT_URL}.json`, (request, reply) => sendExport(request, reply, 'json'));
  area.get(`${AUDIT_URL}.csv`, (request, reply) => sendExport(request, reply, 'csv'));
}

const isEventId = (text: string): boolean => /^\d{1,18}$/.test(text);

const FILTER_FIELD_NAMES = ['search', 'kind', 'from', 'until'] as const;
type FilterFields = Partial<Record<(typeof FILTER_FIELD_NAMES)[number], string>>;

/**
 * Ignoring an invalid parameter would return all events.
 * @throws OAuthError if a parameter is repeated or malformed
 */
function readFilterFields(query: Parameters): FilterFields {
  const error = findParameterError(query);
  if (error !== undefined) throw error;
  return Object.fromEntries(
    FILTER_FIELD_NAMES.flatMap((name) => {
      const value = query.get(name)?.trim().slice(0, 500);
      return value ? [[name, value]] : [];
    }),
  );
}

interface AuditFilter {
  filter: EventFilter;
  search: EventSearch | undefined;
  errors: ValidationError[];
}

async function parseFilter(services: Services, fields: FilterFields): Promise<AuditFilter> {
  const errors: ValidationError[] = [];
  const addError = (field: 'from' | 'until') =>
    errors.push({ field, text: ({ operations }) => operations.filterFaults.day });
  const from = parseDay(fields.from);
  if (fields.from !== undefined && from === undefined) addError('from');
  const until = parseDay(fields.until);
  if (fields.until !== undefined && until === undefined) addError('until');
  const search =
    fields.search === undefined || errors.length > 0
      ? undefined
      : await resolveEventSearch(services, fields.search);
  const filter = {
    kind: fields.kind,
    anyOf: search?.subjects,
    from,
    until: until && new Date(until.getTime() + DAY),
  };
  return { filter, search, errors };
}

function parseDay(text: string | undefined): Date | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const date = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text) ? undefined : date;
}

type AuditView = {
  messages: Messages;
  fields: FilterFields;
  search: EventSearch | undefined;
  errors: readonly FormError[];
  events: readonly EventRow[];
  next: string | undefined;
  isFirst: boolean;
};

function auditView(view: AuditView): Html {
  const { messages, fields, search, errors, events } = view;
  const text = messages.operations;
  const isFiltered = Object.keys(fields).length > 0;
  return html`${adminNavigation(messages, 'audit')}
${errorSummary({ title: () => text.filterFaultTitle, errors })}
<div class="list-head">
<h1>${text.audit}</h1>
${events.length > 0 && exportLinks(fields, messages)}
</div>
${searchForm({ action: AUDIT_URL, title: text.filter.title, button: text.searchAction, body: filterFields(view) })}
${isFiltered && html`<p class="paging"><a class="touch-target" href="${AUDIT_URL}">${text.filter.clear}</a></p>`}
${search?.incident && incidentGroup(search.incident.code, search.incident, messages)}
${search?.capped && html`<p class="quiet">${text.capped}</p>`}
${
  events.length === 0
    ? errors.length === 0 && html`<p class="quiet">${isFiltered ? text.noMatchingEvent : text.noEvent}</p>`
    : eventListView(events, messages)
}
${pagingLinks(messages, {
  first: view.isFirst ? undefined : urlWithParameters(AUDIT_URL, fields),
  next: view.next && urlWithParameters(AUDIT_URL, { ...fields, before: view.next }),
})}`;
}

function exportLinks(fields: FilterFields, { operations: text }: Messages): Html {
  const formats = ['csv', 'json'] as const;
  return html`<p class="downloads">
${formats.map(
  (format) =>
    html`<a class="touch-target" href="${urlWithParameters(`${AUDIT_URL}.${format}`, fields)}" download title="${text.exportLimit(text.number(MAX_EXPORTED_EVENTS))}">${icon('download', 16)}<span class="visually-hidden">${text.download}</span> ${format.toUpperCase()}</a>
`,
)}</p>`;
}

function filterFields({ messages, fields, errors }: AuditView): Html {
  const text = messages.operations.filter;
  const kinds = Object.entries(messages.operations.events)
    .map(([value, label]) => ({ value, label }))
    .sort((a, b) => a.label.localeCompare(b.label));
  // Uses a text field for an invalid date because a date field would not show it.
  const dateFieldType = (name: string) => (errors.every(({ field }) => field !== name) ? 'date' : 'text');
  return html`${textField({ name: 'search', label: text.search, hint: text.searchHint, value: fields.search, optional: true, autocomplete: 'off' })}
${selectField({
  name: 'kind',
  label: text.kind,
  options: [{ value: '', label: text.anything }, ...kinds],
  value: fields.kind ?? '',
})}
${(['from', 'until'] as const).map((name) =>
  textField({
    name,
    type: dateFieldType(name),
    label: text[name],
    value: fields[name],
    optional: true,
    errors,
  }),
)}`;
}
