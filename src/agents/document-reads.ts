// Limits concurrent fetches of metadata documents and parses Cache-Control.

export interface SharedReads {
  isRunning(key: string): boolean;
  /**
   * Runs `work`, or waits for a running read with the same key.
   * @returns `busy` if a limit is reached
   */
  read(key: string, ip: string, work: () => Promise<void>): Promise<'read' | 'busy'>;
}

export function createSharedReads(limits: { total: number; perIp: number; waiting: number }): SharedReads {
  const reads = new Map<string, { ip: string; waiting: number; done: Promise<void> }>();

  function startRead(key: string, ip: string, work: () => Promise<void>) {
    const readsForIp = [...reads.values()].filter((read) => read.ip === ip).length;
    if (reads.size >= limits.total || readsForIp >= limits.perIp) return undefined;
    const read = { ip, waiting: 0, done: work().finally(() => reads.delete(key)) };
    reads.set(key, read);
    return read;
  }

  return {
    isRunning: (key) => reads.has(key),
    async read(key, ip, work) {
      const read = reads.get(key) ?? startRead(key, ip, work);
      if (read === undefined || read.waiting >= limits.waiting) return 'busy';
      read.waiting += 1;
      await read.done;
      return 'read';
    },
  };
}

/** In seconds. */
const MIN_FRESHNESS_LIFETIME = 300;
export const MAX_FRESHNESS_LIFETIME = 86_400;

/** Returns `max-age` in seconds, clamped between MIN_FRESHNESS_LIFETIME and MAX_FRESHNESS_LIFETIME. */
export function parseFreshnessLifetime(cacheControl: string | undefined): number {
  const directives = (cacheControl ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.trim());
  if (directives.some((directive) => /^no-(?:store|cache)(?:$|=)/.test(directive)))
    return MIN_FRESHNESS_LIFETIME;
  const ages = directives.flatMap((directive) => /^max-age="?(\d{1,10})"?$/.exec(directive)?.[1] ?? []);
  const age = ages.length === 0 ? 0 : Math.min(...ages.map(Number));
  return Math.min(MAX_FRESHNESS_LIFETIME, Math.max(MIN_FRESHNESS_LIFETIME, age));
}
