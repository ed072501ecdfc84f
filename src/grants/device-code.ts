// grant_type=urn:ietf:params:oauth:grant-type:device_code: a device asks until somebody has let it in (RFC 8628 §3.4).
import { randomUUID } from 'node:crypto';
import { deviceCodeDigest } from '../oauth/digests.ts';
import { invalidGrant, OAuthError } from '../oauth/errors.ts';
import { narrowedResources } from '../oauth/scopes.ts';
import { pollDeviceRequest } from '../store/device-requests.ts';
import { redeemDeviceCode } from '../store/grants.ts';
import type { Grant } from './index.ts';
import { issueTokens } from './issue.ts';

/** What the device is told while it has to go on asking, or may stop (§3.5). */
const ANSWERS = {
  waiting: new OAuthError(400, 'authorization_pending', 'Nobody has let this device in yet.'),
  tooFast: new OAuthError(400, 'slow_down', 'The device asks too often: wait 5 seconds longer each time.'),
  denied: new OAuthError(400, 'access_denied', 'The person refused the authorization.'),
  expired: new OAuthError(400, 'expired_token', 'The device_code has expired: ask for a new one.'),
};

export const deviceCode: Grant = {
  required: ['device_code'],

  prepare(form) {
    const refusal = narrowedResources(form.all('resource'), []);
    if (refusal instanceof OAuthError) return refusal;
    const deviceCodeHash = deviceCodeDigest(form.get('device_code') ?? '');
    return async (parts, credentials, now) => {
      const polled = await pollDeviceRequest(parts.database, {
        credentials,
        deviceCodeHash,
        now,
      });
      if (polled === 'unauthenticated') return polled;
      if (polled === 'unknown') throw invalidGrant('The device_code is unknown, or was used already.');
      if (typeof polled === 'string') throw ANSWERS[polled];

      const { userId, sid, scopes } = polled;
      const authTime = Math.floor(polled.authTime.getTime() / 1000);
      const ticket = { grantId: randomUUID(), generation: 0, userId, sid, authTime, scopes };
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
  },

  refusals: {
    expired: 'The device_code has expired.',
    reused: 'The device_code was already used.',
    gone: 'The device_code was just used, or what the person agreed to was withdrawn meanwhile.',
  },
};
