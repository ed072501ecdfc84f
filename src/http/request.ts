// Reads a request's headers and method, and the client's IP address.
import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { createIpMatcher } from '../oauth/public-ip.ts';

const MAX_HEADER_LENGTH = 1000;

/** Returns the header, truncated to 1,000 characters, or '' if it is missing. */
export const headerOf = (request: FastifyRequest, name: 'content-type' | 'user-agent'): string =>
  (request.headers[name] ?? '').slice(0, MAX_HEADER_LENGTH);

/** Whether the method is safe (RFC 9110 §9.2.1). */
export const isSafeMethod = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD';

/** Whether the method is HEAD. Link checkers and monitors send HEAD, so it must not record, issue or revoke anything. */
export const isHeadRequest = ({ method }: FastifyRequest): boolean => method === 'HEAD';

/**
 * Whether a browser is prefetching a page. After a refused prefetch, the browser requests the page again when the user
 * opens it.
 */
export const isPrefetch = ({ headers }: FastifyRequest): boolean =>
  /\bprefetch\b/.test(String(headers['sec-purpose'] ?? headers.purpose ?? ''));

/** Maximum length of an IP address with a port. Longer entries in X-Forwarded-For are not parsed. */
const MAX_IP_LENGTH = 64;

/**
 * Parses the IP address from a socket or an X-Forwarded-For entry. Removes brackets, the zone of a link-local address,
 * and the port that some proxies append (`192.0.2.1:40001`, `[2001:db8::1]:40001`).
 * @returns '' if the text isn't an IP address
 */
function parseIp(text: string): string {
  if (text.length > MAX_IP_LENGTH) return '';
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1];
  if (bracketed !== undefined) return isIPv6(bracketed) ? withoutZone(bracketed) : '';
  if (isIP(text) !== 0) return withoutZone(text);
  const beforePort = /^([\d.]+):\d+$/.exec(text)?.[1];
  return beforePort !== undefined && isIPv4(beforePort) ? beforePort : '';
}

const withoutZone = (ip: string): string => ip.split('%', 1)[0] ?? '';

/**
 * Returns the client's IP address: the peer's address or, behind trusted proxies, the address forwarded by the
 * outermost proxy. If that isn't an IP address, returns the outermost proxy's address. Returns '' if the connection is
 * closed.
 */
export function clientIp({ ip, ips }: Pick<FastifyRequest, 'ip' | 'ips'>): string {
  // The hops are ordered from the peer to the client. All hops but the last are trusted proxies, so only the last hop
  // may be an invalid address.
  const hops = ips ?? [ip];
  return parseIp(hops.at(-1) ?? '') || parseIp(hops.at(-2) ?? '');
}

/** Creates the predicate for Fastify's `trustProxy`. @param entries IP addresses and CIDR ranges */
export function createTrustProxy(entries: readonly string[]): (hop: string | undefined) => boolean {
  const isTrusted = createIpMatcher(entries);
  return (hop) => hop !== undefined && isTrusted(parseIp(hop)); // `hop` is undefined if the connection is closed
}
