// List, detail and action pages shared by accounts, applications, APIs and agents.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readQuery } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import type { Locale, Messages } from '../../i18n/index.ts';
import { notFound } from '../../oauth/errors.ts';
import type { ListPage, ListQuery } from '../../store/admin-lists.ts';
import { listEvents } from '../../store/audit-log.ts';
import type { Database } from '../../store/database.ts';
import { type Html, html } from '../../web/html/html.ts';
import { notice } from '../../web/html/notices.ts';
import { recordsTable } from '../../web/html/records-table.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { type Actions, actionLinks, actionPages } from './actions.ts';
import { eventLabel, recentEventsView } from './events-view.ts';
import { ADMIN_URL, adminNavigation, urlWithParameters } from './layout.ts';
import { parseListQuery } from './list-query.ts';
import { type ListDescription, listView } from './list-view.ts';

const MAX_EVENTS = 10;
const MAX_SEARCH_ROWS = 8;

/** The returned function renders the matching rows, if any. */
export type SearchRows = (search: string) => Promise<(messages: Messages) => Html | undefined>;

export interface DetailContext<Action extends string> {
  messages: Messages;
  locale: Locale;
  request: FastifyRequest;
  links: (...actions: Action[]) => Html | undefined;
}

/** The list shows `Listing` objects. A detail page shows a `Row`, which may have more properties. */
export interface Section<Row, State extends string, Action extends string, Listing = Row>
  extends Omit<Actions<Row, Action>, 'find' | 'path' | 'pathOf'> {
  section: ListDescription<Listing>['section'];
  idParameter: string;
  isId: (id: string) => boolean;
  idOf: (row: Row) => string;
  pictureOf?: (row: Row) => Html;
  eventFilter: 'userId' | 'clientId' | 'apiId';
  states: readonly State[];
  listRows: (database: Database, query: ListQuery<State>) => Promise<ListPage<Listing>>;
  findRow: (id: string) => Promise<Row | undefined>;
  describeList: (messages: Messages) => Omit<ListDescription<Listing>, 'section'>;
  details: (row: Row, context: DetailContext<Action>) => Html;
  /** The notice after an action. Defaults to the label of the action's audit event. */
  doneNotice?: (kind: string, row: Row, messages: Messages) => Html | string | undefined;
  editLink?: (row: Row, messages: Messages, request: FastifyRequest) => Html | false;
  footer?: (row: Row, context: DetailContext<Action>) => Html;
  /** Shown below the latest events. */
  closing?: (row: Row, context: DetailContext<Action>) => Html | false;
}

export function sectionPages<Row, State extends string, Action extends string, Listing>(
  area: FastifyInstance,
  { database }: Pick<Services, 'database'>,
  section: Section<Row, State, Action, Listing>,
): SearchRows {
  const { section: name, idOf, nameOf, eventFilter } = section;
  const listUrl = `${ADMIN_URL}/${name}`;
  const path = `${listUrl}/:${section.idParameter}`;
  const rowUrl = (row: Row) => `${listUrl}/${encodeURIComponent(idOf(row))}`;
  const actions: Actions<Row, Action> = { ...section, path, pathOf: rowUrl, find: loadRow };
  actionPages(area, actions);

  area.get(listUrl, async (request, reply) => {
    const query = parseListQuery(request, section.states, section.isId);
    const results = await section.listRows(database, query);
    // Only deleting an account redirects to the list with `done`.
    const isDone = readQuery(request).get('done') !== undefined;
    const { userId } = signedInUser(request);
    const [last] = isDone ? await listEvents(database, { userId }, { limit: 1 }) : [];
    const isDeleted = last?.kind === 'account_deleted';
    return reply.page({
      title: ({ operations }) => operations[name],
      main: (messages) =>
        listView(
          {
            messages,
            query,
            results,
            notice: isDeleted ? eventLabel('account_deleted', messages) : undefined,
          },
          { ...section.describeList(messages), section: name },
        ),
    });
  });

  area.get(path, async (request, reply) => {
    const row = await loadRow(request);
    const events = await listEvents(database, { [eventFilter]: idOf(row) }, { limit: MAX_EVENTS });
    // The notice after an action comes from the action's audit event, not from the URL.
    const isDone = readQuery(request).get('done') !== undefined;
    const actionEvent = isDone
      ? events.find(({ actorId }) => actorId === signedInUser(request).userId)
      : undefined;
    return reply.page({
      title: () => nameOf(row),
      main(messages, locale) {
        const linksToActions = (...wanted: Action[]) => actionLinks(actions, wanted, row, request, messages);
        const context = { messages, locale, request, links: linksToActions };
        return html`${adminNavigation(messages, name, { within: true })}
${notice(actionEvent && (section.doneNotice?.(actionEvent.kind, row, messages) ?? eventLabel(actionEvent.kind, messages)))}
<div class="list-head">
<h1>${section.pictureOf?.(row)}<bdi>${nameOf(row)}</bdi></h1>
${section.editLink?.(row, messages, request)}
</div>
<dl class="facts facts--framed facts--roomy">
${section.details(row, context)}
</dl>
${section.footer?.(row, context)}
${recentEventsView(idOf(row), events, messages)}
${section.closing?.(row, context)}`;
      },
    });
  });

  return async (search) => {
    const { rows, next } = await section.listRows(database, { search });
    return (messages) => {
      if (rows.length === 0) return undefined;
      const { operations: text } = messages;
      const { headings, cells } = section.describeList(messages);
      const shownRows = rows.slice(0, MAX_SEARCH_ROWS);
      return html`<h2>${text[name]}</h2>
${recordsTable({ caption: text[name], headings, rows: shownRows.map(cells) })}
${(next !== undefined || rows.length > MAX_SEARCH_ROWS) && html`<p class="paging"><a class="touch-target" href="${urlWithParameters(listUrl, { search })}">${text.allFound}</a></p>`}`;
    };
  };

  async function loadRow(request: FastifyRequest): Promise<Row> {
    const { [section.idParameter]: id = '' } = request.params as Record<string, string>;
    const row = section.isId(id) ? await section.findRow(id) : undefined;
    if (row === undefined) throw notFound();
    return row;
  }
}
