// /console/applications/:client_id: how an application stands, what is worth doing about it, and what it is.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { countPeople, type OwnApplication } from '../../store/applications.ts';
import { countRefusals } from '../../store/refusals.ts';
import { listSecrets, type OwnSecret } from '../../store/secrets.ts';
import { findOwnOffer } from '../../store/transfer-offers.ts';
import { doneOf } from '../../web/faults.ts';
import { copyButton } from '../../web/html/code.ts';
import { buttonLink, notice } from '../../web/html/form.ts';
import { type House, reachOperators } from '../../web/html/house.ts';
import { type Html, html } from '../../web/html/html.ts';
import { logoOf } from '../../web/html/pictures.ts';
import { tag } from '../../web/html/tag.ts';
import { ago, day, moment } from '../../web/html/time.ts';
import { type Task, worthDoing } from '../../web/html/worth-doing.ts';
import { memberOf } from '../../web/member.ts';
import { APPLICATIONS, applicationAddress, way } from './frame-view.ts';
import { listedSecret } from './secrets-view.ts';
import { ownApplication } from './sections.ts';
import { further, offeredFact } from './transfer.ts';

const DAY = 24 * 3600 * 1000;
/** How long before its end the last secret is named. */
const SOON = 14 * DAY;

export function applicationPage(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  area.get(`${APPLICATIONS}/:client_id`, async (request, reply) => {
    const application = await ownApplication(request, parts);
    const { clientId } = application;
    const { userId } = memberOf(request);
    const now = parts.now();
    const [people, offer, secrets, refused] = await Promise.all([
      countPeople(database, clientId),
      findOwnOffer(database, userId, clientId, now),
      listSecrets(database, userId, clientId, now),
      countRefusals(database, clientId, new Date(now.getTime() - 7 * DAY)),
    ]);
    return reply.page({
      title: () => application.name,
      main: (messages) =>
        detailView({
          messages,
          application,
          house: config,
          people,
          secrets,
          hasKeys: application.jwks !== null,
          refused,
          now,
          offeredTo: offer?.email,
          notice: doneOf(request, {
            ...messages.applications.detail.done,
            'offer-cancelled': messages.ownership.transfer.cancelled,
          }),
        }),
    });
  });
}

type DetailView = {
  messages: Messages;
  application: OwnApplication;
  /** Its live secrets, latest first. */
  secrets: readonly OwnSecret[];
  /** Whether it can authenticate by a key instead of a secret. */
  hasKeys: boolean;
  /** How many people are signed in through it. */
  people: number;
  /** Requests that were refused in the last week. */
  refused: number;
  house: House;
  now: Date;
  /** Whom it is on offer to. */
  offeredTo: string | undefined;
  notice: string | undefined;
};

function detailView(view: DetailView): Html {
  const { messages, application } = view;
  const text = messages.applications;
  const { clientId, name } = application;
  const at = (below: string) => applicationAddress(clientId, below);
  return html`${way(messages, application, 'overview')}
${notice(view.notice)}
<div class="headed">
${logoOf(application, 72)}
<h1>${name}</h1>
</div>
${
  application.suspended &&
  html`<p class="warning">${text.suspended}</p>
${reachOperators(messages, view.house)}`
}
${worthDoing(messages.applications.tasks, tasksOf(view))}
<h2>${text.detail.state}</h2>
${stateOf(view)}
<h2>${text.detail.settings}</h2>
${facts(view)}
<p class="actions">
${buttonLink({ text: text.detail.edit, href: at('edit'), kind: 'primary' })}
${buttonLink({ text: text.detail.changeLogo, href: at('logo'), kind: 'secondary' })}
</p>
${further(messages, application)}`;
}

function tasksOf({ messages, application, secrets, hasKeys, people, refused, now }: DetailView): Task[] {
  const text = messages.applications.tasks;
  const way = (below: string, words: string) => ({
    href: applicationAddress(application.clientId, below),
    text: words,
  });
  const tasks: Task[] = [];
  if (application.type === 'confidential') {
    const last = Math.max(
      ...secrets.map(({ expiresAt }) => expiresAt?.getTime() ?? Number.POSITIVE_INFINITY),
    );
    const newSecret = { way: way('secrets', text.newSecret), pressing: true };
    if (secrets.length > 0 && last - now.getTime() < SOON)
      tasks.push({ text: html`${text.lastSecretEnds} ${moment(new Date(last), messages)}.`, ...newSecret });
    if (secrets.length === 0 && !hasKeys) tasks.push({ text: text.noSecret, ...newSecret });
  }
  if (refused > 0) tasks.push({ text: text.refused(refused), way: way('diagnostics', text.seeRefused) });
  if (people === 0) tasks.push({ text: text.nobodyYet, way: way('integrate', text.integrate) });
  return tasks;
}

/** How it stands: what changes without its owner's doing. */
function stateOf({ messages, application, house, secrets, people, offeredTo }: DetailView): Html {
  const { detail: text, states } = messages.applications;
  const { verified, suspended, type } = application;
  const at = (below: string) => applicationAddress(application.clientId, below);
  return html`<dl class="facts facts--framed facts--application">
<div><dt>${text.verification}</dt><dd>${
    verified
      ? tag(states.verified, 'good')
      : html`${tag(states.unverified, 'waiting')} <span class="quiet">${text.unverifiedHint}</span>${!suspended && reachOperators(messages, house)}`
  }</dd></div>
${
  type === 'confidential' &&
  html`<div><dt>${text.secrets}</dt><dd class="row"><ul class="lines">${secrets.map(
    (
      secret,
    ) => html`<li>${listedSecret(secret, messages)}, ${secret.lastUsedAt === null ? text.neverUsed : html`${text.lastUsed} ${ago(secret.lastUsedAt, messages)}`}${secret.expiresAt && html`, ${text.endsOn} ${moment(secret.expiresAt, messages)}`}</li>
`,
  )}</ul>${secrets.length === 0 && html`<span>${text.noSecrets}</span>`}<a class="change" href="${at('secrets')}">${text.see}<span class="unseen"> ${text.secrets}</span></a></dd></div>
`
}<div><dt>${text.people}</dt><dd class="row"><span>${people}</span><a class="change" href="${at('activity')}">${text.see}<span class="unseen"> ${messages.activity.title}</span></a></dd></div>
${offeredFact(messages, application, offeredTo)}
</dl>`;
}

function facts({ messages, application }: DetailView): Html {
  const { detail: text, form, types, list } = messages.applications;
  const { clientId, redirectUris, scopes, standard, refreshGrace, createdAt, type } = application;
  return html`<dl class="facts facts--framed facts--application">
<div><dt>${list.identifier}</dt><dd class="copied"><code class="whole" id="client-id">${clientId}</code> ${copyButton({ target: 'client-id', words: messages.integrate, unseen: list.identifier })}</dd></div>
<div><dt>${messages.applications.type}</dt><dd>${types[type]}</dd></div>
<div><dt>${form.redirectUris}</dt><dd><ul class="lines">${redirectUris.map(
    (uri) => html`<li><code>${uri}</code></li>
`,
  )}</ul></dd></div>
<div><dt>${text.scopes}</dt><dd>${scopes.map((scope) => html`<code class="tag">${scope}</code> `)}</dd></div>
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
