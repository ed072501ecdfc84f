// Sign-in with GitHub, which supports OAuth 2.0 but not OpenID Connect.
import type { Configuration, ServerMetadata } from 'openid-client';
import type { IdentityProvider } from '../oauth/identity-provider.ts';
import { parseJson } from '../oauth/parse-json.ts';
import type { ProviderClaims } from './profile.ts';
import { ProviderError } from './provider-error.ts';

const GITHUB_ISSUER = 'https://github.com';

/**
 * @param issuer `https://github.com`, or the URL of GitHub Enterprise Server. Identities are stored with this
 *   issuer, although GitHub's `iss` differs (RFC 9207).
 */
export const buildGitHubMetadata = (issuer: string): ServerMetadata => ({
  issuer: `${issuer}/login/oauth`,
  authorization_endpoint: `${issuer}/login/oauth/authorize`,
  token_endpoint: `${issuer}/login/oauth/access_token`,
});

const buildApiUrl = (issuer: string, path: string): URL =>
  new URL(issuer === GITHUB_ISSUER ? `https://api.github.com${path}` : `${issuer}/api/v3${path}`);

interface GitHubEmail {
  email?: unknown;
  primary?: unknown;
  verified?: unknown;
}

/**
 * Reads the user's profile as standard claims. The subject is the numeric ID because logins can be renamed and
 * reused.
 * @throws ProviderError
 */
export async function readGitHubProfile(
  { issuer }: IdentityProvider,
  configuration: Configuration,
  accessToken: string,
): Promise<ProviderClaims & { sub: string }> {
  const { fetchProtectedResource } = await import('openid-client');
  const fetchJson = async (path: string): Promise<unknown> => {
    const headers = new Headers({ accept: 'application/vnd.github+json' });
    const url = buildApiUrl(issuer, path);
    const response = await fetchProtectedResource(configuration, accessToken, url, 'GET', undefined, headers);
    if (response.status !== 200) throw new ProviderError('profile', `status ${response.status}`);
    return parseJson(await response.text());
  };
  const user = (await fetchJson('/user')) as {
    id?: unknown;
    name?: unknown;
    login?: unknown;
    avatar_url?: unknown;
  } | null;
  if (!Number.isSafeInteger(user?.id)) throw new ProviderError('profile', 'id missing');
  const emails = await fetchJson('/user/emails');
  const primary = (Array.isArray(emails) ? (emails as (GitHubEmail | null)[]) : []).find(
    (entry) => entry?.primary === true && entry.verified === true,
  );
  return {
    sub: String(user?.id),
    name: user?.name ?? user?.login,
    picture: user?.avatar_url,
    email: primary?.email,
    email_verified: primary !== undefined,
  };
}
