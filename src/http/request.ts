// Reads headers, method and client IP of a request.

import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { membership } from '../oauth/public-address.ts';

/** Characters that are read of a header; real ones are shorter. */
const MAX_HEADER = 1000;

/** A header, cut to 1,000 characters; '' where there is none. */
export const headerOf = (request: FastifyRequest, name: 'content-type' | 'user-agent'): string =>
  (request.headers[name] ?? '').slice(0, MAX_HEADER);

/** Whether a request asks for nothing but an answer. */
export const isSafe = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD';

/**
 * Whether nothing may be noted, given or ended for this request: it is a program that looks whether there is anything
 * (link checkers, previews, monitors), and a person who saw nothing.
 */
export const isTraceless = ({ method }: FastifyRequest): boolean => method === 'HEAD';

/** Whether a browser asks for a page that nobody has opened yet. Refused, it asks again when somebody does. */
export const isPrefetch = ({ headers }: FastifyRequest): boolean =>
  /\bprefetch\b/.test(String(headers['sec-purpose'] ?? headers.purpose ?? ''));

/** No IP address with a port is longer; an entry of X-Forwarded-For may be. */
const MAX_IP = 64;

/**
 * Reads the IP address from a socket's address or an entry of X-Forwarded-For. Some proxies append the client's port
 * (`192.0.2.1:40001`, `[2001:db8::1]:40001`), which is dropped, as are brackets and the zone of a link-local address.
 * @returns '' if it holds no IP address
 */
function parseIp(text: string): string {
  if (text.length > MAX_IP) return '';
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1];
  if (bracketed !== undefined) return isIPv6(bracketed) ? withoutZone(bracketed) : '';
  if (isIP(text) !== 0) return withoutZone(text);
  const beforePort = /^([\d.]+):\d+$/.exec(text)?.[1];
  return beforePort !== undefined && isIPv4(beforePort) ? beforePort : '';
}

const withoutZone = (ip: string): string => ip.split('%', 1)[0] ?? '';

/**
 * The client's IP address: the peer, or what the last trusted proxy forwarded. If that is no IP address, all clients of
 * this proxy count as the proxy itself.
 * @returns '' if the peer is gone
 */
export function clientIp({ ip, ips }: Pick<FastifyRequest, 'ip' | 'ips'>): string {
  // From the peer to the client. Every entry but the last is a trusted proxy, so at most the last one is unreadable.
  const path = ips ?? [ip];
  return parseIp(path.at(-1) ?? '') || parseIp(path.at(-2) ?? '');
}

/** Makes the test of which peers and forwarding hops are trusted proxies (Fastify's `trustProxy`). */
export function trustedProxies(entries: readonly string[]): (hop: string | undefined) => boolean {
  const isTrusted = membership(entries);
  return (hop) => hop !== undefined && isTrusted(parseIp(hop)); // undefined: the peer is gone
}
