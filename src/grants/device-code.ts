// grant_type=urn:ietf:params:oauth:grant-type:device_code: a device asks until somebody has let it in (RFC 8628 §3.4).
import { randomUUID } from 'node:crypto';
import { audienceOf } from '../oauth/api.ts';
import { acrOf } from '../oauth/authentication-methods.ts';
import { accepted } from '../oauth/client-authentication.ts';
import { deviceCodeDigest } from '../oauth/digests.ts';
import { invalidGrant, OAuthError } from '../oauth/errors.ts';
import { pollDeviceRequest } from '../store/device-requests.ts';
import { redeemDeviceCode } from '../store/grants.ts';
import type { Grant, Run } from './grant.ts';
import { issueTokens } from './issue.ts';

/** What the device is told while it has to go on asking, or may stop (§3.5). */
const ANSWERS = {
  waiting: () =>
    new OAuthError(400, 'authorization_pending', 'Nobody has let this device in yet.', {
      kind: 'device_waiting',
    }),
  tooFast: () =>
    new OAuthError(400, 'slow_down', 'The device asks too often: wait 5 seconds longer each time.', {
      kind: 'device_too_fast',
    }),
  denied: () =>
    new OAuthError(400, 'access_denied', 'The person refused the authorization.', { kind: 'person_refused' }),
  expired: () =>
    new OAuthError(400, 'expired_token', 'The device_code has expired: ask for a new one.', {
      kind: 'device_code_expired',
    }),
  unknown: () =>
    invalidGrant('The device_code is unknown, or was used already.', { kind: 'device_code_unknown' }),
};

export const deviceCode: Grant = {
  required: ['device_code'],

  prepare(form) {
    const refusal = audienceOf(form.all('resource'), { scopes: [] });
    if (refusal instanceof OAuthError) return refusal;
    const deviceCodeHash = deviceCodeDigest(form.get('device_code') ?? '');
    const run: Run = async (parts, credentials, now) => {
      const polled = await pollDeviceRequest(parts.database, {
        credentials,
        deviceCodeHash,
        now,
      });
      if (polled === 'unauthenticated') return polled;
      if (typeof polled === 'string') throw ANSWERS[polled]().from(accepted(credentials));

      const { userId, sid, methods, scopes } = polled;
      const authTime = Math.floor(polled.authTime.getTime() / 1000);
      const shown = { authTime, methods, acr: acrOf(methods) };
      const ticket = { grantId: randomUUID(), generation: 0, userId, sid, ...shown, scopes };
      const redemption = { ...ticket, now, credentials, deviceCodeHash };
      return issueTokens(
        parts,
        {
          credentials,
          ticket,
          scopes,
          decide: (token) => redeemDeviceCode(parts.database, redemption, token),
          withIdToken: () => true,
          nonce: undefined,
        },
        now,
      );
    };
    return { run };
  },

  refusals: {
    gone: [
      'The device_code was just used, or what the person agreed to was withdrawn meanwhile.',
      { kind: 'access_ended' },
    ],
  },
};
