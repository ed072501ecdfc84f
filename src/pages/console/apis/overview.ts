// /console/apis/:api_id: how an API stands, what is worth doing about it, and what it is.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../../http/parts.ts';
import { countRefusalsOfApi } from '../../../store/refusals.ts';
import { listSecrets } from '../../../store/secrets.ts';
import { findOwnOffer } from '../../../store/transfer-offers.ts';
import { doneOf } from '../../../web/faults.ts';
import { memberOf } from '../../../web/member.ts';
import { APIS } from '../frame-view.ts';
import { ownApi } from '../sections.ts';
import { overviewView } from './overview-view.ts';

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
            ...messages.apis.detail.done,
            'offer-cancelled': messages.ownership.transfer.cancelled,
          }),
        }),
    });
  });
}
