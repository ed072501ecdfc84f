// /console/apis/:api_id/access and below: who has access to an API; cutting one off, letting one in again.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { cutOff, letIn } from '../../../apis/access.ts';
import { queryOf } from '../../../http/parameters.ts';
import type { Parts } from '../../../http/parts.ts';
import { notFound } from '../../../oauth/errors.ts';
import { type DecidedClient, findDecidedClient, listAccess } from '../../../store/api-access.ts';
import type { OwnApi } from '../../../store/own-apis.ts';
import { doneOf } from '../../../web/faults.ts';
import { APIS, apiAddress } from '../frame-view.ts';
import { ownApi, ownerOf } from '../sections.ts';
import { type AccessDecision, accessView, decisionAddress, decisionView } from './access-view.ts';
import { calledName } from './client-view.ts';

const ACCESS = `${APIS}/:api_id/access`;

/** What an owner decides about, and how: its address, what it does, and what becomes of an application that it is done to. */
const DECISIONS = {
  cut: { does: cutOff, notice: 'api_access_cut', excluded: true },
  readmit: { does: letIn, notice: 'api_access_restored', excluded: false },
} as const satisfies Record<AccessDecision, object>;

export function apiAccessPages(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  area.get(ACCESS, async (request, reply) => {
    const api = await ownApi(request, parts);
    const ago = (seconds: number) => new Date(parts.now().getTime() - seconds * 1000);
    const { refreshTokenIdleTtl: idle, refreshTokenMaxTtl: max } = config;
    const after = { advanced: ago(idle), created: max === 0 ? new Date(0) : ago(max) };
    const { access, capped } = await listAccess(database, api.apiId, after);
    return reply.page({
      title: (messages) => messages.apiAccess.access.title(api.name),
      main: (messages) =>
        accessView({
          messages,
          api,
          access,
          capped,
          notice: doneOf(request, messages.apiAccess.access.done),
        }),
    });
  });

  for (const decision of Object.keys(DECISIONS) as AccessDecision[]) {
    const { does, notice, excluded } = DECISIONS[decision];
    area.formPage({
      url: `${ACCESS}/${decision}`,
      about: decidedClient,
      // Decided already, from another tab or by a second click: what its owner asked for is so.
      elsewhere: ({ api, client }) =>
        (client.excludedAt !== null) === excluded ? apiAddress(api.apiId, 'access') : undefined,
      address: ({ api, client }) => decisionAddress(api.apiId, decision, client.clientId),
      read: () => ({}),
      proof: true,
      async act({ request, about: { api, client } }) {
        const access = { apiId: api.apiId, clientId: client.clientId };
        const to = `${apiAddress(api.apiId, 'access')}?done=${decision}`;
        if (!(await does(database, ownerOf(request), access, parts.now()))) return to;
        return { to, notice, subject: calledName(client) };
      },
      page: ({ about: { api, client } }) => ({
        title: (messages) => messages.apiAccess[decision].title(calledName(client)),
        main: (form) => decisionView({ ...form, api, client, decision }),
      }),
    });
  }

  /** @throws OAuthError `not_found` when the API is not the person's own, or there is no such application */
  async function decidedClient(request: FastifyRequest): Promise<{ api: OwnApi; client: DecidedClient }> {
    const api = await ownApi(request, parts);
    const clientId = queryOf(request).get('client_id') ?? '';
    const client = await findDecidedClient(database, api.apiId, clientId);
    if (client === undefined) throw notFound();
    return { api, client };
  }
}
