// Runs one read per key for all callers that want it, within bounds on how many run and how many wait.

export interface SharedReads {
  isRunning(key: string): boolean;
  /**
   * Starts `work`, or joins the read of the same key that is under way. Rejects as the work does.
   * @returns `busy` if too many run, in all or for this IP, or too many callers wait for this one
   */
  read(key: string, ip: string, work: () => Promise<void>): Promise<'read' | 'busy'>;
}

/** @param bounds reads at once, reads at once for one IP, and callers that wait for one read */
export function openSharedReads(bounds: { total: number; perIp: number; waiting: number }): SharedReads {
  const reads = new Map<string, { ip: string; waiting: number; done: Promise<void> }>();

  function start(key: string, ip: string, work: () => Promise<void>) {
    const ofThisIp = [...reads.values()].filter((read) => read.ip === ip).length;
    if (reads.size >= bounds.total || ofThisIp >= bounds.perIp) return undefined;
    const read = { ip, waiting: 0, done: work().finally(() => reads.delete(key)) };
    reads.set(key, read);
    return read;
  }

  return {
    isRunning: (key) => reads.has(key),
    async read(key, ip, work) {
      const read = reads.get(key) ?? start(key, ip, work);
      if (read === undefined || read.waiting >= bounds.waiting) return 'busy';
      read.waiting += 1;
      await read.done;
      return 'read';
    },
  };
}

const SHORTEST_FRESH = 300;
export const LONGEST_FRESH = 86_400;

/** What `Cache-Control` says, within bounds; the least where it says nothing that can be read. */
export function freshFor(cacheControl: string | undefined): number {
  const directives = (cacheControl ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.trim());
  if (directives.some((directive) => /^no-(?:store|cache)(?:$|=)/.test(directive))) return SHORTEST_FRESH;
  const ages = directives.flatMap((directive) => /^max-age="?(\d{1,10})"?$/.exec(directive)?.[1] ?? []);
  const age = ages.length === 0 ? 0 : Math.min(...ages.map(Number));
  return Math.min(LONGEST_FRESH, Math.max(SHORTEST_FRESH, age));
}
