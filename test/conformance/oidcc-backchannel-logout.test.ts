// The Back-Channel Logout OP plan of the OpenID Foundation.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { deliverDue } from '../../src/background/backchannel-logout.ts';
import { OFF_SLOT } from '../support/off-slot.ts';
import { startTestService } from '../support/service.ts';
import { expectHttps, publishedInProduction } from './in-production.ts';
import { BACK, openLogoutParty } from './logout.ts';
import { discover } from './relying-party.ts';

const received: { method: string | undefined; type: string | undefined; form: URLSearchParams }[] = [];
const service = await startTestService({ BACKCHANNEL_ALLOW: '127.0.0.1' });
const receiver = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { method, headers } = request;
  received.push({ method, type: headers['content-type'], form: new URLSearchParams(body) });
  response.writeHead(200, { 'cache-control': 'no-store' }).end();
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
afterAll(async () => {
  receiver.close();
  await service.close();
});

describe('oidcc-backchannel-rp-initiated-logout-certification-test-plan', () => {
  test('oidcc-backchannel-logout-discovery-endpoint-verification', async () => {
    const { discovery, issuer } = await publishedInProduction();
    expectHttps(discovery);
    expect(discovery).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      end_session_endpoint: `${issuer}/oauth/logout`,
    });
  });

  test('oidcc-backchannel-rp-initiated-logout', async () => {
    const { port } = receiver.address() as AddressInfo;
    const rp = await openLogoutParty(service, `http://127.0.0.1:${port}/backchannel_logout`);
    expect((await rp.logOut(rp.whole())).location?.href).toBe(`${BACK}?state=${rp.state}`);
    await deliverDue(service.parts, OFF_SLOT);

    expect(received).toHaveLength(1);
    const [{ method, type, form } = { method: '', type: '', form: new URLSearchParams() }] = received;
    expect([method, type]).toEqual(['POST', 'application/x-www-form-urlencoded']);
    expect([...form.keys()]).toEqual(['logout_token']);

    const { jwks_uri: address, issuer } = await discover(service);
    const keys = createRemoteJWKSet(new URL(String(address)));
    const { payload } = await jwtVerify(form.get('logout_token') ?? '', keys, {
      issuer: String(issuer),
      audience: rp.application.clientId,
      algorithms: ['RS256'], // the algorithm of its id_tokens (Back-Channel Logout §2.4)
      typ: 'logout+jwt',
      requiredClaims: ['iat', 'jti', 'exp'],
    });
    const { sub, sid } = rp.signedIn.claims;
    expect(payload).toMatchObject({ sub, sid });
    expect(payload.events).toEqual({ 'http://schemas.openid.net/event/backchannel-logout': {} });
    expect(payload).not.toHaveProperty('nonce');
    expect(await rp.isSignedIn()).toBe(false);
  });
});
