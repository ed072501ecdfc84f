// The secrets of APIs, as the pages of secrets know them.
import { API_SECRETS } from '../../../apis/credentials.ts';
import type { Parts } from '../../../http/parts.ts';
import type { SecretSection } from '../holding.ts';
import { APIS, apiAddress, apiWay } from './frame-view.ts';
import { ownApi } from './own.ts';

export const apiSecrets = (parts: Parts): SecretSection => ({
  url: `${APIS}/:api_id/secrets`,
  holder: API_SECRETS,
  notices: { created: 'api_secret_created', ended: 'api_secret_ended' },
  async find(request) {
    const api = await ownApi(request, parts);
    const { apiId, name } = api;
    return {
      id: apiId,
      name,
      address: (below) => apiAddress(apiId, below),
      way: (messages, part) => apiWay(messages, api, part),
      words: ({ applications, apis }) => ({
        secrets: { ...applications.secrets, ...apis.secrets },
        created: { ...applications.created, ...apis.created },
      }),
      elements: { id: 'api-id', secret: 'api-secret' },
      registeredWithSecret: false,
    };
  },
});
