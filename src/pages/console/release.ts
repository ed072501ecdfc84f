// /console/applications/:client_id/release: letting an application that is held serve again, after a look (D61).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { releaseApplication } from '../../applications/changes.ts';
import type { Parts } from '../../http/parts.ts';
import type { OwnApplication } from '../../store/applications.ts';
import { type Fault, inWords } from '../../web/faults.ts';
import { noticeToMember } from '../../web/member-notices.ts';
import { sendPage } from '../../web/page.ts';
import { asked, asking, confirmationFaults, ownApplication, ownerOf } from './own.ts';
import { APPLICATIONS, applicationAddress } from './parts-view.ts';
import { releaseView } from './release-view.ts';

const ONE = `${APPLICATIONS}/:client_id`;

export function releasePage(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(`${ONE}/release`, async (request, reply) => {
    const application = await ownApplication(request, parts);
    if (application.held !== 'own') return reply.redirect(applicationAddress(application.clientId), 303);
    return showRelease(request, reply, application, []);
  });

  area.post(`${ONE}/release`, async (request, reply) => {
    const application = await ownApplication(request, parts);
    const { clientId, name } = application;
    const faults: Fault[] = await confirmationFaults(request, parts);
    if (faults.length > 0) return showRelease(request, reply, application, faults);
    // An operator may have suspended it meanwhile: its page says so.
    if (!(await releaseApplication(database, ownerOf(request), clientId, parts.now())))
      return reply.redirect(applicationAddress(clientId), 303);
    await noticeToMember(request, reply, parts, 'application_released', name);
    return reply.redirect(`${applicationAddress(clientId)}?done=released`, 303);
  });

  function showRelease(
    request: FastifyRequest,
    reply: FastifyReply,
    application: OwnApplication,
    faults: Fault[],
  ): FastifyReply {
    return sendPage(request, reply, parts, {
      ...asking(request, faults),
      title: (messages) => messages.applications.release.title(application.name),
      main: (messages) =>
        releaseView({ ...asked(request, parts), messages, application, errors: inWords(faults, messages) }),
    });
  }
}
