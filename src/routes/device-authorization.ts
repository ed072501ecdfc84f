// POST /oauth/device_authorization (RFC 8628 §3.1): issues device and user codes.
import type { FastifyInstance } from 'fastify';
import { recordIgnoredScopes } from '../http/diagnostics.ts';
import { registerOAuthEndpoint } from '../http/oauth-endpoint.ts';
import { clientNetwork } from '../http/rate-limit.ts';
import type { Services } from '../http/services.ts';
import { clientAuthenticationError, type PresentedCredentials } from '../oauth/client-authentication.ts';
import { newDeviceCode } from '../oauth/device-code.ts';
import { deviceCodeDigest } from '../oauth/digests.ts';
import { invalidTarget, serverError, unauthorizedClient } from '../oauth/errors.ts';
import { DEVICE_CODE_TTL, DEVICE_POLL_INTERVAL } from '../oauth/lifetimes.ts';
import { type GrantedScope, parseRequestedScopes, SCOPES } from '../oauth/scopes.ts';
import { newUserCode } from '../oauth/user-code.ts';
import { insertDeviceRequest } from '../store/device-requests.ts';

const MAX_CODE_GENERATION_ATTEMPTS = 5;

export function deviceAuthorizationRoute(app: FastifyInstance, services: Services): void {
  const { baseUrl } = services.config;
  registerOAuthEndpoint(app, services, '/oauth/device_authorization', {
    diagnostics: 'device',
    required: () => ['scope'],
    authentication: 'within',
    handle: async ({ request, form, required: { scope }, credentials, now }) => {
      if (form.getAll('resource').length > 0)
        throw invalidTarget(
          'Devices cannot request a resource, because their tokens are valid only at this service.',
          {
            kind: 'device_resource_unsupported',
          },
        );
      const scopes = parseRequestedScopes(scope, SCOPES);
      const { deviceCode, userCode } = await createDeviceRequest(
        services,
        { credentials, scopes, requestedFrom: clientNetwork(request) },
        now,
      );
      recordIgnoredScopes(request, { clientId: credentials.clientId, scopes, apis: [] }, scope, services);
      return {
        device_code: deviceCode,
        user_code: userCode,
        verification_uri: `${baseUrl}/device`,
        verification_uri_complete: `${baseUrl}/device?user_code=${userCode}`,
        expires_in: DEVICE_CODE_TTL,
        interval: DEVICE_POLL_INTERVAL,
      };
    },
  });
}

async function createDeviceRequest(
  { database, sealer }: Services,
  request: { credentials: PresentedCredentials; scopes: GrantedScope[]; requestedFrom: string },
  now: Date,
) {
  const { credentials, scopes } = request;
  // Another pending request may have the same short user code.
  for (let attempt = 0; attempt < MAX_CODE_GENERATION_ATTEMPTS; attempt += 1) {
    const userCode = newUserCode();
    const userCodeMac = sealer.mac('user-code', userCode);
    const deviceCode = newDeviceCode(userCodeMac);
    const outcome = await insertDeviceRequest(database, {
      ...request,
      deviceCodeHash: deviceCodeDigest(deviceCode),
      userCodeMac,
      now,
      expiresAt: new Date(now.getTime() + DEVICE_CODE_TTL * 1000),
      interval: DEVICE_POLL_INTERVAL,
    });
    if (outcome === 'unauthenticated') throw clientAuthenticationError(credentials);
    if (outcome === 'notAllowed')
      throw unauthorizedClient('Device sign-in is disabled for this application. Its owner can enable it.', {
        kind: 'device_flow_disabled',
      });
    // This throws because a requested scope isn't registered.
    if (typeof outcome === 'object') parseRequestedScopes(scopes.join(' '), outcome.registered);
    if (outcome === 'inserted') return { deviceCode, userCode };
  }
  throw serverError('could not generate an unused user code');
}
