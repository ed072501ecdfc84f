// /console/apis/:api_id: an API's status and pending tasks.
import type { FastifyInstance } from 'fastify';
import type { Services } from '../../../http/services.ts';
import type { Locale, Messages } from '../../../i18n/index.ts';
import type { OwnedApi } from '../../../store/owned-apis.ts';
import { countApiRefusals } from '../../../store/refusals.ts';
import { listSecrets, type SecretRow } from '../../../store/secrets.ts';
import { countPendingServiceAccess } from '../../../store/service-access.ts';
import { findOwnOffer } from '../../../store/transfer-offers.ts';
import { doneMessage } from '../../../web/form-errors.ts';
import type { Branding } from '../../../web/html/branding.ts';
import { buttonLink } from '../../../web/html/buttons.ts';
import { copyableRow } from '../../../web/html/code.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { notice } from '../../../web/html/notices.ts';
import { type Task, taskList } from '../../../web/html/task-list.ts';
import { day } from '../../../web/html/time.ts';
import { signedInUser } from '../../../web/session-guard.ts';
import { integrateRow } from '../integrate-tabs.ts';
import { APIS_URL, apiUrl, consoleNavigation, editLink, suspendedWarning } from '../layout.ts';
import { secretsRow } from '../secrets-view.ts';
import { requireOwnedApi } from '../sections.ts';
import { ownershipLinks, pendingOfferRow } from '../transfer.ts';
import { loadAccess } from './access.ts';
import { scopeRow } from './scopes-view.ts';

const WEEK = 7 * 24 * 3600 * 1000;

export function apiOverviewPage(area: FastifyInstance, services: Services): void {
  area.get(`${APIS_URL}/:api_id`, async (request, reply) => {
    const api = await requireOwnedApi(request, services);
    const { userId } = signedInUser(request);
    const now = services.now();
    const [{ access }, secrets, refusedCount, accessRequestCount, offer] = await Promise.all([
      loadAccess(services, api.apiId),
      listSecrets(services.database, userId, api.apiId, now),
      countApiRefusals(services.database, api.apiId, new Date(now.getTime() - WEEK)),
      countPendingServiceAccess(services.database, api.apiId),
      findOwnOffer(services.database, userId, api.apiId, now),
    ]);
    return reply.page({
      title: () => api.name,
      main: (messages, locale) =>
        overviewView({
          messages,
          locale,
          api,
          clientCount: access.filter(({ isAllowed, excludedAt }) => isAllowed && excludedAt === null).length,
          secrets,
          refusedCount,
          accessRequestCount,
          offeredTo: offer?.email,
          branding: services.config,
          notice: doneMessage(request, {
            changed: messages.applications.detail.done.changed,
            ...messages.apis.detail.done,
            'offer-canceled': messages.ownership.transfer.canceled,
          }),
        }),
    });
  });
}

type OverviewView = {
  messages: Messages;
  locale: Locale;
  api: OwnedApi;
  clientCount: number;
  secrets: readonly SecretRow[];
  /** Rejected requests in the last week. */
  refusedCount: number;
  accessRequestCount: number;
  offeredTo: string | undefined;
  branding: Branding;
  notice: string | undefined;
};

function overviewView(view: OverviewView): Html {
  const { messages, api } = view;
  const { tasks, detail } = messages.applications;
  const text = messages.apis.detail;
  return html`${consoleNavigation(messages, api, 'overview')}
${notice(view.notice)}
<h1><bdi>${api.name}</bdi></h1>
${api.suspended && suspendedWarning(text.suspended, messages, view.branding)}
${taskList(tasks.title, listTasks(view))}
<h2>${detail.settings}</h2>
${settingsDetails(view)}
<h2>${detail.scopes}</h2>
${scopeList(view)}
<h2>${detail.state}</h2>
${stateDetails(view)}
${ownershipLinks(messages, api)}`;
}

function listTasks({
  messages,
  api,
  clientCount,
  secrets,
  refusedCount,
  accessRequestCount,
}: OverviewView): Task[] {
  const text = messages.apis.tasks;
  const linkTo = (page: string, label: string) => ({ href: apiUrl(api.apiId, page), text: label });
  const tasks: Task[] = [];
  if (api.suspended) return tasks;
  if (api.scopes.length === 0)
    tasks.push({ text: text.noScopes, link: linkTo('scopes/new', messages.apiIntegrate.addScope) });
  if (secrets.length === 0 && api.jwks === null)
    tasks.push({ text: text.noCredentials, link: linkTo('integrate', text.protect) });
  if (clientCount === 0) tasks.push({ text: text.unused, link: linkTo('test', messages.apiTest.open) });
  const { refused: formatRefused, seeRefused } = messages.applications.tasks;
  if (accessRequestCount > 0)
    tasks.push({ text: text.requests(accessRequestCount), link: linkTo('requests', text.review) });
  if (refusedCount > 0)
    tasks.push({ text: formatRefused(refusedCount), link: linkTo('diagnostics', seeRefused) });
  return tasks;
}

function settingsDetails({ messages, api, secrets }: OverviewView): Html {
  const { apis: text, applications, integrate: labels } = messages;
  const who = text.detail.allowedClients;
  return html`<dl class="facts facts--framed facts--application">
${copyableRow({ label: text.form.identifier, id: 'identifier', text: api.identifier, labels })}
${copyableRow({ label: text.detail.apiId, id: 'api-id', text: api.apiId, labels })}
<div><dt>${who}</dt><dd class="row"><span>${text.allowedClients[api.allowedClients]}</span>${editLink(`${apiUrl(api.apiId, 'edit')}#allowed_clients`, applications.detail.edit, who)}</dd></div>
<div><dt>${text.detail.lifetime}</dt><dd>${text.detail.lasting(api.tokenLifetime)}</dd></div>
${integrateRow(api, messages)}${secretsRow(api, secrets, messages)}
</dl>`;
}

const MAX_VISIBLE_SCOPES = 6;

function scopeList({ messages, locale, api }: OverviewView): Html {
  const { list, scopes: text } = messages.apis;
  const hidden = api.scopes.length - MAX_VISIBLE_SCOPES;
  const all = apiUrl(api.apiId, 'scopes');
  // The task list already has a link that adds a scope.
  if (api.scopes.length === 0) return html`<p class="quiet">${text.none} ${text.noneAdvice}</p>`;
  return html`<dl class="facts facts--framed facts--application">
${api.scopes.slice(0, MAX_VISIBLE_SCOPES).map((scope) => scopeRow(scope, messages, api, locale))}</dl>
<p class="actions">${buttonLink({ text: text.add, href: `${all}/new`, kind: 'secondary' })}${hidden > 0 && html`<a class="touch-target" href="${all}">${list.more(hidden)}</a>`}</p>`;
}

function stateDetails({ messages, api, clientCount, refusedCount, offeredTo }: OverviewView): Html {
  const { activity, apiAccess } = messages;
  const { detail: text, list } = messages.applications;
  const countRow = (label: string, number: number, page: string, title: string) =>
    html`<div><dt>${label}</dt><dd class="row"><span>${activity.number(number)}</span>${editLink(apiUrl(api.apiId, page), text.see, title)}</dd></div>
`;
  return html`<dl class="facts facts--framed facts--application">
${countRow(apiAccess.access.users, clientCount, 'access', apiAccess.access.part)}${countRow(list.refused, refusedCount, 'diagnostics', text.diagnostics)}<div><dt>${list.created}</dt><dd>${day(api.createdAt, messages)}</dd></div>
${pendingOfferRow(messages, api, offeredTo)}
</dl>`;
}
