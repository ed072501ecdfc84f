// The client's IP address, as the rate limit, the throttling of passwords, the allow-list and the audit log use it.
import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { isWithin, rangesOf } from '../oauth/public-address.ts';

const MAX_REMEMBERED = 1000;
/** No IP address is longer; an entry of X-Forwarded-For may be. */
const MAX_LENGTH = 64;

/** Caches the answers of `ask` for recently seen values. */
export function remembered<Answer>(ask: (value: string) => Answer): (value: string) => Answer {
  const known = new Map<string, Answer>();
  return (value) => {
    const answer = known.get(value);
    if (answer !== undefined) return answer;
    const fresh = ask(value);
    if (known.size >= MAX_REMEMBERED) known.clear();
    if (value.length <= MAX_LENGTH) known.set(value, fresh);
    return fresh;
  };
}

/**
 * Reads the IP address from a socket's address or an entry of X-Forwarded-For. Some proxies append the client's port
 * (`192.0.2.1:40001`, `[2001:db8::1]:40001`), which is dropped, as are brackets and the zone of a link-local address.
 * @returns '' if it holds no IP address
 */
function parseIp(text: string): string {
  if (text.length > MAX_LENGTH) return '';
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

/**
 * Tests whether an IP address is one of these, or in one of these ranges (CIDR). IPv4-mapped IPv6 counts as IPv4. A
 * peer that is gone has no address.
 */
export function membership(entries: readonly string[]): (address: string | undefined) => boolean {
  const ranges = rangesOf(entries);
  const isMember = remembered((address) => isWithin(parseIp(address), ranges));
  return (address) => address !== undefined && isMember(address);
}
