// GET /account: who one is here, what the account opens, and the way to its parts.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import { listConsents } from '../../store/consents.ts';
import { doneOf } from '../../web/faults.ts';
import { avatarAddress } from '../../web/html/picture-address.ts';
import { memberOf } from '../../web/member.ts';
import { overviewView } from './overview-view.ts';

export function overviewPage(area: FastifyInstance, parts: Parts): void {
  area.get('/account', async (request, reply) => {
    const member = memberOf(request);
    const consents = await listConsents(parts.database, member.userId);
    return reply.page({
      title: (messages) => messages.account.parts.title,
      main: (messages) =>
        overviewView({
          messages,
          serviceName: parts.config.serviceName,
          csrf: member.csrf,
          account: { ...member, avatar: avatarAddress('', member) },
          notice: doneOf(request, { welcome: messages.account.overview.welcome(parts.config.serviceName) }),
          applications: consents.map(({ applicationName }) => applicationName),
        }),
    });
  });
}
