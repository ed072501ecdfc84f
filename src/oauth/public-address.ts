// Which addresses of the network the service may call by itself: those that anybody could, unless an operator allows more.
import ipaddr from 'ipaddr.js';

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** IP addresses and CIDR ranges, as the settings give them, ready to compare with. */
export const rangesOf = (entries: readonly string[]): Range[] =>
  entries.map((entry) => {
    if (entry.includes('/')) return ipaddr.parseCIDR(entry);
    const address = ipaddr.process(entry);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  });

/** Whether an address lies in one of these ranges; IPv4-mapped IPv6 counts as IPv4. */
export function isWithin(address: string, ranges: readonly Range[]): boolean {
  if (ranges.length === 0 || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits));
}

const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/**
 * Whether an address belongs to the public internet: not to this machine, a private network, a cloud's metadata
 * service, a tunnel or anything reserved (IANA special-purpose registries).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  // Of IPv6 only this part is given out; the old form that holds an IPv4 address, ::7f00:1, lies outside.
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6));
}
