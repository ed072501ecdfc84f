// /console/applications/:client_id/release: letting an application that is held serve again, after a look (D61).
import type { FastifyInstance } from 'fastify';
import { releaseApplication } from '../../applications/changes.ts';
import type { Parts } from '../../http/parts.ts';
import { formPage } from '../../web/form-page.ts';
import { noticeToMember } from '../../web/member-notices.ts';
import { ownApplication, ownerOf } from './own.ts';
import { APPLICATIONS, applicationAddress } from './parts-view.ts';
import { releaseView } from './release-view.ts';

export function releasePage(area: FastifyInstance, parts: Parts): void {
  formPage(area, parts, {
    url: `${APPLICATIONS}/:client_id/release`,
    about: (request) => ownApplication(request, parts),
    elsewhere: ({ held, clientId }) => (held === 'own' ? undefined : applicationAddress(clientId)),
    read: () => ({}),
    proof: true,
    async act({ request, reply, about: { clientId, name } }) {
      // An operator may have suspended it meanwhile: its page says so.
      if (!(await releaseApplication(parts.database, ownerOf(request), clientId, parts.now())))
        return applicationAddress(clientId);
      await noticeToMember(request, reply, parts, 'application_released', name);
      return `${applicationAddress(clientId)}?done=released`;
    },
    page: ({ about: application }) => ({
      title: (messages) => messages.applications.release.title(application.name),
      main: (form) => releaseView({ ...form, application }),
    }),
  });
}
