// /console/apis/:api_id: how an API stands, what is worth doing about it, and what it is.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../../http/parts.ts';
import type { Messages } from '../../../i18n/index.ts';
import type { OwnApi } from '../../../store/own-apis.ts';
import { countRefusalsOfApi } from '../../../store/refusals.ts';
import { listSecrets, type OwnSecret } from '../../../store/secrets.ts';
import { findOwnOffer } from '../../../store/transfer-offers.ts';
import { doneOf } from '../../../web/faults.ts';
import { copiedFact } from '../../../web/html/code.ts';
import { buttonLink, notice } from '../../../web/html/form.ts';
import { type House, reachOperators } from '../../../web/html/house.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { day } from '../../../web/html/time.ts';
import { type Task, worthDoing } from '../../../web/html/worth-doing.ts';
import { memberOf } from '../../../web/member.ts';
import { APIS, apiAddress, way } from '../frame-view.ts';
import { scopeTags } from '../list.ts';
import { ownApi } from '../sections.ts';
import { further, offeredFact } from '../transfer.ts';

const A_WEEK = 7 * 24 * 3600 * 1000;

export function apiOverviewPage(area: FastifyInstance, parts: Parts): void {
  area.get(`${APIS}/:api_id`, async (request, reply) => {
    const api = await ownApi(request, parts);
    const { userId } = memberOf(request);
    const now = parts.now();
    const [secrets, refused, offer] = await Promise.all([
      listSecrets(parts.database, userId, api.apiId, now),
      countRefusalsOfApi(parts.database, api.apiId, new Date(now.getTime() - A_WEEK)),
      findOwnOffer(parts.database, userId, api.apiId, now),
    ]);
    return reply.page({
      title: () => api.name,
      main: (messages) =>
        overviewView({
          messages,
          api,
          secrets,
          refused,
          offeredTo: offer?.email,
          house: parts.config,
          notice: doneOf(request, {
            changed: messages.applications.detail.done.changed,
            ...messages.apis.detail.done,
            'offer-cancelled': messages.ownership.transfer.cancelled,
          }),
        }),
    });
  });
}

type OverviewView = {
  messages: Messages;
  api: OwnApi;
  /** Its live secrets, latest first. */
  secrets: readonly OwnSecret[];
  /** Requests of it, and of applications over it, that were refused in the last week. */
  refused: number;
  /** Whom it is on offer to. */
  offeredTo: string | undefined;
  house: House;
  notice: string | undefined;
};

function overviewView(view: OverviewView): Html {
  const { messages, api } = view;
  const { tasks, detail } = messages.applications;
  const text = messages.apis.detail;
  const toDo = tasksOf(view);
  return html`${way(messages, api, 'overview')}
${notice(view.notice)}
<h1><bdi>${api.name}</bdi></h1>
${
  api.suspended &&
  html`<p class="warning">${text.suspended}</p>
${reachOperators(messages, view.house)}`
}
${(toDo.length > 0 || !api.suspended) && worthDoing(tasks, toDo)}
<h2>${detail.settings}</h2>
${facts(view)}
<p class="actions">
${buttonLink({ text: detail.edit, href: apiAddress(api.apiId, 'edit'), kind: 'primary' })}
</p>
${further(messages, api)}`;
}

function tasksOf({ messages, api, secrets, refused }: OverviewView): Task[] {
  const text = messages.apis.tasks;
  const way = (below: string, words: string) => ({ href: apiAddress(api.apiId, below), text: words });
  const tasks: Task[] = [];
  if (secrets.length === 0 && api.jwks === null)
    tasks.push({ text: text.noCredentials, way: way('integrate', text.protect) });
  const { refused: wereRefused, seeRefused } = messages.applications.tasks;
  if (refused > 0) tasks.push({ text: wereRefused(refused), way: way('diagnostics', seeRefused) });
  return tasks;
}

function facts({ messages, api, offeredTo }: OverviewView): Html {
  const { apis, applications, integrate: words } = messages;
  const { detail: text, form, admits } = apis;
  return html`<dl class="facts facts--framed facts--application">
${copiedFact({ label: form.identifier, id: 'identifier', text: api.identifier, words })}
${copiedFact({ label: text.apiId, id: 'api-id', text: api.apiId, words })}
<div><dt>${text.words}</dt><dd><span lang="fr">${api.wordsFr}</span><br><span lang="en">${api.wordsEn}</span></dd></div>
<div><dt>${text.admits}</dt><dd>${admits[api.admits]}</dd></div>
<div><dt>${applications.detail.scopes}</dt><dd>${scopeTags(api, messages, text.noScopes)}</dd></div>
<div><dt>${text.lifetime}</dt><dd>${text.lasting(api.tokenLifetime)}</dd></div>
<div><dt>${applications.list.created}</dt><dd>${day(api.createdAt, messages)}</dd></div>
${offeredFact(messages, api, offeredTo)}
</dl>`;
}
