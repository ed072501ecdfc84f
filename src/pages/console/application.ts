// /console/applications/:client_id: how an application stands, what is worth doing about it, and what it is.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import { countPeople } from '../../store/applications.ts';
import { findProtocolSettings } from '../../store/protocol-settings.ts';
import { countRefusals } from '../../store/refusals.ts';
import { listSecrets } from '../../store/secrets.ts';
import { findOwnOffer } from '../../store/transfer-offers.ts';
import { doneOf } from '../../web/faults.ts';
import { memberOf } from '../../web/member.ts';
import { detailView } from './application-view.ts';
import { APPLICATIONS } from './frame-view.ts';
import { ownApplication } from './sections.ts';

const A_WEEK = 7 * 24 * 3600 * 1000;

export function applicationPage(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  area.get(`${APPLICATIONS}/:client_id`, async (request, reply) => {
    const application = await ownApplication(request, parts);
    const { clientId } = application;
    const { userId } = memberOf(request);
    const now = parts.now();
    const [people, offer, secrets, protocol, refused] = await Promise.all([
      countPeople(database, clientId),
      findOwnOffer(database, userId, clientId, now),
      listSecrets(database, userId, clientId, now),
      findProtocolSettings(database, userId, clientId),
      countRefusals(database, clientId, new Date(now.getTime() - A_WEEK)),
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
          hasKeys: (protocol?.jwks ?? null) !== null,
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
