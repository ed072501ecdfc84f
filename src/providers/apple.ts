// Creates the client secret for Sign in with Apple: a JWT signed with the team's private key.
import { importPKCS8, SignJWT } from 'jose';
import type { IdentityProvider } from '../oauth/identity-provider.ts';
import { isObject, parseJsonObject } from '../oauth/parse-json.ts';
import { ProviderError } from './provider-error.ts';

/** Seconds. Apple accepts at most six months. */
const APPLE_SECRET_TTL = 24 * 3600;

/** @throws ProviderError if the key is malformed */
export async function createAppleSecret(
  { issuer, clientId, options: { teamId = '', keyId = '' } }: IdentityProvider,
  privateKey: string,
  now: Date,
): Promise<string> {
  const key = await importPKCS8(privateKey, 'ES256').catch(() => {
    throw new ProviderError('token', 'secret_malformed');
  });
  const issuedAt = Math.floor(now.getTime() / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: keyId })
    .setIssuer(teamId)
    .setSubject(clientId)
    .setAudience(issuer)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + APPLE_SECRET_TTL)
    .sign(key);
}

/**
 * Reads the name from the parameter `user`, which Apple sends only at the first sign-in. The parameter isn't signed,
 * so the name is only a suggestion.
 */
export function readAppleName(user: string | null): string | undefined {
  const { name } = parseJsonObject(user ?? '') ?? {};
  if (!isObject(name)) return undefined;
  return [name.firstName, name.lastName].filter((part) => typeof part === 'string').join(' ');
}
