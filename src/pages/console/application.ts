// /console/applications/:client_id: an application's status and pending tasks.
import type { FastifyInstance } from 'fastify';
import { isMachineClient } from '../../clients/kind.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { SECRET_EXPIRY_NOTICE_PERIOD } from '../../oauth/lifetimes.ts';
import { type ClientSignIns, listClientSignIns } from '../../store/activity.ts';
import { countUsersOfClient, type OwnedClient } from '../../store/owned-clients.ts';
import { countRefusals } from '../../store/refusals.ts';
import { listSecrets, type SecretRow } from '../../store/secrets.ts';
import { listServiceAccessOfClient, type ServiceAccessRow } from '../../store/service-access.ts';
import { findOwnOffer } from '../../store/transfer-offers.ts';
import { doneMessage } from '../../web/form-errors.ts';
import { type Branding, supportNote } from '../../web/html/branding.ts';
import { breakable } from '../../web/html/breakable.ts';
import { copyableRow } from '../../web/html/code.ts';
import { type Html, html } from '../../web/html/html.ts';
import { notice } from '../../web/html/notices.ts';
import { logo } from '../../web/html/pictures.ts';
import { tag } from '../../web/html/tag.ts';
import { type Task, taskList } from '../../web/html/task-list.ts';
import { day } from '../../web/html/time.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { integrateRow } from './integrate-tabs.ts';
import {
  APPLICATIONS_URL,
  applicationStateTags,
  applicationUrl,
  clientTypeLabel,
  consoleNavigation,
  editLink,
  suspendedWarning,
} from './layout.ts';
import { firstDayOfList, signInsCell } from './list.ts';
import { secretsRow } from './secrets-view.ts';
import { requireOwnedClient } from './sections.ts';
import { findTasks, type TaskState } from './tasks.ts';
import { ownershipLinks, pendingOfferRow } from './transfer.ts';

const DAY = 24 * 3600 * 1000;

export function applicationPage(area: FastifyInstance, services: Services): void {
  const { config, database } = services;

  area.get(`${APPLICATIONS_URL}/:client_id`, async (request, reply) => {
    const application = await requireOwnedClient(request, services);
    const { clientId } = application;
    const { userId } = signedInUser(request);
    const now = services.now();
    const firstDay = firstDayOfList(now);
    const [userCount, signIns, offer, secrets, refusedCount, access] = await Promise.all([
      countUsersOfClient(database, clientId),
      listClientSignIns(database, [clientId], firstDay),
      findOwnOffer(database, userId, clientId, now),
      listSecrets(database, userId, clientId, now),
      countRefusals(database, clientId, new Date(now.getTime() - 7 * DAY)),
      isMachineClient(application) ? listServiceAccessOfClient(database, clientId) : [],
    ]);
    const last = Math.max(
      ...secrets.map(({ expiresAt }) => expiresAt?.getTime() ?? Number.POSITIVE_INFINITY),
    );
    return reply.page({
      title: () => application.name,
      main: (messages) =>
        detailView({
          messages,
          application,
          branding: config,
          userCount,
          signIns: signIns[0],
          firstDay,
          secrets,
          access,
          tasks: {
            hasNoSecret:
              application.type === 'confidential' && application.jwks === null && secrets.length === 0,
            secretEndsAt:
              secrets.length > 0 && last - now.getTime() < SECRET_EXPIRY_NOTICE_PERIOD * 1000
                ? new Date(last)
                : undefined,
            refusedCount,
            hasApis: access.length > 0,
            isUsed: userCount > 0 || signIns.length > 0,
          },
          offeredTo: offer?.email,
          notice: doneMessage(request, {
            ...messages.applications.detail.done,
            'offer-canceled': messages.ownership.transfer.canceled,
          }),
        }),
    });
  });
}

type DetailView = {
  messages: Messages;
  application: OwnedClient;
  secrets: readonly SecretRow[];
  userCount: number;
  /** Undefined if nobody has ever signed in. */
  signIns: ClientSignIns | undefined;
  firstDay: Date;
  access: readonly ServiceAccessRow[];
  tasks: TaskState;
  branding: Branding;
  offeredTo: string | undefined;
  notice: string | undefined;
};

function detailView(view: DetailView): Html {
  const { messages, application } = view;
  const text = messages.applications;
  return html`${consoleNavigation(messages, application, 'overview')}
${notice(view.notice)}
<div class="title-with-logo">
${logo(application, 72)}
<h1>${application.name}</h1>
${applicationStateTags(application, messages)}
</div>
${application.suspended && suspendedWarning(text.suspended, messages, view.branding)}
${taskList(text.tasks.title, listTasks(view))}
<h2>${text.detail.settings}</h2>
${settingsDetails(view)}
<h2>${text.detail.state}</h2>
${stateDetails(view)}
${ownershipLinks(messages, application, view.offeredTo !== undefined)}`;
}

function listTasks({ messages, application, tasks: state }: DetailView): Task[] {
  const text = messages.applications.tasks;
  const linkTo = (page: string, label: string) => ({
    href: applicationUrl(application.clientId, page),
    text: label,
  });
  const newSecret = { link: linkTo('secrets', text.newSecret), isUrgent: true };
  const tasks = {
    noSecret: { text: isMachineClient(application) ? text.noSecretForTokens : text.noSecret, ...newSecret },
    secretEnds: {
      text: html`${text.lastSecretEnds} ${state.secretEndsAt && day(state.secretEndsAt, messages)}.`,
      ...newSecret,
    },
    refused: { text: text.refused(state.refusedCount), link: linkTo('diagnostics', text.seeRefused) },
    noApi: { text: text.noApi, link: linkTo('apis', text.requestAccess) },
    nobodyYet: { text: text.nobodyYet, link: linkTo('integrate', text.integrate) },
  };
  return findTasks(application, state).map((name) => tasks[name]);
}

const MAX_LIST_LINES = 5;

function settingsDetails(view: DetailView): Html {
  const { messages, application, secrets } = view;
  const { list, type } = messages.applications;
  return html`<dl class="facts facts--framed facts--application">
${copyableRow({ label: list.identifier, id: 'client-id', text: application.clientId, labels: messages.integrate })}
${isMachineClient(application) ? apisRow(view) : redirectUrisRow(view)}${application.type === 'confidential' && secretsRow(application, secrets, messages)}${!isMachineClient(application) && integrateRow(application, messages)}<div><dt>${type}</dt><dd>${clientTypeLabel(application, messages)}</dd></div>
</dl>`;
}

const listRow = (label: string, lines: readonly Html[], link: Html, { apis: { list } }: Messages): Html => {
  const hidden = lines.length - MAX_LIST_LINES;
  return html`<div><dt>${label}</dt><dd class="row">${
    lines.length === 0
      ? html`<span>${list.none}</span>`
      : html`<ul class="lines">${lines.slice(0, MAX_LIST_LINES).map(
          (line) => html`<li>${line}</li>
`,
        )}${hidden > 0 && html`<li class="quiet">${list.more(hidden)}</li>`}</ul>`
  }${link}</dd></div>
`;
};

function redirectUrisRow({ messages, application: { clientId, redirectUris } }: DetailView): Html {
  const { detail, form } = messages.applications;
  const uris = redirectUris.map((uri) => html`<code class="whole">${breakable(uri)}</code>`);
  const href = `${applicationUrl(clientId, 'edit')}#redirect_uris`;
  return listRow(form.redirectUris, uris, editLink(href, detail.edit, form.redirectUris), messages);
}

function apisRow({ messages, application: { clientId }, access }: DetailView): Html {
  const { serviceAccess: text, apiAccess, applications } = messages;
  const apis = access.map(
    ({ apiName, scopes, grantedAt }) =>
      html`<bdi>${apiName}</bdi> ${scopes.map((scope) => html`<code class="tag">${scope}</code> `)}${grantedAt === null ? tag(text.waiting, 'waiting') : tag(apiAccess.access.granted, 'good')}`,
  );
  const link = editLink(applicationUrl(clientId, 'apis'), applications.detail.see, text.client.part);
  return listRow(text.client.part, apis, link, messages);
}

function stateDetails(view: DetailView): Html {
  const { messages, application, userCount, signIns, offeredTo } = view;
  const { detail: text, list } = messages.applications;
  const { clientId, verified } = application;
  const hasUsers = !isMachineClient(application);
  return html`<dl class="facts facts--framed facts--application">
${hasUsers && !verified && verificationRow(view)}${
  hasUsers &&
  html`<div><dt>${list.signIns}</dt><dd class="row">${signIns === undefined ? html`<span>${messages.activity.number(0)}</span>` : signInsCell(signIns, view.firstDay, messages)}${editLink(applicationUrl(clientId, 'activity'), text.see, messages.activity.title)}</dd></div>
<div><dt>${list.lastSignIn}</dt><dd>${signIns === undefined ? list.never : day(signIns.lastDay, messages)}</dd></div>
<div><dt>${text.people}</dt><dd>${messages.activity.number(userCount)}</dd></div>
`
}<div><dt>${list.created}</dt><dd>${day(application.createdAt, messages)}</dd></div>
${pendingOfferRow(messages, application, offeredTo)}
</dl>`;
}

function verificationRow({ messages, application, branding }: DetailView): Html {
  const { detail: text, states } = messages.applications;
  return html`<div><dt>${text.verification}</dt><dd>${tag(states.unverified, 'waiting')} <span class="quiet">${text.unverifiedHint}</span>${!application.suspended && supportNote(messages, branding)}</dd></div>
`;
}
