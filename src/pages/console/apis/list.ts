// /console/apis: a person's APIs.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../../http/parts.ts';
import { listOwnApis } from '../../../store/own-apis.ts';
import { apiOffers } from '../../../store/transfer-offers.ts';
import { doneOf } from '../../../web/faults.ts';
import { memberOf, mustVerifyEmail } from '../../../web/member.ts';
import { APIS } from './frame-view.ts';
import { listView } from './list-view.ts';

export function apiListPage(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  area.get(APIS, async (request, reply) => {
    const { userId, csrf, emailVerified } = memberOf(request);
    const apis = await listOwnApis(database, userId);
    const offers = mustVerifyEmail(config, { emailVerified })
      ? []
      : await apiOffers.listReceived(database, userId, parts.now());
    const limit = config.apisPerAccount;
    return reply.page({
      title: (messages) => messages.apis.list.title,
      reach: apis.length >= limit,
      main: (messages) =>
        listView({
          messages,
          csrf,
          apis,
          offers,
          limit,
          notice: doneOf(request, {
            deleted: messages.apis.remove.done,
            declined: messages.apis.list.declined,
            gone: messages.applications.transfer.gone,
          }),
        }),
    });
  });
}
