// What administrators look after besides accounts, in three sections with the same pages: a list, one of them, an action.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { decideOnThing, type ModeratedKind } from '../../accounts/moderation.ts';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { isSafe } from '../../http/request.ts';
import type { Locale, Messages } from '../../i18n/index.ts';
import { notFound } from '../../oauth/errors.ts';
import type { Database } from '../../store/database.ts';
import { listEvents } from '../../store/events.ts';
import type { Asked, ListPage } from '../../store/list-pages.ts';
import type { ApplicationAction } from '../../store/moderation.ts';
import { buttonLink, notice } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { type ActionWords, confirmView, type Fact } from './confirm-view.ts';
import { operatorOf, readConfirmation, reasonFaults } from './confirmation.ts';
import { eventsAbout } from './events-view.ts';
import { OPERATIONS, operationsNavigation } from './frame-view.ts';
import { askedOf } from './list.ts';
import { type Listed, listView } from './list-view.ts';

/** What differs between the sections. */
export interface Section<Row, State extends string, Action extends string> {
  kind: ModeratedKind;
  name: 'applications' | 'apis' | 'agents';
  /** The parameter of its routes. */
  parameter: string;
  isId: (id: string) => boolean;
  idOf: (row: Row) => string;
  calledOf: (row: Row) => string;
  states: readonly State[];
  list: (database: Database, asked: Asked<State>) => Promise<ListPage<Row>>;
  find: (database: Database, id: string) => Promise<Row | undefined>;
  listed: (messages: Messages) => Omit<Listed<Row>, 'section'>;
  /** The heading of the page of one, if its name alone isn't enough. */
  heading?: (row: Row, messages: Messages) => Html;
  /** Its facts. */
  facts: (row: Row, messages: Messages, locale: Locale) => Html;
  /** Links at its end. */
  links?: (row: Row, messages: Messages) => Html;
  /** The actions by their names in URLs, with what each one does. */
  actions: Record<Action, ApplicationAction>;
  /** Those that would change something now. */
  actionsFor: (row: Row) => Action[];
  words: (messages: Messages) => Record<Action, ActionWords & { done: string }>;
  /** What tells it apart from others of its name. */
  identity: (row: Row, messages: Messages) => Fact[];
}

export function sectionPages<Row, State extends string, Action extends string>(
  area: FastifyInstance,
  parts: Parts,
  section: Section<Row, State, Action>,
): void {
  const { database } = parts;
  const { kind, name, calledOf, words, actionsFor } = section;
  const list = `${OPERATIONS}/${name}`;
  const actions = Object.keys(section.actions) as Action[];
  const isDanger = (action: Action) => section.actions[action] === 'suspend';
  const pathOf = (row: Row, action?: string) =>
    `${list}/${encodeURIComponent(section.idOf(row))}${action === undefined ? '' : `/${action}`}`;

  area.get(list, async (request, reply) => {
    const asked = askedOf(request, section.states, section.isId);
    const found = await section.list(database, asked);
    return reply.page({
      title: ({ operations }) => operations[name],
      main: (messages) =>
        listView({ messages, asked, found }, { ...section.listed(messages), section: name }),
    });
  });

  area.get(`${list}/:${section.parameter}`, async (request, reply) => {
    const row = await find(request);
    const about = kind === 'api' ? { apiId: section.idOf(row) } : { clientId: section.idOf(row) };
    const events = await listEvents(database, about, { limit: 20 });
    const possible = actionsFor(row);
    // What is possible now can't have been done just now.
    const done = actions.find((one) => one === queryOf(request).get('done') && !possible.includes(one));
    return reply.page({
      title: () => calledOf(row),
      main: (messages, locale) => html`${operationsNavigation(messages, name, { within: true })}
${notice(done && words(messages)[done].done)}
${section.heading?.(row, messages) ?? html`<h1><bdi>${calledOf(row)}</bdi></h1>`}
<dl class="facts facts--framed facts--roomy">
${section.facts(row, messages, locale)}
</dl>
<h2>${messages.operations.actions}</h2>
<p class="actions actions--choices">
${possible.map(
  (action) => html`${buttonLink({
    text: words(messages)[action].action,
    href: pathOf(row, action),
    kind: isDanger(action) ? 'danger' : 'secondary',
  })}
`,
)}</p>
${eventsAbout(kind === 'api' ? { api_id: section.idOf(row) } : { client_id: section.idOf(row) }, events, messages)}
${section.links?.(row, messages)}`,
    });
  });

  for (const action of actions)
    area.formPage({
      url: `${list}/:${section.parameter}/${action}`,
      about: find,
      elsewhere: (row, request) =>
        !isSafe(request) || actionsFor(row).includes(action) ? undefined : pathOf(row),
      read: readConfirmation,
      faults: ({ fields }) => reasonFaults(fields),
      proof: true,
      async act({ request, about: row, fields }) {
        const by = operatorOf(request, fields);
        const does = section.actions[action];
        const outcome = await decideOnThing(parts, kind, does, section.idOf(row), by, parts.now());
        if (outcome === 'notOperator') throw notFound();
        return `${pathOf(row)}?done=${action}`;
      },
      page: ({ about: row, fields: typed }) => ({
        title: (messages) => words(messages)[action].title(calledOf(row)),
        main: (form) =>
          confirmView({
            ...form,
            section: name,
            words: words(form.messages)[action],
            name: calledOf(row),
            identity: section.identity(row, form.messages),
            action: pathOf(row, action),
            back: pathOf(row),
            typed,
            danger: isDanger(action),
          }),
      }),
    });

  async function find(request: FastifyRequest): Promise<Row> {
    const { [section.parameter]: id = '' } = request.params as Record<string, string>;
    const row = section.isId(id) ? await section.find(database, id) : undefined;
    if (row === undefined) throw notFound();
    return row;
  }
}
