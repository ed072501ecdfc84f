// …/diagnostics of an application or an API: rejected requests, for its owner and administrators.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { normalizeIncidentCode } from '../../http/incident-code.ts';
import { queryOf } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { notFound } from '../../oauth/errors.ts';
import { listObservations } from '../../store/client-observations.ts';
import { findVisibleApi, type VisibleApi } from '../../store/own-apis.ts';
import { findVisibleClient, type VisibleClient } from '../../store/own-clients.ts';
import { type ApiRefusalRow, listApiRefusals, listRefusals, type RefusalRow } from '../../store/refusals.ts';
import { clientDisplayName } from '../../web/html/client-display.ts';
import { type Html, html } from '../../web/html/html.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { clientSummary } from './apis/client-view.ts';
import { checklistView } from './checklist-view.ts';
import { APIS_URL, APPLICATIONS_URL, clientOrApiUrl, watcherNavigation } from './layout.ts';
import { type RefusalEntry, refusedRequestsView } from './refusals-view.ts';
import { apiIdOf, clientIdOf } from './sections.ts';

export function diagnosticsPages(area: FastifyInstance, services: Services): void {
  const { database } = services;

  area.get(`${APPLICATIONS_URL}/:client_id/diagnostics`, async (request, reply) => {
    const { userId } = signedInUser(request);
    const application = await findVisibleClient(database, userId, clientIdOf(request));
    if (application === undefined) throw notFound();
    const { clientId } = application;
    const incident = await incidentOf(request);
    const refusals = await listRefusals(database, clientId, incident);
    const observations = await listObservations(database, clientId);
    return sendPage(reply, application, incident, {
      refusals,
      shown: (refusal, messages) => ({ refusal, sender: senderLabel(refusal, messages) }),
      after: (messages) => checklistView({ messages, observations }),
    });
  });

  area.get(`${APIS_URL}/:api_id/diagnostics`, async (request, reply) => {
    const api = await findVisibleApi(database, signedInUser(request).userId, apiIdOf(request));
    if (api === undefined) throw notFound();
    const incident = await incidentOf(request);
    const refusals = await listApiRefusals(database, api.apiId, incident);
    return sendPage(reply, api, incident, { refusals, shown: describeApiRefusal });
  });

  /** Returns the incident code to search for. Writes pending diagnostics first, because the incident may be recent. */
  async function incidentOf(request: FastifyRequest): Promise<string | undefined> {
    await services.diagnostics.flush();
    return normalizeIncidentCode(queryOf(request).get('incident'));
  }
}

function sendPage<Row extends RefusalRow>(
  reply: FastifyReply,
  clientOrApi: VisibleClient | VisibleApi,
  incident: string | undefined,
  content: {
    refusals: readonly Row[];
    shown: (refusal: Row, messages: Messages) => RefusalEntry;
    after?: (messages: Messages) => Html;
  },
): FastifyReply {
  const titleOf = (messages: Messages) =>
    messages.diagnostics.title(
      'apiId' in clientOrApi ? clientOrApi.name : clientDisplayName(clientOrApi, messages),
    );
  return reply.page({
    title: titleOf,
    showsSupportContact: content.refusals.length > 0,
    main: (messages) => {
      const refusals = content.refusals.map((refusal) => content.shown(refusal, messages));
      const checklist = incident === undefined && content.after?.(messages);
      const text = 'apiId' in clientOrApi ? messages.apiAccess.diagnostics : messages.diagnostics;
      const list = { messages, incident, text, here: clientOrApiUrl(clientOrApi, 'diagnostics'), refusals };
      const link = checklist && html`<p><a href="#checklist">${messages.diagnostics.checklist}</a></p>`;
      return html`${watcherNavigation(messages, clientOrApi, 'diagnostics')}
<h1>${titleOf(messages)}</h1>
${refusedRequestsView(list, link)}
${checklist}`;
    },
  });
}

const senderLabel = (
  { authenticated, hasCredential }: RefusalRow,
  { diagnostics: text }: Messages,
): string => (authenticated ? text.fromApplication : hasCredential ? text.fromHolder : text.fromAnyone);

/** Describes a rejected request for the API's owner. Names the client if a client sent the request. */
function describeApiRefusal(refusal: ApiRefusalRow, messages: Messages): RefusalEntry {
  const { apiAccess, diagnostics } = messages;
  const text = apiAccess.diagnostics;
  const { clientId, clientName, agent, redirectUris, authenticated, hasCredential, kind } = refusal;
  if (clientId === null)
    return {
      refusal,
      sender: authenticated ? text.fromApi : hasCredential ? text.fromHolder : diagnostics.fromAnyone,
    };
  const client = { clientId, name: clientName ?? clientId, agent, redirectUris: redirectUris ?? [] };
  return {
    refusal,
    sender: senderLabel(refusal, messages),
    explanation: Object.hasOwn(text.about, kind) ? text.about[kind] : undefined,
    clientRow: html`<div><dt>${agent ? text.agent : text.application}</dt><dd>${clientSummary(client, messages)}</dd></div>`,
  };
}
