// Write-behind buffers: merge entries in memory and write them in batches.

export type WriteBehind = ReturnType<typeof createWriteBehind>;

/**
 * Creates buffers that are written together.
 * @param period milliseconds from the first entry to the write
 * @param onError returns whether to retry the entries
 * @param writeFirst runs before the buffers are written. Returns whether to schedule another flush.
 */
export function createWriteBehind(
  period: number,
  onError: (error: unknown) => boolean,
  writeFirst = async (): Promise<boolean> => false,
) {
  const writes = [writeFirst];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let closed = false;

  const scheduleFlush = (immediately = false): void => {
    if (closed || (timer !== undefined && !immediately)) return;
    clearTimeout(timer);
    timer = setTimeout(flush, immediately ? 0 : period).unref();
  };

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    // A failed flush returns its entries to the buffer, so flushes must not overlap.
    writing = writing.then(async () => {
      for (const write of writes) if (await write()) scheduleFlush();
    });
    return writing;
  };

  const close = (): Promise<void> => {
    closed = true;
    return flush();
  };

  /**
   * Adds a buffer with one entry per key. The buffer is written early when it is half full. When it is full, new keys
   * are dropped.
   * @returns a function that adds an entry
   */
  function addBuffer<Entry>(
    maxEntries: number,
    write: (entries: Entry[]) => Promise<void>,
    merge = (_earlier: Entry, later: Entry): Entry => later,
  ): (key: string, entry: Entry) => void {
    let entries = new Map<string, Entry>();
    const add = (key: string, entry: Entry): void => {
      const earlier = entries.get(key);
      if (earlier === undefined && entries.size >= maxEntries) return;
      entries.set(key, earlier === undefined ? entry : merge(earlier, entry));
      if (earlier === undefined) scheduleFlush(entries.size === maxEntries / 2);
    };
    writes.push(async () => {
      const batch = entries;
      if (batch.size === 0) return false;
      entries = new Map();
      try {
        await write([...batch.values()]);
        return false;
      } catch (error) {
        if (!onError(error)) return false;
        const newerEntries = entries;
        entries = batch;
        for (const [key, entry] of newerEntries) add(key, entry);
        return true;
      }
    });
    return add;
  }

  return { scheduleFlush, addBuffer, flush, close };
}
