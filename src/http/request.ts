// Reads request headers, methods and client IP addresses.
import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { createIpMatcher } from '../oauth/public-ip.ts';

const MAX_HEADER_LENGTH = 1000;

/** Returns the first 1,000 characters of a header, or '' if the header is missing. */
export const readHeader = (request: FastifyRequest, name: 'content-type' | 'user-agent'): string =>
  (request.headers[name] ?? '').slice(0, MAX_HEADER_LENGTH);

/** Whether the request's method is safe (RFC 9110 §9.2.1). */
export const isSafeMethod = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD';

/** HEAD requests must have no side effects because link checkers and monitors send them. */
export const isHeadRequest = ({ method }: FastifyRequest): boolean => method === 'HEAD';

/** Prefetches can be refused because the browser sends a normal request when the user opens the page. */
export const isPrefetch = ({ headers }: FastifyRequest): boolean =>
  /\bprefetch\b/.test(String(headers['sec-purpose'] ?? headers.purpose ?? ''));

/** Longer X-Forwarded-For entries aren't parsed. */
const MAX_IP_LENGTH = 64;

/** Removes brackets, zone and port. Returns '' if the text isn't an IP address. */
function parseIp(text: string): string {
  if (text.length > MAX_IP_LENGTH) return '';
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1];
  if (bracketed !== undefined) return isIPv6(bracketed) ? removeZone(bracketed) : '';
  if (isIP(text) !== 0) return removeZone(text);
  const beforePort = /^([\d.]+):\d+$/.exec(text)?.[1];
  return beforePort !== undefined && isIPv4(beforePort) ? beforePort : '';
}

const removeZone = (ip: string): string => ip.split('%', 1)[0] ?? '';

/**
 * Behind trusted proxies, returns the address that the outermost proxy forwarded. If that address is invalid, returns
 * the proxy's own address. Returns '' if the connection is closed.
 */
export function clientIp({ ip, ips }: Pick<FastifyRequest, 'ip' | 'ips'>): string {
  // Hops are ordered from the peer to the client. All hops except the last are trusted proxies.
  const hops = ips ?? [ip];
  return parseIp(hops.at(-1) ?? '') || parseIp(hops.at(-2) ?? '');
}

export function createTrustProxy(entries: readonly string[]): (hop: string | undefined) => boolean {
  const isTrusted = createIpMatcher(entries);
  // A hop is undefined if the connection is closed.
  return (hop) => hop !== undefined && isTrusted(parseIp(hop));
}
