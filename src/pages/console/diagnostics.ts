// …/diagnostics of an application or an API: why requests were refused, and what works. For its owner and administrators.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { typedIncidentCode } from '../../http/incident-code.ts';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { notFound } from '../../oauth/errors.ts';
import { findWatchedApplication, type WatchedApplication } from '../../store/applications.ts';
import { listObservations } from '../../store/observations.ts';
import { findWatchedApi, type WatchedApi } from '../../store/own-apis.ts';
import {
  type ApiRefusalRow,
  listRefusals,
  listRefusalsOfApi,
  type RefusalRow,
} from '../../store/refusals.ts';
import { calledById } from '../../web/html/client-by-id.ts';
import { type Html, html } from '../../web/html/html.ts';
import { memberOf } from '../../web/member.ts';
import { clientLine } from './apis/client-view.ts';
import { checklist } from './checklist-view.ts';
import { APIS, APPLICATIONS, thingAddress, watchedWay } from './frame-view.ts';
import { refusedRequests, type ShownRefusal } from './refusals-view.ts';
import { apiIdOf, clientIdOf } from './sections.ts';

export function diagnosticsPages(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(`${APPLICATIONS}/:client_id/diagnostics`, async (request, reply) => {
    const { userId } = memberOf(request);
    const application = await findWatchedApplication(database, userId, clientIdOf(request));
    if (application === undefined) throw notFound();
    const { clientId } = application;
    const incident = await incidentOf(request);
    const refusals = await listRefusals(database, clientId, incident);
    const observations = await listObservations(database, clientId);
    return show(reply, application, incident, {
      refusals,
      shown: (refusal, messages) => ({ refusal, from: senderOf(refusal, messages) }),
      after: (messages) => checklist({ messages, observations }),
    });
  });

  area.get(`${APIS}/:api_id/diagnostics`, async (request, reply) => {
    const api = await findWatchedApi(database, memberOf(request).userId, apiIdOf(request));
    if (api === undefined) throw notFound();
    const incident = await incidentOf(request);
    const refusals = await listRefusalsOfApi(database, api.apiId, incident);
    return show(reply, api, incident, { refusals, shown: refusalOfApi });
  });

  /** The incident code that is searched for. Writes what was gathered first, since it may be the latest one. */
  async function incidentOf(request: FastifyRequest): Promise<string | undefined> {
    await parts.diagnostics.flush();
    return typedIncidentCode(queryOf(request).get('incident'));
  }
}

function show<Row extends RefusalRow>(
  reply: FastifyReply,
  thing: WatchedApplication | WatchedApi,
  incident: string | undefined,
  content: {
    refusals: readonly Row[];
    shown: (refusal: Row, messages: Messages) => ShownRefusal;
    after?: (messages: Messages) => Html;
  },
): FastifyReply {
  const titleOf = (messages: Messages) =>
    messages.diagnostics.title('apiId' in thing ? thing.name : calledById(thing, messages));
  return reply.page({
    title: titleOf,
    reach: content.refusals.length > 0,
    main: (messages) => {
      const refusals = content.refusals.map((refusal) => content.shown(refusal, messages));
      const after = incident === undefined && content.after?.(messages);
      const text = 'apiId' in thing ? messages.apiAccess.diagnostics : messages.diagnostics;
      const list = { messages, incident, text, here: thingAddress(thing, 'diagnostics'), refusals };
      const link = after && html`<p><a href="#checklist">${messages.diagnostics.checklist}</a></p>`;
      return html`${watchedWay(messages, thing, 'diagnostics')}
<h1>${titleOf(messages)}</h1>
${refusedRequests(list, link)}
${after}`;
    },
  });
}

const senderOf = ({ authenticated, held }: RefusalRow, { diagnostics: text }: Messages): string =>
  authenticated ? text.fromApplication : held ? text.fromHolder : text.fromAnyone;

/** A refusal of an API, or of an application over it: then in words for the API's owner, who sees its name. */
function refusalOfApi(refusal: ApiRefusalRow, messages: Messages): ShownRefusal {
  const { apiAccess, diagnostics } = messages;
  const text = apiAccess.diagnostics;
  const { clientId, applicationName, agent, redirectUris, authenticated, held, kind } = refusal;
  if (clientId === null)
    return { refusal, from: authenticated ? text.fromApi : held ? text.fromHolder : diagnostics.fromAnyone };
  const client = { clientId, name: applicationName ?? clientId, agent, redirectUris: redirectUris ?? [] };
  return {
    refusal,
    from: senderOf(refusal, messages),
    words: Object.hasOwn(text.about, kind) ? text.about[kind] : undefined,
    application: html`<div><dt>${agent ? text.agent : text.application}</dt><dd>${clientLine(client, messages)}</dd></div>`,
  };
}
