// POST /oauth/token (RFC 6749 §3.2): exchange of a code, renewal.
import type { FastifyInstance } from 'fastify';
import { exchange, requiredParameters } from '../grants/index.ts';
import { noteTokenRequest } from '../http/diagnostics.ts';
import { oauthEndpoint } from '../http/oauth-endpoint.ts';
import type { Parts } from '../http/parts.ts';
import type { ClientKind } from '../store/activity.ts';

/** What a grant counts as: all but what an application asks for on its own account. */
const COUNTED: Readonly<Record<string, ClientKind>> = {
  authorization_code: 'signed_in',
  'urn:ietf:params:oauth:grant-type:device_code': 'signed_in',
  refresh_token: 'renewed',
};

export function tokenRoute(app: FastifyInstance, parts: Parts): void {
  oauthEndpoint(app, parts, '/oauth/token', {
    diagnostics: 'token',
    cors: true,
    required: requiredParameters,
    authentication: 'within',
    answer: async ({ request, form, credentials, now }) => {
      const response = await exchange(parts, { form, credentials, now });
      noteTokenRequest(request, parts);
      const kind = COUNTED[form.get('grant_type') ?? ''];
      if (kind !== undefined) parts.activity.happenedTo(credentials.clientId, kind, now);
      return response;
    },
  });
}
