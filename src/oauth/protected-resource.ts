// What a protected resource says of itself (RFC 9728): where, and how it names that when it refuses somebody.

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Where the metadata of a resource is served: its path comes after the well-known one, but for a slash right after the origin (§3.1). */
export function metadataAddressOf(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${WELL_KNOWN}${pathname === '/' ? '' : pathname}`;
}

export interface ProtectedResource {
  resource: string;
  authorization_servers: string[];
  scopes_supported?: string[];
  bearer_methods_supported: ['header'];
}

/** The document that an API has to serve. */
export const protectedResource = (
  identifier: string,
  issuer: string,
  scopes: readonly string[],
): ProtectedResource => ({
  resource: identifier,
  authorization_servers: [issuer],
  ...(scopes.length > 0 && { scopes_supported: [...scopes] }),
  bearer_methods_supported: ['header'],
});

/** What follows `Bearer` and the error in a challenge (§5.1, RFC 6750 §3). */
export const challengeOf = (identifier: string, scopes: readonly string[]): string =>
  [
    `resource_metadata="${metadataAddressOf(identifier)}"`,
    ...(scopes.length > 0 ? [`scope="${scopes.join(' ')}"`] : []),
  ].join(', ');
