// GET /console/apis/:api_id/integrate: the code to copy, filled for one API.
import type { FastifyInstance } from 'fastify';
import { queryOf } from '../../../http/parameters.ts';
import type { Parts } from '../../../http/parts.ts';
import { APIS } from './frame-view.ts';
import { integrateView } from './integrate-view.ts';
import { ownApi } from './own.ts';

export function integrateApiPage(area: FastifyInstance, parts: Parts): void {
  area.get(`${APIS}/:api_id/integrate`, async (request, reply) => {
    const api = await ownApi(request, parts);
    return reply.page({
      title: (messages) => messages.apiIntegrate.title(api.name),
      main: (messages) =>
        integrateView({
          messages,
          api,
          issuer: parts.config.baseUrl,
          chosen: queryOf(request).get('library'),
        }),
    });
  });
}
