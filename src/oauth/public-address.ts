// Which addresses of the network the service may call by itself: those that anybody could, unless an operator allows more.
import { BlockList, isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Makes a test of whether an IP address is one of these, or in one of these ranges (CIDR). IPv4-mapped IPv6 counts as
 * IPv4; what is no IP address is in none.
 */
export function membership(entries: readonly string[]): (ip: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [ip = '', bits] = entry.split('/');
    const family = isIPv6(ip) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(ip, family);
    else list.addSubnet(ip, Number(bits), family);
  }
  return (ip) => isIP(ip) !== 0 && list.check(ip, isIPv6(ip) ? 'ipv6' : 'ipv4');
}

const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** Addresses of the public range that answer, to machines of one cloud, what only they may know: Azure's WireServer. */
const OF_CLOUDS: readonly string[] = ['168.63.129.16'];

/**
 * Whether an address belongs to the public internet: not to this machine, a private network, a cloud's metadata
 * service, a tunnel or anything reserved (IANA special-purpose registries).
 */
export function isPublicAddress(address: string): boolean {
  // As systems write it: digits in another base, fewer parts and names of networks are no one's address here.
  if (isIP(address) === 0 || address.includes('%')) return false;
  // In hexadecimal: the library would read ::1.2.3.4 as IPv4, which it is to nobody else.
  const parsed = ipaddr.process(
    isIPv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address,
  );
  if (OF_CLOUDS.includes(parsed.toString())) return false;
  // Of IPv6 only this part is given out; the old form that holds an IPv4 address, ::7f00:1, lies outside.
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6));
}

/** Whether an address is this machine's own, which nobody else reaches; IPv4-mapped IPv6 counts as IPv4. */
export const isLoopbackAddress = (address: string): boolean =>
  isIP(address) !== 0 && ipaddr.process(address).range() === 'loopback';
