// /console/applications/:client_id: an application's state, settings and pending tasks.
import type { FastifyInstance } from 'fastify';
import { isMachineClient } from '../../clients/kind.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { listClientSignIns } from '../../store/activity.ts';
import { countUsersOfClient, type OwnClient } from '../../store/own-clients.ts';
import { countRefusals } from '../../store/refusals.ts';
import { listSecrets, type SecretRow } from '../../store/secrets.ts';
import { listServiceAccessOfClient } from '../../store/service-access.ts';
import { findOwnOffer } from '../../store/transfer-offers.ts';
import { doneMessage } from '../../web/form-errors.ts';
import { type Branding, supportNote } from '../../web/html/branding.ts';
import { copyButton } from '../../web/html/code.ts';
import { buttonLink, notice } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { logo } from '../../web/html/pictures.ts';
import { tag } from '../../web/html/tag.ts';
import { type Task, taskList } from '../../web/html/task-list.ts';
import { dateTime, day, timeAgo } from '../../web/html/time.ts';
import { signedInUser } from '../../web/session-guard.ts';
import {
  APPLICATIONS_URL,
  applicationUrl,
  clientTypeLabel,
  consoleNavigation,
  EXPIRY_NOTICE,
} from './layout.ts';
import { secretLabel } from './secrets-view.ts';
import { requireOwnClient } from './sections.ts';
import { findTasks, type TaskState } from './tasks.ts';
import { pendingOfferFact, transferAndDeleteLinks } from './transfer.ts';

const DAY = 24 * 3600 * 1000;

export function applicationPage(area: FastifyInstance, services: Services): void {
  const { config, database } = services;

  area.get(`${APPLICATIONS_URL}/:client_id`, async (request, reply) => {
    const application = await requireOwnClient(request, services);
    const { clientId } = application;
    const { userId } = signedInUser(request);
    const now = services.now();
    const [people, signIns, offer, secrets, refused, access] = await Promise.all([
      countUsersOfClient(database, clientId),
      listClientSignIns(database, [clientId], now),
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
          people,
          secrets,
          tasks: {
            hasNoSecret:
              application.type === 'confidential' && application.jwks === null && secrets.length === 0,
            secretEndsAt:
              secrets.length > 0 && last - now.getTime() < EXPIRY_NOTICE ? new Date(last) : undefined,
            refused,
            hasApis: access.length > 0,
            isUsed: people > 0 || signIns.length > 0,
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
  application: OwnClient;
  /** Live secrets, newest first. */
  secrets: readonly SecretRow[];
  /** The number of users signed in to the application. */
  people: number;
  tasks: TaskState;
  branding: Branding;
  /** The email address of the user to whom the application is offered. Undefined if there is no transfer offer. */
  offeredTo: string | undefined;
  notice: string | undefined;
};

function detailView(view: DetailView): Html {
  const { messages, application } = view;
  const text = messages.applications;
  const { clientId, name } = application;
  const buildUrl = (below: string) => applicationUrl(clientId, below);
  return html`${consoleNavigation(messages, application, 'overview')}
${notice(view.notice)}
<div class="title-with-logo">
${logo(application, 72)}
<h1>${name}</h1>
</div>
${
  application.suspended &&
  html`<p class="warning">${text.suspended}</p>
${supportNote(messages, view.branding)}`
}
${taskList(messages.applications.tasks, tasksOf(view))}
<h2>${text.detail.state}</h2>
${stateOf(view)}
<h2>${text.detail.settings}</h2>
${facts(view)}
<p class="actions">
${buttonLink({ text: text.detail.edit, href: buildUrl('edit'), kind: 'primary' })}
${buttonLink({ text: messages.protocol.tile, href: buildUrl('protocol'), kind: 'secondary' })}
${!isMachineClient(application) && buttonLink({ text: messages.protocol.logoutLink, href: buildUrl('sign-out'), kind: 'secondary' })}
${buttonLink({ text: text.detail.changeLogo, href: buildUrl('logo'), kind: 'secondary' })}
</p>
${transferAndDeleteLinks(messages, application)}`;
}

function tasksOf({ messages, application, tasks: state }: DetailView): Task[] {
  const text = messages.applications.tasks;
  const linkTo = (page: string, label: string) => ({
    href: applicationUrl(application.clientId, page),
    text: label,
  });
  const newSecret = { link: linkTo('secrets', text.newSecret), isUrgent: true };
  const tasks = {
    noSecret: { text: isMachineClient(application) ? text.noSecretForTokens : text.noSecret, ...newSecret },
    secretEnds: {
      text: html`${text.lastSecretEnds} ${state.secretEndsAt && dateTime(state.secretEndsAt, messages)}.`,
      ...newSecret,
    },
    refused: { text: text.refused(state.refused), link: linkTo('diagnostics', text.seeRefused) },
    noApi: { text: text.noApi, link: linkTo('apis', text.requestAccess) },
    nobodyYet: { text: text.nobodyYet, link: linkTo('integrate', text.integrate) },
  };
  return findTasks(application, state).map((name) => tasks[name]);
}

/** Shows the values that can change without any action by the owner. */
function stateOf({ messages, application, branding, secrets, people, offeredTo }: DetailView): Html {
  const { detail: text, states } = messages.applications;
  const { verified, suspended, type } = application;
  const buildUrl = (below: string) => applicationUrl(application.clientId, below);
  return html`<dl class="facts facts--framed facts--application">
<div><dt>${text.verification}</dt><dd>${
    verified
      ? tag(states.verified, 'good')
      : html`${tag(states.unverified, 'waiting')} <span class="quiet">${text.unverifiedHint}</span>${!suspended && supportNote(messages, branding)}`
  }</dd></div>
${
  type === 'confidential' &&
  html`<div><dt>${text.secrets}</dt><dd class="row"><ul class="lines">${secrets.map(
    (
      secret,
    ) => html`<li>${secretLabel(secret, messages)}, ${secret.lastUsedAt === null ? text.neverUsed : html`${text.lastUsed} ${timeAgo(secret.lastUsedAt, messages)}`}${secret.expiresAt && html`, ${text.endsOn} ${dateTime(secret.expiresAt, messages)}`}</li>
`,
  )}</ul>${secrets.length === 0 && html`<span>${text.noSecrets}</span>`}<a class="edit-link" href="${buildUrl('secrets')}">${text.see}<span class="visually-hidden"> ${text.secrets}</span></a></dd></div>
`
}<div><dt>${text.people}</dt><dd class="row"><span>${people}</span><a class="edit-link" href="${buildUrl('activity')}">${text.see}<span class="visually-hidden"> ${messages.activity.title}</span></a></dd></div>
${pendingOfferFact(messages, application, offeredTo)}
</dl>`;
}

function facts({ messages, application }: DetailView): Html {
  const { detail: text, form, list } = messages.applications;
  const { clientId, redirectUris, scopes, standard, refreshGrace, createdAt } = application;
  return html`<dl class="facts facts--framed facts--application">
<div><dt>${list.identifier}</dt><dd class="copyable"><code class="whole" id="client-id">${clientId}</code> ${copyButton({ target: 'client-id', labels: messages.integrate, hiddenText: list.identifier })}</dd></div>
<div><dt>${messages.applications.type}</dt><dd>${clientTypeLabel(application, messages)}</dd></div>
${
  redirectUris.length > 0 &&
  html`<div><dt>${form.redirectUris}</dt><dd><ul class="lines">${redirectUris.map(
    (uri) => html`<li><code>${uri}</code></li>
`,
  )}</ul></dd></div>
`
}<div><dt>${text.scopes}</dt><dd>${scopes.map((scope) => html`<code class="tag">${scope}</code> `)}</dd></div>
<div><dt>${text.mode}</dt><dd>${text.modes[standard ? 'on' : 'off']}</dd></div>
<div><dt>${text.refreshGrace}</dt><dd>${text.seconds(refreshGrace)}</dd></div>
${link(form.homePage, application.homePage, text.none)}
${link(form.privacyPolicy, application.privacyPolicy, text.none)}
${link(form.termsOfService, application.termsOfService, text.none)}
<div><dt>${list.created}</dt><dd>${day(createdAt, messages)}</dd></div>
</dl>`;
}

const link = (label: string, href: string | null, none: string): Html =>
  html`<div><dt>${label}</dt><dd>${href === null ? html`<span class="quiet">${none}</span>` : html`<a href="${href}" rel="noopener noreferrer">${href}</a>`}</dd></div>
`;
