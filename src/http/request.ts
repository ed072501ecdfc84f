// Reads a request's headers, method and client IP.
import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { createIpMatcher } from '../oauth/public-ip.ts';

const MAX_HEADER_LENGTH = 1000;

/** Returns the header, truncated to 1,000 characters, or '' if it is missing. */
export const headerOf = (request: FastifyRequest, name: 'content-type' | 'user-agent'): string =>
  (request.headers[name] ?? '').slice(0, MAX_HEADER_LENGTH);

/** Whether the method is safe (RFC 9110 §9.2.1). */
export const isSafeMethod = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD';

/** HEAD requests come from link checkers and monitors, so they record, issue and revoke nothing. */
export const isHeadRequest = ({ method }: FastifyRequest): boolean => method === 'HEAD';

/** Whether this is a browser's prefetch. If it is refused, the browser repeats it when the user opens the page. */
export const isPrefetch = ({ headers }: FastifyRequest): boolean =>
  /\bprefetch\b/.test(String(headers['sec-purpose'] ?? headers.purpose ?? ''));

/** Maximum length of an IP address with a port. Entries in X-Forwarded-For may be longer. */
const MAX_IP_LENGTH = 64;

/**
 * Parses the IP address of a socket or of an X-Forwarded-For entry. Drops the port that some proxies append
 * (`192.0.2.1:40001`, `[2001:db8::1]:40001`), brackets, and the zone of a link-local address.
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
 * Returns the peer's IP address or, behind trusted proxies, the IP address that the last of them forwarded. If the
 * forwarded value isn't an IP address, returns that proxy's IP address. Returns '' if the connection is closed.
 */
export function clientIp({ ip, ips }: Pick<FastifyRequest, 'ip' | 'ips'>): string {
  // Ordered from the peer to the client. All entries but the last are trusted proxies, so only the last may be invalid.
  const hops = ips ?? [ip];
  return parseIp(hops.at(-1) ?? '') || parseIp(hops.at(-2) ?? '');
}

/** Creates the predicate for Fastify's `trustProxy`. @param entries IP addresses and CIDR ranges */
export function createTrustProxy(entries: readonly string[]): (hop: string | undefined) => boolean {
  const isTrusted = createIpMatcher(entries);
  return (hop) => hop !== undefined && isTrusted(parseIp(hop)); // undefined if the connection is closed
}
