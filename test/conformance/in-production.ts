// What the service publishes where it runs for real: behind a proxy, under https (D26, D27).
import { expect } from 'vitest';
import { httpRequest } from '../support/http-request.ts';
import { startTestService } from '../support/service.ts';

const ISSUER = 'https://signin.example.com';

/** A document as the world sees it. */
export interface Published {
  issuer: string;
  type: string;
  discovery: Record<string, unknown>;
  keys: Record<string, unknown>[];
}

/** Discovery and keys of a service in production. */
export async function publishedInProduction(): Promise<Published> {
  const environment = { NODE_ENV: 'production', BASE_URL: ISSUER, TRUSTED_PROXIES: '127.0.0.1,::1' };
  const service = await startTestService(environment);
  try {
    const get = (path: string) =>
      httpRequest(service.parts.config.port, path, { headers: { 'x-forwarded-proto': 'https' } });
    const answer = await get('/.well-known/openid-configuration');
    expect(answer.status).toBe(200);
    const discovery = JSON.parse(answer.text);
    const { pathname } = new URL(discovery.jwks_uri);
    const { keys } = JSON.parse((await get(pathname)).text);
    return { issuer: ISSUER, type: String(answer.headers['content-type']), discovery, keys };
  } finally {
    await service.close();
  }
}

/** CheckDiscEndpointAllEndpointsAreHttps: every address in it is of the issuer, by https. */
export function expectHttps(discovery: Record<string, unknown>): void {
  const addresses = Object.entries(discovery).filter(([member]) => /_endpoint$|_uri$/.test(member));
  expect(addresses.length).toBeGreaterThan(4);
  for (const [member, address] of addresses)
    expect(String(address).startsWith(`${ISSUER}/`), member).toBe(true);
}
