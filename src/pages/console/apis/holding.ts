// The secrets of APIs, as the pages of secrets know them.
import type { Parts } from '../../../http/parts.ts';
import { APIS, apiAddress, way } from '../frame-view.ts';
import type { SecretSection } from '../holding.ts';
import { ownApi } from '../sections.ts';

export const apiSecrets = (parts: Parts): SecretSection => ({
  url: `${APIS}/:api_id/secrets`,
  kind: 'api',
  notices: { created: 'api_secret_created', ended: 'api_secret_ended' },
  async find(request) {
    const api = await ownApi(request, parts);
    const { apiId, name } = api;
    return {
      id: apiId,
      name,
      address: (below) => apiAddress(apiId, below),
      way: (messages, part) => way(messages, api, part),
      words: ({ applications, apis }) => ({
        secrets: { ...applications.secrets, ...apis.secrets },
        created: { ...applications.created, ...apis.created },
      }),
      elements: { id: 'api-id', secret: 'api-secret' },
      registeredWithSecret: false,
    };
  },
});
