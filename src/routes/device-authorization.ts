// POST /oauth/device_authorization (RFC 8628 §3.1): a device without a browser asks to be let in.
import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { credentialsOf } from '../grants/credentials.ts';
import { noteIgnoredWords } from '../http/diagnostics.ts';
import { formOf, requireForm } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { accepted, notAccepted, type PresentedCredentials } from '../oauth/client-authentication.ts';
import { deviceCodeDigest } from '../oauth/digests.ts';
import {
  invalidTarget,
  OAuthError,
  parameterMissing,
  serverError,
  unauthorizedClient,
} from '../oauth/errors.ts';
import { faultOf } from '../oauth/parameters.ts';
import { type GrantedScope, requestedScopes, SCOPES } from '../oauth/scopes.ts';
import { newUserCode } from '../oauth/user-code.ts';
import { authenticateClient } from '../store/clients.ts';
import { insertDeviceRequest } from '../store/device-requests.ts';

/** How long the person has, in seconds, and how long the device waits between two questions. */
const LIFETIME = 900;
const INTERVAL = 5;

export function deviceAuthorizationRoute(app: FastifyInstance, parts: Parts): void {
  const { baseUrl } = parts.config;
  app.post('/oauth/device_authorization', { preHandler: requireForm }, async (request, reply) => {
    const form = formOf(request);
    const fault = faultOf(form);
    if (fault !== undefined) throw fault;
    const scope = form.get('scope');
    if (scope === undefined) throw parameterMissing('scope');
    const credentials = await credentialsOf(
      parts,
      parts.config.baseUrl,
      form,
      request.headers.authorization,
      parts.now(),
    );
    const scopes =
      form.all('resource').length === 0
        ? requestedScopes(scope, SCOPES)
        : invalidTarget('A device cannot name a resource: its tokens are for this service itself.', {
            kind: 'resource_of_device',
          }); // RFC 8707 §2
    if (scopes instanceof OAuthError) {
      if (!(await authenticateClient(parts.database, credentials, parts.now())))
        throw notAccepted(credentials);
      throw scopes.from(accepted(credentials));
    }
    const { deviceCode, userCode } = await askFor(parts, credentials, scopes);
    noteIgnoredWords(request, { clientId: credentials.clientId, scopes }, scope, parts);
    parts.usage.secretUsed(credentials.clientId, credentials.proof, parts.now());
    return reply
      .header('pragma', 'no-cache')
      .type('application/json; charset=utf-8')
      .send(
        JSON.stringify({
          device_code: deviceCode,
          user_code: userCode,
          verification_uri: `${baseUrl}/device`,
          verification_uri_complete: `${baseUrl}/device?user_code=${userCode}`,
          expires_in: LIFETIME,
          interval: INTERVAL,
        }),
      );
  });
}

async function askFor(
  { database, sealer, now }: Parts,
  credentials: PresentedCredentials,
  scopes: GrantedScope[],
) {
  const deviceCode = `sesame_dc_${randomBytes(32).toString('base64url')}`;
  // Two devices that wait at the same time may have drawn the same short code.
  for (let tries = 0; tries < 5; tries += 1) {
    const userCode = newUserCode();
    const moment = now();
    const outcome = await insertDeviceRequest(database, {
      credentials,
      deviceCodeHash: deviceCodeDigest(deviceCode),
      userCodeMac: sealer.mac('user-code', userCode),
      scopes,
      now: moment,
      expiresAt: new Date(moment.getTime() + LIFETIME * 1000),
      interval: INTERVAL,
    });
    if (outcome === 'unauthenticated') throw notAccepted(credentials);
    if (outcome === 'notAllowed')
      throw unauthorizedClient('This application may not let devices in: its owner has to switch that on.', {
        kind: 'device_off',
      }).from(accepted(credentials));
    if (typeof outcome === 'object')
      throw refusedScope(scopes, outcome.registered).from(accepted(credentials));
    if (outcome === 'inserted') return { deviceCode, userCode };
  }
  throw serverError('no short code was free');
}

/** The statement found a scope that was not chosen at registration. */
function refusedScope(scopes: readonly GrantedScope[], registered: readonly string[]): OAuthError {
  const refusal = requestedScopes(scopes.join(' '), registered);
  return refusal instanceof OAuthError ? refusal : serverError('the scopes were changed meanwhile');
}
