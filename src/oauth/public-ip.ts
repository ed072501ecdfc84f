// Classifies IP addresses as public or loopback to prevent SSRF.
import { BlockList, isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * IPv4-mapped IPv6 addresses count as IPv4.
 * @param entries IP addresses and CIDR ranges
 */
export function createIpMatcher(entries: readonly string[]): (ip: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [ip = '', bits] = entry.split('/');
    const family = isIPv6(ip) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(ip, family);
    else list.addSubnet(ip, Number(bits), family);
  }
  return (ip) => isIP(ip) !== 0 && list.check(ip, isIPv6(ip) ? 'ipv6' : 'ipv4');
}

const GLOBAL_IPV6_RANGE = ipaddr.parseCIDR('2000::/3');

/** Azure's WireServer, a metadata service with a public IP address. */
const CLOUD_METADATA_IPS: readonly string[] = ['168.63.129.16'];

/** Follows the IANA special-purpose address registries. */
export function isPublicIp(ip: string): boolean {
  // Reject octal, hexadecimal and short notations, and zone IDs.
  if (isIP(ip) === 0 || ip.includes('%')) return false;
  // Normalize IPv6 because ipaddr.js parses ::1.2.3.4 as IPv4.
  const parsed = ipaddr.process(isIPv6(ip) ? new URL(`http://[${ip}]`).hostname.slice(1, -1) : ip);
  if (CLOUD_METADATA_IPS.includes(parsed.toString())) return false;
  // Exclude IPv4-compatible IPv6 addresses, such as ::7f00:1.
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6_RANGE));
}

/** IPv4-mapped IPv6 addresses count as IPv4. */
export const isLoopbackIp = (ip: string): boolean =>
  isIP(ip) !== 0 && ipaddr.process(ip).range() === 'loopback';
