// GET /console/operations/apis and /apis/:apiId: all APIs, and one of them.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { isApiIdShaped } from '../../oauth/secrets.ts';
import { type ApiRow, type ApiState, findApi, listApisPage } from '../../store/api-lists.ts';
import { listEvents } from '../../store/events.ts';
import type { ApiAction } from '../../store/moderation.ts';
import { apisView, apiView } from './apis-view.ts';
import { APIS } from './frame-view.ts';
import { askedOf } from './list.ts';

const LATEST_EVENTS = 20;
const STATES: readonly ApiState[] = ['suspended', 'agents'];

export function apiPages(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(APIS, async (request, reply) => {
    const asked = askedOf(request, STATES, isApiIdShaped);
    const found = await listApisPage(database, asked);
    return reply.page({
      title: (messages) => messages.operations.apis,
      main: (messages) => apisView({ messages, asked, found }),
    });
  });

  area.get(`${APIS}/:apiId`, async (request, reply) => {
    const api = await apiOf(request, parts);
    const events = await listEvents(database, { apiId: api.apiId }, { limit: LATEST_EVENTS });
    const done: ApiAction = api.suspendedAt === null ? 'unsuspend' : 'suspend';
    const isDone = queryOf(request).get('done') === done;
    return reply.page({
      title: () => api.name,
      main: (messages, locale) =>
        apiView({
          messages,
          locale,
          api,
          actions: apiActionsFor(api),
          events,
          notice: isDone ? messages.operations.apiActions[done].done : undefined,
        }),
    });
  });
}

export async function apiOf(request: FastifyRequest, { database }: Parts): Promise<ApiRow> {
  const { apiId } = request.params as { apiId: string };
  const api = isApiIdShaped(apiId) ? await findApi(database, apiId) : undefined;
  if (api === undefined) throw notFound();
  return api;
}

export const apiActionsFor = ({ suspendedAt }: ApiRow): ApiAction[] => [
  suspendedAt === null ? 'suspend' : 'unsuspend',
];
