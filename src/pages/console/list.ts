// /console/applications and /console/apis: the user's applications or APIs, and transfer offers.

import type { FastifyInstance } from 'fastify';
import { isMachineClient } from '../../clients/kind.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { SECRET_EXPIRY_NOTICE_PERIOD } from '../../oauth/lifetimes.ts';
import { type ClientSignIns, listClientSignIns } from '../../store/activity.ts';
import { listOwnedApis, type OwnedApi } from '../../store/owned-apis.ts';
import { listOwnedClients, type OwnedClient } from '../../store/owned-clients.ts';
import type { ResourceKind } from '../../store/owned-resources.ts';
import { countRefusalsOfApis, countRefusalsOfClients } from '../../store/refusals.ts';
import { listClientsWithoutSecret, listExpiringSecrets } from '../../store/secrets.ts';
import { listClientsWithServiceAccess } from '../../store/service-access.ts';
import { listReceivedOffers, type ReceivedOffer } from '../../store/transfer-offers.ts';
import { doneMessage } from '../../web/form-errors.ts';
import { breakable } from '../../web/html/breakable.ts';
import { buttonLink } from '../../web/html/buttons.ts';
import { sparkline } from '../../web/html/chart.ts';
import { type Html, html, type Renderable } from '../../web/html/html.ts';
import { notice } from '../../web/html/notices.ts';
import { logo } from '../../web/html/pictures.ts';
import { recordsTable } from '../../web/html/records-table.ts';
import { tag } from '../../web/html/tag.ts';
import { day } from '../../web/html/time.ts';
import { mustVerifyEmail, signedInUser } from '../../web/session-guard.ts';
import { apiUrl, applicationStateTags, applicationUrl, LIST_URLS } from './layout.ts';
import type { ConsoleSection } from './sections.ts';
import { findTasks, type TaskState } from './tasks.ts';
import { receivedOffersView } from './transfer.ts';

const DAY = 24 * 3600 * 1000;
/** Includes today. */
const DAYS_SHOWN = 7;

export function listPage(area: FastifyInstance, services: Services, section: ConsoleSection): void {
  const { config, database } = services;
  const { kind, listUrl } = section;
  const limit = config.registrationsPerAccount;

  area.get(listUrl, async (request, reply) => {
    const user = signedInUser(request);
    const [table, offers] = await Promise.all([
      kind === 'application' ? loadApplications(services, user.userId) : loadApis(services, user.userId),
      mustVerifyEmail(config, user) ? [] : listReceivedOffers(database, user.userId, services.now()),
    ]);
    return reply.page({
      title: (messages) => messages[`${kind}s`].list.title,
      showsSupportContact: table.count >= limit,
      main: (messages) =>
        listView({
          messages,
          csrf: user.csrf,
          kind,
          serviceName: config.serviceName,
          table,
          offers: offers.filter((offer) => offer.kind === kind),
          limit,
          notice: doneMessage(request, {
            deleted: messages.ownership.remove.done[kind],
            declined: messages.ownership.transfer.declined,
            notFound: messages.ownership.transfer.notFound,
          }),
        }),
    });
  });
}

export const firstDayOfList = (now: Date): Date =>
  new Date((Math.floor(now.getTime() / DAY) - (DAYS_SHOWN - 1)) * DAY);

interface ListTable {
  count: number;
  headings: (messages: Messages) => string[];
  rows: (messages: Messages) => Renderable[][];
}

async function loadApplications(
  { database, now: getNow }: Pick<Services, 'database' | 'now'>,
  userId: string,
): Promise<ListTable> {
  const now = getNow();
  const firstDay = firstDayOfList(now);
  const applications = await listOwnedClients(database, userId);
  const clientIds = applications.map(({ clientId }) => clientId);
  const before = new Date(now.getTime() + SECRET_EXPIRY_NOTICE_PERIOD * 1000);
  const [signIns, refusals, expiring, withoutSecret, withApi] = await Promise.all([
    listClientSignIns(database, clientIds, firstDay),
    countRefusalsOfClients(database, clientIds, new Date(now.getTime() - DAYS_SHOWN * DAY)),
    listExpiringSecrets(database, userId, { now, before }),
    listClientsWithoutSecret(database, userId, now),
    listClientsWithServiceAccess(database, clientIds),
  ]);
  return {
    count: applications.length,
    headings: ({ applications: { list } }) => [
      list.application,
      list.signIns,
      list.lastSignIn,
      list.refused,
      list.toDo,
    ],
    rows: (messages) =>
      applications.map((application) => {
        const { clientId } = application;
        const used = signIns.find((row) => row.clientId === clientId);
        const refusedCount = refusals.find(({ id }) => id === clientId)?.count;
        return [
          nameCell(applicationUrl(clientId), application.name, {
            picture: logo(application, 32),
            more: clientId,
            tags: applicationStateTags(application, messages),
          }),
          used === undefined ? messages.activity.number(0) : signInsCell(used, firstDay, messages),
          used
            ? day(used.lastDay, messages)
            : isMachineClient(application)
              ? '–'
              : messages.applications.list.never,
          refusalsCell(refusedCount, applicationUrl(clientId, 'diagnostics')),
          taskCell(messages, application, {
            hasNoSecret: withoutSecret.some((row) => row.clientId === clientId),
            secretEndsAt: expiring.find(({ id }) => id === clientId)?.endsAt,
            refusedCount: refusedCount ?? 0,
            hasApis: withApi.some((row) => row.clientId === clientId),
            isUsed: used !== undefined,
          }),
        ];
      }),
  };
}

async function loadApis(
  { database, now }: Pick<Services, 'database' | 'now'>,
  userId: string,
): Promise<ListTable> {
  const apis = await listOwnedApis(database, userId);
  const apiIds = apis.map(({ apiId }) => apiId);
  const refusals = await countRefusalsOfApis(database, apiIds, new Date(now().getTime() - DAYS_SHOWN * DAY));
  return {
    count: apis.length,
    headings: ({ applications, apis: { list } }) => [
      list.api,
      applications.detail.scopes,
      list.allowedClients,
      applications.list.refused,
    ],
    rows: (messages) =>
      apis.map((api) => [
        nameCell(apiUrl(api.apiId), api.name, {
          more: api.identifier,
          tags: api.suspended && tag(messages.applications.states.suspended, 'stopped'),
        }),
        scopeTags(api, messages, messages.apis.list.none),
        messages.apis.allowedClients[api.allowedClients],
        refusalsCell(refusals.find(({ id }) => id === api.apiId)?.count, apiUrl(api.apiId, 'diagnostics')),
      ]),
  };
}

type ListView = {
  messages: Messages;
  csrf: string;
  kind: ResourceKind;
  serviceName: string;
  table: ListTable;
  offers: readonly ReceivedOffer[];
  limit: number;
  notice: string | undefined;
};

function listView(view: ListView): Html {
  const { messages, csrf, kind, table, offers, limit } = view;
  const text = messages[`${kind}s`].list;
  const isAtLimit = table.count >= limit;
  // Secondary if there are offers, because offers have primary buttons.
  const register =
    !isAtLimit &&
    buttonLink({
      text: text.register,
      href: `${LIST_URLS[kind]}/new`,
      kind: offers.length > 0 ? 'secondary' : 'primary',
    });
  return html`${notice(view.notice)}
<div class="list-head">
<h1>${text.title}</h1>
${table.count > 0 && register}
</div>
${offers.length > 0 && receivedOffersView(messages, csrf, offers)}
${
  table.count === 0
    ? html`<div class="empty">
<p class="empty-title">${text.empty}</p>
<p>${text.lead(view.serviceName)} ${text.emptyAdvice}</p>
<p class="actions">${register}</p>
</div>`
    : recordsTable({ caption: text.title, headings: table.headings(messages), rows: table.rows(messages) })
}
${isAtLimit && html`<p class="quiet">${text.full(limit)}</p>`}`;
}

const nameCell = (
  href: string,
  name: string,
  { picture, more, tags }: { picture?: Html; more?: string; tags?: Html | false },
): Html =>
  html`<div class="name-cell">${picture}<div><a href="${href}"><bdi>${name}</bdi></a> ${tags}${more !== undefined && html`<br><span class="quiet host">${breakable(more)}</span>`}</div></div>`;

export function signInsCell({ days, totals }: ClientSignIns, firstDay: Date, messages: Messages): Html {
  const values = Array.from({ length: DAYS_SHOWN }, (_, index) => {
    const at = firstDay.getTime() + index * DAY;
    return totals[days.findIndex((one) => one.getTime() === at)] ?? 0;
  });
  const total = messages.activity.number(values.reduce((sum, value) => sum + value, 0));
  return html`<span class="sparkline-cell"><span>${total}</span> ${sparkline(values, messages.applications.list.perDay(values.map(messages.activity.number)))}</span>`;
}

const refusalsCell = (count: number | undefined, href: string): Renderable =>
  count === undefined ? '0' : html`<a href="${href}">${count}</a>`;

function taskCell(messages: Messages, application: OwnedClient, state: TaskState): Renderable {
  const { tasks: text, list } = messages.applications;
  const linkTo = (page: string, label: string) =>
    html`<a href="${applicationUrl(application.clientId, page)}">${label}</a>`;
  const newSecret = linkTo('secrets', text.newSecret);
  const cells = {
    noSecret: html`${tag(list.noSecret, 'stopped')}${newSecret}`,
    secretEnds: html`${tag(html`${list.secretEnds} ${state.secretEndsAt && day(state.secretEndsAt, messages)}`, 'waiting')}${newSecret}`,
    refused: html`${tag(list.requestsRefused, 'waiting')}${linkTo('diagnostics', text.seeRefused)}`,
    noApi: linkTo('apis', text.requestAccess),
    nobodyYet: linkTo('integrate', text.integrate),
  };
  const [task] = findTasks(application, state);
  return task && cells[task];
}

const MAX_SCOPE_TAGS = 6;

const scopeTags = ({ scopes }: OwnedApi, { apis }: Messages, none: string): Html =>
  scopes.length === 0
    ? html`<span class="quiet">${none}</span>`
    : html`${scopes.slice(0, MAX_SCOPE_TAGS).map(({ name }) => html`<code class="tag">${name}</code> `)}${
        scopes.length > MAX_SCOPE_TAGS &&
        html`<span class="quiet">${apis.list.more(scopes.length - MAX_SCOPE_TAGS)}</span>`
      }`;
