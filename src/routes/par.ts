// POST /oauth/par (RFC 9126): an application hands over its authorization request itself, before the browser comes.

import type { FastifyInstance } from 'fastify';
import { noteIgnoredWords } from '../http/diagnostics.ts';
import { oauthEndpoint } from '../http/oauth-endpoint.ts';
import type { Parts } from '../http/parts.ts';
import {
  AuthorizationError,
  type AuthorizationRequest,
  checkAuthorizationRequest,
} from '../oauth/authorization-request.ts';
import { callbackReason } from '../oauth/callback-difference.ts';
import { accepted, notAccepted, type PresentedCredentials } from '../oauth/client-authentication.ts';
import { invalidRequest } from '../oauth/errors.ts';
import { PUSHED_REQUEST } from '../oauth/lifetimes.ts';
import type { Parameters } from '../oauth/parameters.ts';
import { sealPushed } from '../oauth/pending-request.ts';
import { isAgentAddress } from '../oauth/secrets.ts';
import { type AuthorizationFacts, findAuthorizationFacts } from '../store/authorizations.ts';
import { readPushingAgent } from '../web/arriving-agent.ts';

export function parRoute(app: FastifyInstance, parts: Parts): void {
  const { database, sealer } = parts;
  oauthEndpoint(app, parts, '/oauth/par', {
    diagnostics: 'par',
    authentication: 'first',
    status: 201,
    async before(form, request) {
      const clientId = form.get('client_id') ?? '';
      if (isAgentAddress(clientId)) await readPushingAgent(request, parts, clientId);
    },
    answer: async ({ request, form, credentials, now }) => {
      const facts = await findAuthorizationFacts(
        database,
        credentials.clientId,
        undefined,
        now,
        form.all('resource'),
      );
      if (facts === undefined) throw notAccepted(credentials);
      if (form.get('request_uri') !== undefined)
        throw invalidRequest('request_uri cannot be pushed: send the parameters themselves.', {
          kind: 'request_object',
        });
      const pushed = checked(form, facts, credentials);
      noteIgnoredWords(request, pushed, form.get('scope'), parts);
      return { request_uri: sealPushed(sealer, pushed, now), expires_in: PUSHED_REQUEST };
    },
  });
}

/** The same refusals as at the authorize address, told to the application directly (RFC 9126 §2.3). */
function checked(
  form: Parameters,
  { client, apis }: AuthorizationFacts,
  credentials: PresentedCredentials,
): AuthorizationRequest {
  try {
    const request = checkAuthorizationRequest(form, client, { pushed: true, named: apis });
    if (request !== 'unregisteredCallback') return request;
  } catch (error) {
    throw error instanceof AuthorizationError ? error.refusal.from(accepted(credentials)) : error;
  }
  const sent = form.get('redirect_uri');
  throw invalidRequest(
    'redirect_uri is missing, or not one of the callback URLs registered for this application; they are compared character by character.',
    sent === undefined
      ? { kind: 'parameter_missing', parameter: 'redirect_uri' }
      : callbackReason(sent, client.redirectUris),
  ).from(accepted(credentials));
}
