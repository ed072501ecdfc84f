// /console/applications and /console/apis: what a user owns, and what others offer them.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import { listOwnApplications } from '../../store/applications.ts';
import { listOwnApis } from '../../store/own-apis.ts';
import { listReceivedOffers } from '../../store/transfer-offers.ts';
import { doneOf } from '../../web/faults.ts';
import { memberOf, mustVerifyEmail } from '../../web/member.ts';
import { apiCard } from './apis/list-view.ts';
import { applicationCard, listView } from './list-view.ts';
import type { Section } from './sections.ts';

export function listPage(area: FastifyInstance, parts: Parts, section: Section): void {
  const { config, database } = parts;
  const { kind, list } = section;
  const limit = config.registrationsPerAccount;

  area.get(list, async (request, reply) => {
    const member = memberOf(request);
    const [applications, apis, offers] = await Promise.all([
      kind === 'application' ? listOwnApplications(database, member.userId) : [],
      kind === 'api' ? listOwnApis(database, member.userId) : [],
      mustVerifyEmail(config, member) ? [] : listReceivedOffers(database, member.userId, parts.now()),
    ]);
    return reply.page({
      title: (messages) => messages[`${kind}s`].list.title,
      reach: applications.length + apis.length >= limit,
      main: (messages) =>
        listView({
          messages,
          csrf: member.csrf,
          kind,
          serviceName: config.serviceName,
          cards: [
            ...applications.map((one) => applicationCard(one, messages)),
            ...apis.map((one) => apiCard(one, messages)),
          ],
          offers: offers.filter((offer) => offer.kind === kind),
          limit,
          notice: doneOf(request, {
            deleted: messages.ownership.remove.done[kind],
            declined: messages.ownership.transfer.declined[kind],
            gone: messages.ownership.transfer.gone,
          }),
        }),
    });
  });
}
