// What every request asks about IP addresses: worked out once for those seen last.
import { isWithin, rangesOf } from '../oauth/public-address.ts';

const REMEMBERED = 1000;
/** No address is longer; what a header says is one may be. */
const LONGEST = 64;

/** Answers as `ask` does, from memory where the address was seen lately. */
export function remembered<Answer>(ask: (address: string) => Answer): (address: string) => Answer {
  const known = new Map<string, Answer>();
  return (address) => {
    const answer = known.get(address);
    if (answer !== undefined) return answer;
    const fresh = ask(address);
    if (known.size >= REMEMBERED) known.clear();
    if (address.length <= LONGEST) known.set(address, fresh);
    return fresh;
  };
}

/**
 * Tells whether an address is one of these, or in one of these ranges (CIDR); IPv4-mapped IPv6 counts as IPv4. A peer
 * that is gone has none.
 */
export function membership(entries: readonly string[]): (address: string | undefined) => boolean {
  const ranges = rangesOf(entries);
  const isMember = remembered((address) => isWithin(address, ranges));
  return (address) => address !== undefined && isMember(address);
}
