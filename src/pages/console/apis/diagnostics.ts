// GET /console/apis/:api_id/diagnostics: why requests of an API, and of applications over it, were refused. For its owner;
// an operator may look too.
import type { FastifyInstance } from 'fastify';
import { typedIncidentCode } from '../../../http/incident-code.ts';
import { queryOf } from '../../../http/parameters.ts';
import type { Parts } from '../../../http/parts.ts';
import type { Messages } from '../../../i18n/index.ts';
import { notFound } from '../../../oauth/errors.ts';
import { type ApiRefusalRow, listRefusalsOfApi } from '../../../store/refusals.ts';
import { findWatchedApi } from '../../../store/watched.ts';
import { html } from '../../../web/html/html.ts';
import { memberOf } from '../../../web/member.ts';
import { APIS, apiAddress, watchedWay } from '../frame-view.ts';
import { refusedRequests, type ShownRefusal } from '../refusals-view.ts';
import { apiIdOf } from '../sections.ts';
import { clientLine } from './client-view.ts';

export function apiDiagnosticsPage(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(`${APIS}/:api_id/diagnostics`, async (request, reply) => {
    const api = await findWatchedApi(database, apiIdOf(request), memberOf(request).userId);
    if (api === undefined) throw notFound();
    // Whoever just saw a request fail looks for it here.
    await parts.diagnostics.flush();
    const incident = typedIncidentCode(queryOf(request).get('incident'));
    const refusals = await listRefusalsOfApi(database, api.apiId, incident);
    return reply.page({
      title: (messages) => messages.diagnostics.title(api.name),
      reach: refusals.length > 0,
      main: (messages) => {
        const list = {
          ...{ messages, incident, text: messages.apiAccess.diagnostics },
          here: apiAddress(api.apiId, 'diagnostics'),
          refusals: refusals.map((refusal) => shown(refusal, messages)),
        };
        return html`${watchedWay(messages, api, 'diagnostics')}
<h1>${messages.diagnostics.title(api.name)}</h1>
${refusedRequests(list)}`;
      },
    });
  });
}

function shown(refusal: ApiRefusalRow, messages: Messages): ShownRefusal {
  const { apiAccess, diagnostics } = messages;
  const text = apiAccess.diagnostics;
  const { clientId, applicationName, agent, redirectUris, authenticated, held, kind } = refusal;
  if (clientId === null)
    return { refusal, from: authenticated ? text.fromApi : held ? text.fromHolder : diagnostics.fromAnyone };
  const client = { clientId, name: applicationName ?? clientId, agent, redirectUris: redirectUris ?? [] };
  return {
    refusal,
    from: authenticated
      ? diagnostics.fromApplication
      : held
        ? diagnostics.fromHolder
        : diagnostics.fromAnyone,
    words: Object.hasOwn(text.about, kind) ? text.about[kind] : undefined,
    application: html`<div><dt>${agent ? text.agent : text.application}</dt><dd>${clientLine(client, messages)}</dd></div>`,
  };
}
