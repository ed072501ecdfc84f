// /console/applications/:client_id/logo: giving an application a logo, or taking it away.
import type { FastifyInstance } from 'fastify';
import { encodePicture } from '../../accounts/pictures.ts';
import { changeLogo } from '../../applications/changes.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { fileOf } from '../../web/uploads.ts';
import { APPLICATIONS, applicationAddress } from './frame-view.ts';
import { logoView } from './logo-view.ts';
import { ownApplication, ownerOf } from './sections.ts';

export function logoPage(area: FastifyInstance, parts: Parts): void {
  area.formPage({
    url: `${APPLICATIONS}/:client_id/logo`,
    upload: true,
    about: (request) => ownApplication(request, parts),
    read: () => ({}),
    async act({ request, about: { clientId } }) {
      const remove = formOf(request).get('remove') === 'yes';
      const file = remove ? undefined : fileOf(request, 'logo');
      const picture = file && (await encodePicture(file));
      if (!remove && picture === undefined) {
        const fault = file === undefined ? 'fileMissing' : 'fileUnreadable';
        return { faults: [{ field: 'logo', text: ({ applications }) => applications.problems[fault] }] };
      }
      const owner = ownerOf(request);
      const changed = await parts.database.transaction((transaction) =>
        changeLogo(transaction, owner, clientId, picture, parts.now()),
      );
      if (!changed) throw notFound();
      return `${applicationAddress(clientId)}?done=${remove ? 'logo-removed' : 'logo'}`;
    },
    page: ({ about: application }) => ({
      title: (messages) => messages.applications.logo.title(application.name),
      main: (form) => logoView({ ...form, application }),
    }),
  });
}
