// /console/applications/:client_id/delete: deleting an application.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cleanName } from '../../accounts/account-fields.ts';
import { deleteApplication } from '../../applications/changes.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { countPeople, type OwnApplication } from '../../store/applications.ts';
import { type Fault, inWords } from '../../web/faults.ts';
import { noticeToMember } from '../../web/member-notices.ts';
import { sendPage } from '../../web/page.ts';
import { deleteView } from './deletion-view.ts';
import { asked, asking, confirmationFaults, ownApplication, ownerOf } from './own.ts';
import { APPLICATIONS } from './parts-view.ts';

const ONE = `${APPLICATIONS}/:client_id`;

export function deletionPage(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(`${ONE}/delete`, async (request, reply) =>
    showDelete(request, reply, await ownApplication(request, parts), '', []),
  );

  area.post(`${ONE}/delete`, async (request, reply) => {
    const application = await ownApplication(request, parts);
    const { clientId, name } = application;
    const typed = formOf(request).get('name') ?? '';
    const faults: Fault[] = await confirmationFaults(request, parts);
    if (cleanName(typed) !== name)
      faults.unshift({ field: 'name', text: ({ applications }) => applications.problems.nameDiffers });
    if (faults.length > 0) return showDelete(request, reply, application, typed, faults);
    if (!(await deleteApplication(database, ownerOf(request), clientId, name, parts.now()))) throw notFound();
    await noticeToMember(request, reply, parts, 'application_deleted', name);
    return reply.redirect(`${APPLICATIONS}?done=deleted`, 303);
  });

  async function showDelete(
    request: FastifyRequest,
    reply: FastifyReply,
    application: OwnApplication,
    typed: string,
    faults: Fault[],
  ): Promise<FastifyReply> {
    const people = await countPeople(database, application.clientId);
    return sendPage(request, reply, parts, {
      ...asking(request, faults),
      title: (messages) => messages.applications.remove.title(application.name),
      main: (messages) =>
        deleteView({
          ...asked(request, parts),
          messages,
          application,
          people,
          typed,
          errors: inWords(faults, messages),
        }),
    });
  }
}
