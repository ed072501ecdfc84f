// /console/apis/:api_id/requests and …/requests/answer: applications that ask on their own account; granting, refusing, ending.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { endAccess, grantAccess } from '../../../apis/service-access.ts';
import { queryOf } from '../../../http/parameters.ts';
import type { Parts } from '../../../http/parts.ts';
import { invalidRequest, notFound } from '../../../oauth/errors.ts';
import type { OwnApi } from '../../../store/own-apis.ts';
import {
  findServiceAccessRow,
  listAccessOfApi,
  type ServiceAccessRow,
} from '../../../store/service-access.ts';
import { doneOf } from '../../../web/faults.ts';
import { APIS, apiAddress } from '../frame-view.ts';
import { ownApi, ownerOf } from '../sections.ts';
import { answerAddress, answerView, requestsView } from './requests-view.ts';

const PAGE = `${APIS}/:api_id/requests`;

export function apiRequestPages(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(PAGE, async (request, reply) => {
    const api = await ownApi(request, parts);
    const rows = await listAccessOfApi(database, api.apiId);
    return reply.page({
      title: ({ serviceAccess }) => serviceAccess.api.title(api.name),
      main: (messages) =>
        requestsView({ messages, api, rows, notice: doneOf(request, messages.serviceAccess.api.done) }),
    });
  });

  area.formPage({
    url: `${PAGE}/answer`,
    about: requestOf,
    address: ({ row: { apiId, clientId } }) => answerAddress(apiId, clientId),
    read: (form) => ({
      decision: form.get('decision') ?? '',
      scopes: form.all('scopes'),
      asked: form.get('asked') ?? '',
    }),
    begin: ({ row }) => ({ decision: '', scopes: row.scopes, asked: '' }),
    faults: ({ fields: { decision, scopes } }) =>
      decision === 'grant' && scopes.length === 0
        ? [{ field: 'scopes', text: ({ serviceAccess }) => serviceAccess.api.nothingChosen }]
        : [],
    proof: true,
    deletes: true,
    async act({ request, about: { row }, fields: { decision, scopes, asked } }, transaction) {
      const { apiId, clientId, clientName, askedAt } = row;
      const at = apiAddress(apiId, 'requests');
      const access = { apiId, clientId };
      if (decision === 'end') {
        await endAccess(parts, transaction, ownerOf(request), access, parts.now());
        return `${at}?done=ended`;
      }
      if (decision !== 'grant') throw invalidRequest('decision must be grant or end.', { kind: 'page_form' });
      // What was asked for anew since the page was opened may be the next owner's of the application.
      const wish = { ...access, scopes, askedAt };
      const isSeen = asked === askedAt.toISOString();
      if (!isSeen || !(await grantAccess(parts, transaction, ownerOf(request), wish, parts.now())))
        return { status: 409, faults: [{ text: ({ serviceAccess }) => serviceAccess.api.changed }] };
      return { to: `${at}?done=granted`, notice: 'service_access_granted', subject: clientName };
    },
    page: ({ about: { api, row }, fields }) => ({
      title: ({ serviceAccess }) =>
        row.grantedAt === null
          ? serviceAccess.api.decideTitle(row.clientName)
          : serviceAccess.ending.title(row.clientName, row.apiName),
      main: (form, locale) => answerView({ ...form, api, row, locale, ticked: fields.scopes }),
    }),
  });

  /** @throws OAuthError `not_found` when the API is not the person's own, or that application has not asked */
  async function requestOf(request: FastifyRequest): Promise<{ api: OwnApi; row: ServiceAccessRow }> {
    const api = await ownApi(request, parts);
    const clientId = queryOf(request).get('client_id') ?? '';
    const row = await findServiceAccessRow(database, { apiId: api.apiId, clientId });
    if (row === undefined) throw notFound();
    return { api, row };
  }
}
