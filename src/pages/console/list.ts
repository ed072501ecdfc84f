// /console/applications: a person's applications, and those that others offer them.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import { listOwnApplications } from '../../store/applications.ts';
import { applicationOffers } from '../../store/transfer-offers.ts';
import { doneOf } from '../../web/faults.ts';
import { memberOf, mustVerifyEmail } from '../../web/member.ts';
import { listView } from './list-view.ts';
import { APPLICATIONS } from './parts-view.ts';

export function listPage(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  area.get(APPLICATIONS, async (request, reply) => {
    const member = memberOf(request);
    const applications = await listOwnApplications(database, member.userId);
    const offers = mustVerifyEmail(config, member)
      ? []
      : await applicationOffers.listReceived(database, member.userId, parts.now());
    return reply.page({
      title: (messages) => messages.applications.list.title,
      reach: applications.length >= config.applicationsPerAccount,
      main: (messages) =>
        listView({
          messages,
          csrf: member.csrf,
          serviceName: config.serviceName,
          applications,
          offers,
          limit: config.applicationsPerAccount,
          notice: doneOf(request, {
            deleted: messages.applications.remove.done,
            declined: messages.applications.transfer.declined,
            gone: messages.applications.transfer.gone,
          }),
        }),
    });
  });
}
