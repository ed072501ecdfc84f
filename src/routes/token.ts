// POST /oauth/token (RFC 6749 §3.2): issues tokens for every grant type.
import type { FastifyInstance } from 'fastify';
import { handleTokenRequest, listRequiredParameters } from '../grants/index.ts';
import { recordTokenRequest } from '../http/diagnostics.ts';
import { registerOAuthEndpoint } from '../http/oauth-endpoint.ts';
import type { Services } from '../http/services.ts';
import type { ClientActivityKind } from '../store/activity.ts';

/** client_credentials requests aren't counted. */
const ACTIVITY_KINDS: Readonly<Record<string, ClientActivityKind>> = {
  authorization_code: 'signed_in',
  'urn:ietf:params:oauth:grant-type:device_code': 'signed_in',
  refresh_token: 'refreshed',
};

export function tokenRoute(app: FastifyInstance, services: Services): void {
  registerOAuthEndpoint(app, services, '/oauth/token', {
    diagnostics: 'token',
    cors: true,
    required: listRequiredParameters,
    authentication: 'within',
    handle: async ({ request, form, credentials, now }) => {
      const response = await handleTokenRequest(services, { form, credentials, now });
      recordTokenRequest(request, services);
      const kind = ACTIVITY_KINDS[form.get('grant_type') ?? ''];
      if (kind !== undefined) services.activity.countClientEvent(credentials.clientId, kind, now);
      return response;
    },
  });
}
