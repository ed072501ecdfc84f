// GET /console/apis/:api_id/diagnostics: why requests of an API, and of applications over it, were refused. For its owner;
// an operator may look too.
import type { FastifyInstance } from 'fastify';
import { typedIncidentCode } from '../../../http/incident-code.ts';
import { queryOf } from '../../../http/parameters.ts';
import type { Parts } from '../../../http/parts.ts';
import { notFound } from '../../../oauth/errors.ts';
import { findRefusalOfApi, listRefusalsOfApi } from '../../../store/refusals.ts';
import { findWatchedApi } from '../../../store/watched-apis.ts';
import { memberOf } from '../../../web/member.ts';
import { apiDiagnosticsView } from './diagnostics-view.ts';
import { APIS } from './frame-view.ts';
import { apiIdOf } from './own.ts';

export function apiDiagnosticsPage(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(`${APIS}/:api_id/diagnostics`, async (request, reply) => {
    const api = await findWatchedApi(database, apiIdOf(request), memberOf(request).userId);
    if (api === undefined) throw notFound();
    // Whoever just saw a request fail looks for it here.
    await parts.diagnostics.flush();
    const incident = typedIncidentCode(queryOf(request).get('incident'));
    const refusals =
      incident === undefined
        ? await listRefusalsOfApi(database, api.apiId)
        : await findRefusalOfApi(database, api.apiId, incident);
    return reply.page({
      title: (messages) => messages.diagnostics.title(api.name),
      reach: refusals.length > 0,
      main: (messages) => apiDiagnosticsView({ messages, api, incident, refusals }),
    });
  });
}
