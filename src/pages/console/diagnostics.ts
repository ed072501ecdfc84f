// GET /console/applications/:client_id/diagnostics: why requests of an application were refused, and what works. For its
// owner; an operator may look too.
import type { FastifyInstance } from 'fastify';
import { typedIncidentCode } from '../../http/incident-code.ts';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { notFound } from '../../oauth/errors.ts';
import { listObservations } from '../../store/observations.ts';
import { listRefusals, type RefusalRow } from '../../store/refusals.ts';
import { findWatchedApplication } from '../../store/watched.ts';
import { calledById } from '../../web/html/client-by-id.ts';
import { html } from '../../web/html/html.ts';
import { memberOf } from '../../web/member.ts';
import { checklist } from './checklist-view.ts';
import { APPLICATIONS, applicationAddress, watchedWay } from './frame-view.ts';
import { refusedRequests } from './refusals-view.ts';
import { clientIdOf } from './sections.ts';

export function diagnosticsPage(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(`${APPLICATIONS}/:client_id/diagnostics`, async (request, reply) => {
    const clientId = clientIdOf(request);
    const application = await findWatchedApplication(database, clientId, memberOf(request).userId);
    if (application === undefined) throw notFound();
    // Whoever just saw a request fail looks for it here.
    await parts.diagnostics.flush();
    const incident = typedIncidentCode(queryOf(request).get('incident'));
    const refusals = await listRefusals(database, clientId, incident);
    const observations = await listObservations(database, clientId);
    return reply.page({
      title: (messages) => messages.diagnostics.title(calledById(application, messages)),
      reach: refusals.length > 0,
      main: (messages) => {
        const text = messages.diagnostics;
        const all = incident === undefined;
        const list = {
          ...{ messages, incident, text, here: applicationAddress(clientId, 'diagnostics') },
          refusals: refusals.map((refusal) => ({
            refusal,
            from: origin(refusal, messages),
          })),
        };
        return html`${watchedWay(messages, application, 'diagnostics')}
<h1>${text.title(calledById(application, messages))}</h1>
${refusedRequests(list, all && html`<p><a href="#checklist">${text.checklist}</a></p>`)}
${all && checklist({ messages, application, observations })}`;
      },
    });
  });
}

const origin = ({ authenticated, held }: RefusalRow, { diagnostics: text }: Messages): string =>
  authenticated ? text.fromApplication : held ? text.fromHolder : text.fromAnyone;
