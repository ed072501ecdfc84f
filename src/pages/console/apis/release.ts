// /console/apis/:api_id/release: letting an API that is held serve again, after a look (D61).
import type { FastifyInstance } from 'fastify';
import { releaseApi } from '../../../apis/changes.ts';
import type { Parts } from '../../../http/parts.ts';
import { ownerOf } from '../own.ts';
import { releaseView } from '../release-view.ts';
import { APIS, apiAddress, ownedApi } from './frame-view.ts';
import { ownApi } from './own.ts';

export function apiReleasePage(area: FastifyInstance, parts: Parts): void {
  area.formPage({
    url: `${APIS}/:api_id/release`,
    about: (request) => ownApi(request, parts),
    elsewhere: ({ held, apiId }) => (held === 'own' ? undefined : apiAddress(apiId)),
    read: () => ({}),
    proof: true,
    async act({ request, about: { apiId, name } }) {
      // An operator may have suspended it meanwhile: its page says so.
      if (!(await releaseApi(parts.database, ownerOf(request), apiId, parts.now()))) return apiAddress(apiId);
      return { to: `${apiAddress(apiId)}?done=released`, notice: 'api_released', subject: name };
    },
    page: ({ about: api }) => ({
      title: (messages) => messages.applications.release.title(api.name),
      main: (form) => {
        const { held, releaseText, ...detail } = form.messages.apis.detail;
        const words = { held: held.own, text: releaseText, delete: detail.delete };
        return releaseView({ ...form, owned: ownedApi(api), words });
      },
    }),
  });
}
