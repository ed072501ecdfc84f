// How a callback URL that was sent differs from the registered one it was probably meant to be (D3).

import type { Difference, Reason } from './reason.ts';
import type { ClientType } from './redirect-uri.ts';
import { withoutCredentials } from './shown.ts';

/** How much each says that the two are not the same address with a slip in it. */
const WEIGHT: Partial<Record<Difference['kind'], number>> = { host: 8, not_absolute: 16, path: 4, scheme: 2 };

/** An address taken apart without changing a character: put together again it is the same (RFC 3986 appendix B). */
interface Address {
  scheme: string;
  userInfo: string;
  host: string;
  port: string;
  path: string;
  query: string;
  fragment: string;
}

export function takeApart(text: string): Address | undefined {
  const match = /^([A-Za-z][A-Za-z0-9+.-]*:(?:\/\/)?)([\s\S]*)$/.exec(text);
  if (match === null) return undefined;
  const [, scheme = '', rest = ''] = match;
  // Without // there is no host: com.example.app:/callback
  const [, authority = '', path = '', query = '', fragment = ''] =
    /^([^/?#]*)([^?#]*)(\?[^#]*)?(#[\s\S]*)?$/.exec(scheme.endsWith('//') ? rest : `/${rest}`) ?? [];
  const [, userInfo = '', host = '', port = ''] =
    /^((?:[\s\S]*@)?)(\[[^\]]*\]|[^:]*)([\s\S]*)$/.exec(authority) ?? [];
  return {
    scheme,
    userInfo,
    host,
    port,
    path: scheme.endsWith('//') ? path : path.slice(1),
    query,
    fragment,
  };
}

/**
 * Every difference between the address that was sent and one that is registered; none exactly when they are equal,
 * character by character.
 */
export function differencesOf(sent: string, registered: string): Difference[] {
  if (sent === registered) return [];
  if (sent.trim() === registered) return [{ kind: 'white_space', sent, registered }];
  if (/^[a-z0-9+.-]+%3a/i.test(sent) && decoded(sent) === registered)
    return [{ kind: 'encoded_twice', sent, registered }];
  const [a, b] = [takeApart(sent), takeApart(registered)];
  if (a === undefined || b === undefined) return [{ kind: 'not_absolute', sent, registered }];
  const found: Difference[] = [];
  const compare = (kind: Difference['kind'], left: string, right: string) => {
    if (left !== right) found.push({ kind, sent: left, registered: right });
  };
  compare('scheme', a.scheme, b.scheme);
  compare('user_info', a.userInfo, b.userInfo);
  compare(hostKind(a.host, b.host), a.host, b.host);
  compare('port', a.port, b.port);
  compare(pathKind(a.path, b.path), a.path, b.path);
  compare(queryKind(a.query, b.query), a.query, b.query);
  compare('fragment', a.fragment, b.fragment);
  return found;
}

function hostKind(sent: string, registered: string): Difference['kind'] {
  if (sent.toLowerCase() === registered.toLowerCase()) return 'host_case';
  const bare = (host: string) => host.replace(/^www\./, '');
  return bare(sent) === bare(registered) ? 'www' : 'host';
}

function pathKind(sent: string, registered: string): Difference['kind'] {
  if (sent === `${registered}/`) return 'slash_extra';
  if (`${sent}/` === registered) return 'slash_missing';
  if (sent.toLowerCase() === registered.toLowerCase()) return 'path_case';
  return (decoded(sent) ?? sent) === (decoded(registered) ?? registered) ? 'path_encoding' : 'path';
}

function queryKind(sent: string, registered: string): Difference['kind'] {
  if (registered === '') return 'query_extra';
  if (sent === '') return 'query_missing';
  const sorted = (query: string) => query.slice(1).split('&').sort().join('&');
  return sorted(sent) === sorted(registered) ? 'query_order' : 'query';
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The registered address that the one sent was probably meant to be, and how they differ; undefined without any. */
export function nearestCallback(
  sent: string,
  registered: readonly string[],
): { nearest: string; differences: Difference[] } | undefined {
  const candidates = registered.map((nearest) => {
    const differences = differencesOf(sent, nearest);
    const weight = differences.reduce((sum, { kind }) => sum + (WEIGHT[kind] ?? 1), 0);
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
