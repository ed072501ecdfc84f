// grant_type=urn:ietf:params:oauth:grant-type:device_code: device polling (RFC 8628 §3.4).
import { resolveAudience } from '../oauth/api.ts';
import { selectAcr } from '../oauth/authentication-methods.ts';
import { authenticatedClient, clientAuthenticationError } from '../oauth/client-authentication.ts';
import { deriveGrantId, parseDeviceCode } from '../oauth/device-code.ts';
import { invalidGrant, OAuthError } from '../oauth/errors.ts';
import { removeOfflineAccess } from '../oauth/scopes.ts';
import { pollDeviceRequest } from '../store/device-requests.ts';
import { redeemDeviceCode } from '../store/grants.ts';
import {
  type GrantServices,
  type InvalidGrantErrors,
  issueTokens,
  type TokenRequest,
  type TokenResponse,
} from './issue-tokens.ts';

export async function exchangeDeviceCode(
  services: GrantServices,
  request: TokenRequest,
): Promise<TokenResponse> {
  const { form, credentials, now } = request;
  // Reject every resource because device codes aren't issued for APIs.
  resolveAudience(form.getAll('resource'), { scopes: [] });
  const key = parseDeviceCode(form.get('device_code') ?? '');
  const polled = await pollDeviceRequest(services.database, { credentials, ...key, now });
  if (polled === 'unauthenticated') throw clientAuthenticationError(credentials);
  if (typeof polled === 'string') throw POLL_ERRORS[polled].withDiagnostics(authenticatedClient(credentials));

  const { userId, sid, epoch, methods, scopes } = polled;
  const authTime = Math.floor(polled.authTime.getTime() / 1000);
  const authentication = { authTime, methods, acr: selectAcr(methods) };
  const payload = { grantId: deriveGrantId(key), rotation: 0, userId, sid, ...authentication, scopes };
  return issueTokens(services, request, {
    payload,
    scopes,
    decide: (token) =>
      redeemDeviceCode(
        services.database,
        { ...payload, epoch, consented: removeOfflineAccess(scopes), now, credentials },
        token,
      ),
    includesIdToken: () => true,
    nonce: undefined,
    invalidGrantErrors: INVALID_GRANT_ERRORS,
  });
}

const UNKNOWN_DEVICE_CODE = 'The device_code is unknown or was already used.';

const POLL_ERRORS = {
  waiting: new OAuthError(400, 'authorization_pending', 'The user has not authorized this device yet.', {
    kind: 'device_authorization_pending',
  }),
  tooFast: new OAuthError(
    400,
    'slow_down',
    'The device is polling too often. Increase the interval by 5 seconds.',
    {
      kind: 'device_polls_too_fast',
    },
  ),
  denied: new OAuthError(400, 'access_denied', 'The user denied the authorization request.', {
    kind: 'user_denied',
  }),
  expired: new OAuthError(400, 'expired_token', 'The device_code has expired. Request a new one.', {
    kind: 'device_code_expired',
  }),
  unknown: invalidGrant(UNKNOWN_DEVICE_CODE, { kind: 'device_code_unknown' }),
};

const INVALID_GRANT_ERRORS: InvalidGrantErrors = {
  reused: [UNKNOWN_DEVICE_CODE, { kind: 'device_code_unknown' }],
  notFound: ['The device_code was already used, or the consent was revoked.', { kind: 'access_ended' }],
};
