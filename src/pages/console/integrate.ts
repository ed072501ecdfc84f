// GET /console/applications/:client_id/integrate: the button and the code to copy, filled for one application.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { isClientIdShaped } from '../../oauth/secrets.ts';
import { findOwnApplication } from '../../store/applications.ts';
import { findProtocolSettings } from '../../store/protocol-settings.ts';
import { buttonStylesheetPath, copyScriptPath } from '../../web/html/asset-paths.ts';
import { memberArea, memberOf } from '../../web/member.ts';
import { sendPage } from '../../web/page.ts';
import { integrateView } from './integrate-view.ts';

export function integratePage(app: FastifyInstance, parts: Parts): void {
  const { baseUrl, serviceName } = parts.config;

  memberArea(app, parts, (area) => {
    area.get<{ Params: { client_id: string } }>(
      '/console/applications/:client_id/integrate',
      async (request, reply) => {
        const member = memberOf(request);
        const { client_id: clientId } = request.params;
        if (!isClientIdShaped(clientId)) throw notFound();
        const application = await findOwnApplication(parts.database, member.userId, clientId);
        const settings = await findProtocolSettings(parts.database, member.userId, clientId);
        if (application === undefined || settings === undefined) throw notFound();
        const { resources, idTokenAlgorithm } = settings;
        return sendPage(request, reply, parts, {
          title: (messages) => messages.integrate.page.title(application.name),
          stylesheets: [buttonStylesheetPath],
          scripts: [copyScriptPath],
          main: (messages) =>
            integrateView({
              messages,
              application: { ...application, resources, idTokenAlgorithm },
              service: { issuer: baseUrl, serviceName },
            }),
        });
      },
    );
  });
}
