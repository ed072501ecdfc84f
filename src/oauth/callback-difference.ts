// How a redirect URI that was sent differs from the registered one that was probably meant.

import type { Difference, Reason } from './reason.ts';
import type { ClientType } from './redirect-uri.ts';
import { withoutCredentials } from './shown.ts';

/** How much each difference says that the two are not the same URI with a typo. */
const WEIGHT: Record<Difference['kind'], number> = {
  host: 8,
  path: 4,
  scheme: 2,
  port: 1,
  trailing_slash: 1,
  query: 1,
};

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
    const weight = differences.reduce((sum, { kind }) => sum + WEIGHT[kind], 0);
    return { nearest, differences, weight, common: commonStart(sent, nearest) };
  });
  candidates.sort((a, b) => a.weight - b.weight || b.common - a.common);
  const [first] = candidates;
  return first && { nearest: first.nearest, differences: first.differences };
}

/** Why a callback URL that is none of the registered ones was refused: it is told from the nearest of them. */
export const callbackReason = (sent: string, registered: readonly string[]): Reason => {
  const shown = withoutCredentials(sent);
  return { kind: 'callback_unregistered', sent: shown, ...nearestCallback(shown, registered) };
};

/** How many characters two texts begin with alike. */
function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/**
 * Whether an address leads to a host, or a private-use scheme, that one of the registered ones leads to already. The
 * port is part of it, since another may be somebody else's; not on one's own machine, however that is called.
 */
export function leadsToKnownHost(sent: string, registered: readonly string[]): boolean {
  const destination = destinationOf(sent);
  return destination !== undefined && registered.some((uri) => destinationOf(uri) === destination);
}

function destinationOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, host } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return `${protocol}//${hostname}`;
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname) ? 'localhost' : host;
}

/**
 * What a public application had better register in place of a callback on `localhost`, where every port counts: by IP
 * address any port is accepted (RFC 8252 §7.3, and §8.3 against the name). Undefined where that does not help.
 */
export function loopbackInstead(sent: string, type: ClientType): string | undefined {
  const named = /^http:\/\/localhost(?::\d{1,5})?(?=[/?]|$)/i.exec(sent);
  return type === 'public' && named !== null ? `http://127.0.0.1${sent.slice(named[0].length)}` : undefined;
}
