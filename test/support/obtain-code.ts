// An authorization code that nobody has redeemed yet.
import { challengeOf } from '../../src/oauth/pkce.ts';
import type { BrowserSession } from './browser-session.ts';
import { authorize, newVerifier } from './flow.ts';
import type { TestApplication, TestService } from './service.ts';

/** Goes through the authorization without PKCE and gives the code. */
export async function obtainCode(
  service: TestService,
  application: TestApplication,
  browser: BrowserSession,
  parameters: Record<string, string | undefined> = {},
): Promise<string> {
  const callback = await authorize(service, application, browser, parameters);
  return callback.searchParams.get('code') ?? '';
}

/** The same with PKCE; the verifier belongs to the code. */
export async function obtainCodeWithPkce(
  service: TestService,
  application: TestApplication,
  browser: BrowserSession,
  parameters: Record<string, string | undefined> = {},
): Promise<{ code: string; verifier: string }> {
  const verifier = newVerifier();
  const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' };
  return { code: await obtainCode(service, application, browser, { ...parameters, ...pkce }), verifier };
}
