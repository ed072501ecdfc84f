// POST /oauth/device_authorization (RFC 8628 §3.1): a device without a browser asks to be let in.
import type { FastifyInstance } from 'fastify';
import { noteIgnoredWords } from '../http/diagnostics.ts';
import { oauthEndpoint } from '../http/oauth-endpoint.ts';
import type { Parts } from '../http/parts.ts';
import { addressOf } from '../http/rate-limit.ts';
import { notAccepted, type PresentedCredentials } from '../oauth/client-authentication.ts';
import { newDeviceCode } from '../oauth/device-code.ts';
import { deviceCodeDigest } from '../oauth/digests.ts';
import { invalidTarget, serverError, unauthorizedClient } from '../oauth/errors.ts';
import { DEVICE_CODE, DEVICE_POLL } from '../oauth/lifetimes.ts';
import { type GrantedScope, requestedScopes, SCOPES } from '../oauth/scopes.ts';
import { newUserCode } from '../oauth/typed-code.ts';
import { insertDeviceRequest } from '../store/device-requests.ts';

export function deviceAuthorizationRoute(app: FastifyInstance, parts: Parts): void {
  const { baseUrl } = parts.config;
  oauthEndpoint(app, parts, '/oauth/device_authorization', {
    diagnostics: 'device',
    required: () => ['scope'],
    authentication: 'within',
    answer: async ({ request, form, required: { scope }, credentials, now }) => {
      // RFC 8707 §2
      if (form.all('resource').length > 0)
        throw invalidTarget('A device cannot name a resource: its tokens are for this service itself.', {
          kind: 'resource_of_device',
        });
      const scopes = requestedScopes(scope, SCOPES);
      const { deviceCode, userCode } = await askFor(
        parts,
        { credentials, scopes, requestedFrom: addressOf(request) },
        now,
      );
      noteIgnoredWords(request, { clientId: credentials.clientId, scopes, apis: [] }, scope, parts);
      return {
        device_code: deviceCode,
        user_code: userCode,
        verification_uri: `${baseUrl}/device`,
        verification_uri_complete: `${baseUrl}/device?user_code=${userCode}`,
        expires_in: DEVICE_CODE,
        interval: DEVICE_POLL,
      };
    },
  });
}

async function askFor(
  { database, sealer }: Parts,
  request: { credentials: PresentedCredentials; scopes: GrantedScope[]; requestedFrom: string },
  now: Date,
) {
  const { credentials, scopes } = request;
  // Two devices that wait at the same time may have drawn the same short code.
  for (let tries = 0; tries < 5; tries += 1) {
    const userCode = newUserCode();
    const userCodeMac = sealer.mac('user-code', userCode);
    const deviceCode = newDeviceCode(userCodeMac);
    const outcome = await insertDeviceRequest(database, {
      ...request,
      deviceCodeHash: deviceCodeDigest(deviceCode),
      userCodeMac,
      now,
      expiresAt: new Date(now.getTime() + DEVICE_CODE * 1000),
      interval: DEVICE_POLL,
    });
    if (outcome === 'unauthenticated') throw notAccepted(credentials);
    if (outcome === 'notAllowed')
      throw unauthorizedClient('This application may not let devices in: its owner has to switch that on.', {
        kind: 'device_off',
      });
    // The statement found a scope that was not chosen at registration.
    if (typeof outcome === 'object') requestedScopes(scopes.join(' '), outcome.registered);
    if (outcome === 'inserted') return { deviceCode, userCode };
  }
  throw serverError('no short code was free');
}
