// GET /console/applications/:client_id/integrate: the button and the code to copy, filled for one application.
import type { FastifyInstance } from 'fastify';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { findProtocolSettings } from '../../store/protocol-settings.ts';
import { listSecrets } from '../../store/secrets.ts';
import { doneOf } from '../../web/faults.ts';
import { buttonStylesheetPath } from '../../web/html/asset-paths.ts';
import { memberOf } from '../../web/member.ts';
import { APPLICATIONS } from './frame-view.ts';
import { integrateView } from './integrate-view.ts';
import { ownApplication } from './sections.ts';

export function integratePage(area: FastifyInstance, parts: Parts): void {
  const { baseUrl, serviceName } = parts.config;

  area.get(`${APPLICATIONS}/:client_id/integrate`, async (request, reply) => {
    const application = await ownApplication(request, parts);
    const { userId } = memberOf(request);
    const settings = await findProtocolSettings(parts.database, userId, application.clientId);
    if (settings === undefined) throw notFound();
    const { idTokenAlgorithm } = settings;
    const [secret] = await listSecrets(parts.database, userId, application.clientId, parts.now());
    const query = queryOf(request);
    return reply.page({
      title: (messages) => messages.integrate.page.title(application.name),
      reach: application.suspended,
      stylesheets: [buttonStylesheetPath],
      main: (messages) =>
        integrateView({
          messages,
          notice: doneOf(request, { registered: messages.applications.created.done(application.name) }),
          chosen: { language: query.get('language'), library: query.get('library') },
          ending: secret?.ending ?? undefined,
          application: { ...application, idTokenAlgorithm },
          service: { issuer: baseUrl, serviceName },
        }),
    });
  });
}
