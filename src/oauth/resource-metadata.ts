// Builds protected resource metadata (RFC 9728) and the bearer challenges that refer to it.

const WELL_KNOWN_PATH = '/.well-known/oauth-protected-resource';

/** The well-known path precedes the resource's path (RFC 9728 §3.1). */
export function buildMetadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${WELL_KNOWN_PATH}${pathname === '/' ? '' : pathname}`;
}

export interface ResourceMetadata {
  resource: string;
  authorization_servers: string[];
  scopes_supported?: string[];
  bearer_methods_supported: ['header'];
}

export const buildResourceMetadata = (
  identifier: string,
  issuer: string,
  scopes: readonly string[],
): ResourceMetadata => ({
  resource: identifier,
  authorization_servers: [issuer],
  ...(scopes.length > 0 && { scopes_supported: [...scopes] }),
  bearer_methods_supported: ['header'],
});

/** The challenge has no error code (RFC 9728 §5.1, RFC 6750 §3). */
export const buildBearerChallenge = (identifier: string, scopes: readonly string[]): string =>
  [
    `resource_metadata="${buildMetadataUrl(identifier)}"`,
    ...(scopes.length > 0 ? [`scope="${scopes.join(' ')}"`] : []),
  ].join(', ');
