// /console/applications/:client_id/release: letting an application that is held serve again, after a look (D61).
import type { FastifyInstance } from 'fastify';
import { releaseApplication } from '../../applications/changes.ts';
import type { Parts } from '../../http/parts.ts';
import { ownApplication, ownerOf } from './own.ts';
import { APPLICATIONS, applicationAddress, ownedApplication } from './parts-view.ts';
import { releaseView } from './release-view.ts';

export function releasePage(area: FastifyInstance, parts: Parts): void {
  area.formPage({
    url: `${APPLICATIONS}/:client_id/release`,
    about: (request) => ownApplication(request, parts),
    elsewhere: ({ held, clientId }) => (held === 'own' ? undefined : applicationAddress(clientId)),
    read: () => ({}),
    proof: true,
    async act({ request, about: { clientId, name } }) {
      // An operator may have suspended it meanwhile: its page says so.
      if (!(await releaseApplication(parts.database, ownerOf(request), clientId, parts.now())))
        return applicationAddress(clientId);
      const to = `${applicationAddress(clientId)}?done=released`;
      return { to, notice: 'application_released', subject: name };
    },
    page: ({ about: application }) => ({
      title: (messages) => messages.applications.release.title(application.name),
      main: (form) => {
        const { held, release, detail } = form.messages.applications;
        const words = { held: held.own, text: release.text, delete: detail.delete };
        return releaseView({ ...form, owned: ownedApplication(application), words });
      },
    }),
  });
}
