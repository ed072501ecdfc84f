// How a redirect URI that was sent differs from the registered one that was probably meant.

import type { Difference, Reason } from './reason.ts';
import { withoutCredentials } from './shown.ts';

/** The parts of a URI as they were written; joined they are the URI (RFC 3986 appendix B). */
function partsOf(text: string): [scheme: string, host: string, port: string, path: string, query: string] {
  const [, scheme = '', authority = '', path = '', query = ''] =
    /^([a-z][a-z0-9+.-]*:(?:\/\/(?=[^/?#]))?)?((?<=\/\/)[^/?#]*)?([^?#]*)([\s\S]*)$/i.exec(text) ?? [];
  const [, host = '', port = ''] = /^((?:[\s\S]*@)?(?:\[[^\]]*\]|[^:]*))([\s\S]*)$/.exec(authority) ?? [];
  return [scheme, host, port, path, query];
}

/** Every part in which two URIs differ; none exactly when they are equal, character by character. */
export function differencesOf(sent: string, registered: string): Difference[] {
  const [a, b] = [partsOf(sent), partsOf(registered)];
  const kinds = ['scheme', 'host', 'port', 'path', 'query'] as const;
  return kinds.flatMap((kind, part) => {
    const [left = '', right = ''] = [a[part], b[part]];
    if (left === right) return [];
    const onlySlash = kind === 'path' && (left === `${right}/` || `${left}/` === right);
    return [{ kind: onlySlash ? 'trailing_slash' : kind, sent: left, registered: right }];
  });
}

/** The registered address that the one sent was probably meant to be, and how they differ; undefined without any. */
export function nearestCallback(
  sent: string,
  registered: readonly string[],
): { nearest: string; differences: Difference[] } | undefined {
  const candidates = registered.map((nearest) => {
    const differences = differencesOf(sent, nearest);
    // Another host is hardly a typo, another path less so.
    const weights = differences.map(({ kind }) => (kind === 'host' ? 4 : kind === 'path' ? 2 : 1));
    return { nearest, differences, weight: weights.reduce<number>((sum, one) => sum + one, 0) };
  });
  const [first] = candidates.sort((a, b) => a.weight - b.weight);
  return first && { nearest: first.nearest, differences: first.differences };
}

/** Why a callback URL that is none of the registered ones was refused: it is told from the nearest of them. */
export const callbackReason = (sent: string, registered: readonly string[]): Reason => {
  const shown = withoutCredentials(sent);
  return { kind: 'callback_unregistered', sent: shown, ...nearestCallback(shown, registered) };
};
