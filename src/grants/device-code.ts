// grant_type=urn:ietf:params:oauth:grant-type:device_code: a device polls until its user has decided (RFC 8628 §3.4).
import { audienceOf } from '../oauth/api.ts';
import { acrOf } from '../oauth/authentication-methods.ts';
import { accepted, notAccepted } from '../oauth/client-authentication.ts';
import { deviceCodeKey, grantIdOf } from '../oauth/device-code.ts';
import { invalidGrant, OAuthError } from '../oauth/errors.ts';
import { dataScopes } from '../oauth/scopes.ts';
import { pollDeviceRequest } from '../store/device-requests.ts';
import { redeemDeviceCode } from '../store/grants.ts';
import {
  type GrantServices,
  issueTokens,
  type Refusals,
  type TokenRequest,
  type TokenResponse,
} from './issue.ts';

/** Redeems a device code, once its user has allowed it. @throws OAuthError for every refusal, and while the device waits */
export async function redeemDevice(services: GrantServices, request: TokenRequest): Promise<TokenResponse> {
  const { form, credentials, now } = request;
  audienceOf(form.all('resource'), { scopes: [] }); // refuses every resource
  const key = deviceCodeKey(form.get('device_code') ?? '');
  const polled = await pollDeviceRequest(services.database, { credentials, ...key, now });
  if (polled === 'unauthenticated') throw notAccepted(credentials);
  if (typeof polled === 'string') throw ANSWERS[polled].from(accepted(credentials));

  const { userId, sid, epoch, methods, scopes } = polled;
  const authTime = Math.floor(polled.authTime.getTime() / 1000);
  const shown = { authTime, methods, acr: acrOf(methods) };
  const ticket = { grantId: grantIdOf(key), generation: 0, userId, sid, ...shown, scopes };
  return issueTokens(services, request, {
    ticket,
    scopes,
    decide: (token) =>
      redeemDeviceCode(
        services.database,
        { ...ticket, epoch, consented: dataScopes(scopes), now, credentials },
        token,
      ),
    withIdToken: () => true,
    nonce: undefined,
    refusals: REFUSALS,
  });
}

const UNKNOWN = 'The device_code is unknown, or was used already.';

/** The answers while the device has to keep polling, or may stop (§3.5). */
const ANSWERS = {
  waiting: new OAuthError(400, 'authorization_pending', 'Nobody has let this device in yet.', {
    kind: 'device_waiting',
  }),
  tooFast: new OAuthError(400, 'slow_down', 'The device asks too often: wait 5 seconds longer each time.', {
    kind: 'device_too_fast',
  }),
  denied: new OAuthError(400, 'access_denied', 'The person refused the authorization.', {
    kind: 'person_refused',
  }),
  expired: new OAuthError(400, 'expired_token', 'The device_code has expired: ask for a new one.', {
    kind: 'device_code_expired',
  }),
  unknown: invalidGrant(UNKNOWN, { kind: 'device_code_unknown' }),
};

const REFUSALS: Refusals = {
  reused: [UNKNOWN, { kind: 'device_code_unknown' }],
  gone: [
    'The device_code was just used, or what the person agreed to was withdrawn meanwhile.',
    { kind: 'access_ended' },
  ],
};
