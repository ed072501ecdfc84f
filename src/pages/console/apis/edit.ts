// /console/apis/:api_id/edit: the settings of an API.
import type { FastifyInstance } from 'fastify';
import { changeApi } from '../../../apis/changes.ts';
import { apiFaults } from '../../../apis/settings-fields.ts';
import type { Parts } from '../../../http/parts.ts';
import { notFound } from '../../../oauth/errors.ts';
import { APIS, apiAddress } from '../frame-view.ts';
import { ownApi, ownerOf } from '../sections.ts';
import { editView } from './edit-view.ts';
import { faultsInWords, fieldsOf, readApi, typedSettings } from './typed.ts';

export function editApiPage(area: FastifyInstance, parts: Parts): void {
  area.formPage({
    url: `${APIS}/:api_id/edit`,
    about: (request) => ownApi(request, parts),
    begin: typedSettings,
    read: readApi,
    faults: ({ fields }) => faultsInWords(apiFaults(fieldsOf(fields)), parts.config),
    async act({ request, about: { apiId, admits: before }, fields: { admits = before, ...fields } }) {
      const settings = { ...fieldsOf({ ...fields, admits }), admits };
      const changed = await parts.database.transaction((transaction) =>
        changeApi(transaction, ownerOf(request), apiId, settings, parts.now()),
      );
      if (!changed) throw notFound();
      return `${apiAddress(apiId)}?done=changed`;
    },
    page: ({ about: api, fields }) => ({
      title: (messages) => messages.apis.edit.title(api.name),
      main: (form) => editView({ ...form, api, fields }),
    }),
  });
}
