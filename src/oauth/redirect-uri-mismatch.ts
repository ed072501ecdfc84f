// Explains how a redirect URI differs from the registered ones.

import { redactUrl } from './redaction.ts';
import type { RefusalReason, UriDifference } from './refusal-reason.ts';

/** Splits a URI without normalizing it (RFC 3986 appendix B). */
function splitUri(uri: string): [scheme: string, host: string, port: string, path: string, query: string] {
  const [, scheme = '', authority = '', path = '', query = ''] =
    /^([a-z][a-z0-9+.-]*:(?:\/\/(?=[^/?#]))?)?((?<=\/\/)[^/?#]*)?([^?#]*)([\s\S]*)$/i.exec(uri) ?? [];
  const [, host = '', port = ''] = /^((?:[\s\S]*@)?(?:\[[^\]]*\]|[^:]*))([\s\S]*)$/.exec(authority) ?? [];
  return [scheme, host, port, path, query];
}

/** The list is empty only if the URIs are identical. */
export function compareUris(sent: string, registered: string): UriDifference[] {
  const [sentParts, registeredParts] = [splitUri(sent), splitUri(registered)];
  const kinds = ['scheme', 'host', 'port', 'path', 'query'] as const;
  return kinds.flatMap((kind, index) => {
    const [sentPart = '', registeredPart = ''] = [sentParts[index], registeredParts[index]];
    if (sentPart === registeredPart) return [];
    const differsInSlash =
      kind === 'path' && (sentPart === `${registeredPart}/` || `${sentPart}/` === registeredPart);
    return [{ kind: differsInSlash ? 'trailing_slash' : kind, sent: sentPart, registered: registeredPart }];
  });
}

export function findNearestRedirectUri(
  sent: string,
  registered: readonly string[],
): { nearest: string; differences: UriDifference[] } | undefined {
  const candidates = registered.map((uri) => {
    const differences = compareUris(sent, uri);
    // A wrong host is the least likely mistake, followed by a wrong path.
    const weights = differences.map(({ kind }) => (kind === 'host' ? 4 : kind === 'path' ? 2 : 1));
    return { nearest: uri, differences, weight: weights.reduce<number>((sum, weight) => sum + weight, 0) };
  });
  const [nearest] = candidates.sort((a, b) => a.weight - b.weight);
  return nearest && { nearest: nearest.nearest, differences: nearest.differences };
}

export const explainUnregisteredRedirectUri = (
  sent: string,
  registered: readonly string[],
): RefusalReason => {
  const redacted = redactUrl(sent);
  return {
    kind: 'redirect_uri_unregistered',
    sent: redacted,
    ...findNearestRedirectUri(redacted, registered),
  };
};
