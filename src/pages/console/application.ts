// /console/applications/:client_id: what an application is.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import { countPeople } from '../../store/applications.ts';
import { findOwnOffer } from '../../store/transfer-offers.ts';
import { doneOf } from '../../web/faults.ts';
import { copyScriptPath } from '../../web/html/asset-paths.ts';
import { memberOf } from '../../web/member.ts';
import { detailView } from './application-view.ts';
import { ownApplication } from './own.ts';
import { APPLICATIONS } from './parts-view.ts';

export function applicationPage(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  area.get(`${APPLICATIONS}/:client_id`, async (request, reply) => {
    const application = await ownApplication(request, parts);
    const { clientId } = application;
    const people = await countPeople(database, clientId);
    const offer = await findOwnOffer(database, memberOf(request).userId, clientId, parts.now());
    return reply.page({
      title: () => application.name,
      scripts: [copyScriptPath],
      main: (messages) =>
        detailView({
          messages,
          application,
          house: config,
          people,
          offeredTo: offer?.email,
          notice: doneOf(request, messages.applications.detail.done),
        }),
    });
  });
}
