// /console/apis/:api_id/delete: deleting an API.
import type { FastifyInstance } from 'fastify';
import { cleanName } from '../../../accounts/account-fields.ts';
import { deleteApi } from '../../../apis/changes.ts';
import type { Parts } from '../../../http/parts.ts';
import { notFound } from '../../../oauth/errors.ts';
import { deletionView } from '../deletion-view.ts';
import { ownerOf } from '../own.ts';
import { APIS, ownedApi } from './frame-view.ts';
import { ownApi } from './own.ts';

export function apiDeletionPage(area: FastifyInstance, parts: Parts): void {
  area.formPage({
    url: `${APIS}/:api_id/delete`,
    about: (request) => ownApi(request, parts),
    read: (form) => ({ name: form.get('name') ?? '' }),
    faults: ({ about: { name }, fields }) =>
      cleanName(fields.name) === name ? [] : [{ field: 'name', text: ({ apis }) => apis.remove.nameDiffers }],
    proof: true,
    async act({ request, about: { apiId, name } }) {
      if (!(await deleteApi(parts.database, ownerOf(request), apiId, name, parts.now()))) throw notFound();
      return { to: `${APIS}?done=deleted`, notice: 'api_deleted', subject: name };
    },
    page: ({ about: api, fields }) => ({
      title: (messages) => messages.apis.remove.title(api.name),
      main: (form) =>
        deletionView({ ...form, owned: ownedApi(api), words: form.messages.apis.remove, typed: fields.name }),
    }),
  });
}
