// Accounts, applications, APIs and agents: four sections with the same pages, a list, one of them, its actions.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { notFound } from '../../oauth/errors.ts';
import type { Database } from '../../store/database.ts';
import { listEvents } from '../../store/events.ts';
import type { Asked, ListPage } from '../../store/list-pages.ts';
import { notice } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { memberOf } from '../../web/member.ts';
import { type Actions, actionButtons, actionPages } from './actions.ts';
import { eventsAbout, wordsFor } from './events-view.ts';
import { addressWith, OPERATIONS, operationsNavigation, recordsTable } from './frame-view.ts';
import { askedOf } from './list.ts';
import { type Listed, listView } from './list-view.ts';

const LATEST_EVENTS = 20;
const SEARCH_SHOWN = 8;
/** The filter of events about a row, as the audit log's page calls it. */
const ABOUT = { userId: 'account', clientId: 'client_id', apiId: 'api_id' } as const;

/** Searches a section; the result shows the first rows, if there are any. */
export type SearchRows = (search: string) => Promise<(messages: Messages) => Html | undefined>;

/** What differs between the sections. `Listing` is a row of the list, `Row` what its page shows. */
export interface Section<Row, State extends string, Action extends string, Listing = Row>
  extends Omit<Actions<Row, Action>, 'find' | 'list' | 'url' | 'pathOf'> {
  section: Listed<Listing>['section'];
  /** The parameter of its routes. */
  parameter: string;
  isId: (id: string) => boolean;
  idOf: (row: Row) => string;
  about: keyof typeof ABOUT;
  states: readonly State[];
  rows: (database: Database, asked: Asked<State>) => Promise<ListPage<Listing>>;
  read: (id: string) => Promise<Row | undefined>;
  listed: (messages: Messages) => Omit<Listed<Listing>, 'section'>;
  /** Lists and links below its actions. */
  more?: (row: Row, messages: Messages) => Html;
}

/** @returns the search over its rows */
export function sectionPages<Row, State extends string, Action extends string, Listing>(
  area: FastifyInstance,
  { database }: Pick<Parts, 'database'>,
  section: Section<Row, State, Action, Listing>,
): SearchRows {
  const { section: name, idOf, nameOf, about } = section;
  const list = `${OPERATIONS}/${name}`;
  const url = `${list}/:${section.parameter}`;
  const pathOf = (row: Row) => `${list}/${encodeURIComponent(idOf(row))}`;
  const actions: Actions<Row, Action> = { ...section, list, url, pathOf, find };
  actionPages(area, actions);

  area.get(list, async (request, reply) => {
    const asked = askedOf(request, section.states, section.isId);
    const found = await section.rows(database, asked);
    // Only the deletion of an account leads here.
    const isDone = queryOf(request).get('done') !== undefined;
    const { userId } = memberOf(request);
    const [last] = isDone ? await listEvents(database, { userId }, { limit: 1 }) : [];
    const isDeleted = last?.kind === 'account_deleted';
    return reply.page({
      title: ({ operations }) => operations[name],
      main: (messages) =>
        listView(
          { messages, asked, found, notice: isDeleted ? wordsFor('account_deleted', messages) : undefined },
          { ...section.listed(messages), section: name },
        ),
    });
  });

  area.get(url, async (request, reply) => {
    const row = await find(request);
    const events = await listEvents(database, { [about]: idOf(row) }, { limit: LATEST_EVENTS });
    // After an action, the notice is what the audit log says of it.
    const isDone = queryOf(request).get('done') !== undefined;
    const own = isDone ? events.find(({ actorId }) => actorId === memberOf(request).userId) : undefined;
    return reply.page({
      title: () => nameOf(row),
      main: (messages, locale) => html`${operationsNavigation(messages, name, { within: true })}
${notice(own && wordsFor(own.kind, messages))}
<h1><bdi>${nameOf(row)}</bdi></h1>
<dl class="facts facts--framed facts--roomy">
${section.facts(row, messages, locale, request)}
</dl>
<h2>${messages.operations.actions}</h2>
${actionButtons(actions, row, request, messages)}
${section.more?.(row, messages)}
${eventsAbout({ [ABOUT[about]]: idOf(row) }, events, messages)}`,
    });
  });

  return async (search) => {
    const { rows, next } = await section.rows(database, { search });
    return (messages) => {
      if (rows.length === 0) return undefined;
      const { operations: text } = messages;
      const { headings, cells } = section.listed(messages);
      const shown = rows.slice(0, SEARCH_SHOWN);
      return html`<h2>${text[name]}</h2>
${recordsTable({ caption: text[name], headings, rows: shown.map(cells) })}
${(next !== undefined || rows.length > SEARCH_SHOWN) && html`<p class="paging"><a class="reachable" href="${addressWith(list, { search })}">${text.allFound}</a></p>`}`;
    };
  };

  async function find(request: FastifyRequest): Promise<Row> {
    const { [section.parameter]: id = '' } = request.params as Record<string, string>;
    const row = section.isId(id) ? await section.read(id) : undefined;
    if (row === undefined) throw notFound();
    return row;
  }
}
