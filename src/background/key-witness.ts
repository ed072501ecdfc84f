// Who fetched the published keys. Nobody says so: they are taken to be fetched for the applications that asked for
// tokens from the same address, before or after. A process remembers a bounded number of addresses.

const MOST_ADDRESSES = 1_000;
const MOST_AT_ONE_ADDRESS = 20;

export interface KeyWitness {
  /** Whether this was asked for within the last second too: what can be seen by it has been seen. */
  justLooked(key: string, at: Date): boolean;
  /** An application got tokens from an address. @returns whether keys were fetched from there before */
  tokensGiven(clientId: string, address: string): boolean;
  /** Keys were fetched from an address. @returns the applications that got tokens from there before */
  keysFetched(address: string): Iterable<string>;
}

export function newKeyWitness(): KeyWitness {
  const fetchedFrom = new Map<string, true>();
  const clientsAt = new Map<string, Set<string>>();
  const lookedAt = new Map<string, number>();
  return {
    justLooked(key, at) {
      const last = lookedAt.get(key);
      if (last !== undefined && at.getTime() - last < 1_000) return true;
      remember(lookedAt, key, at.getTime());
      return false;
    },
    tokensGiven(clientId, address) {
      const clients = clientsAt.get(address) ?? new Set();
      if (clients.size < MOST_AT_ONE_ADDRESS) clients.add(clientId);
      remember(clientsAt, address, clients);
      return fetchedFrom.has(address);
    },
    keysFetched(address) {
      remember(fetchedFrom, address, true);
      return clientsAt.get(address) ?? [];
    },
  };
}

/** Puts an address last, at the cost of the one that was there longest. */
function remember<Value>(addresses: Map<string, Value>, address: string, value: Value): void {
  addresses.delete(address);
  const [oldest] = addresses.size >= MOST_ADDRESSES ? addresses.keys() : [];
  if (oldest !== undefined) addresses.delete(oldest);
  addresses.set(address, value);
}
