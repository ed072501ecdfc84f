// Write-behind: what is noted in memory is written in batches, a while after the first of it. Nothing runs until then.

export type WriteBehind = ReturnType<typeof writeBehind>;

/**
 * @param period milliseconds from the first thing that is noted until all that was noted meanwhile is written
 * @param failed told why entries could not be written; says whether they are kept for the next time
 * @param more what else is written, before the entries; gives whether some of it is left
 */
export function writeBehind(
  period: number,
  failed: (error: unknown) => boolean,
  more = async (): Promise<boolean> => false,
) {
  const writes = [more];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let closed = false;

  /** Something was noted; in a hurry, so much of it that it is written before its time. */
  const noted = (hurry = false): void => {
    if (closed || (timer !== undefined && !hurry)) return;
    clearTimeout(timer);
    timer = setTimeout(flush, hurry ? 0 : period).unref();
  };

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    // One after the other: what failed is put back before the next begins.
    writing = writing.then(async () => {
      for (const write of writes) if (await write()) noted();
    });
    return writing;
  };

  /** Writes what is left, and nothing after it. */
  const close = (): Promise<void> => {
    closed = true;
    return flush();
  };

  /**
   * Gathers entries of one kind, one for each key: the latest, or what `merge` makes of all. Half of `most` are written before
   * their time; what is more than that is dropped.
   * @returns what notes one
   */
  function gather<Entry>(
    most: number,
    write: (entries: Entry[]) => Promise<void>,
    merge = (_earlier: Entry, later: Entry): Entry => later,
  ): (key: string, entry: Entry) => void {
    let entries = new Map<string, Entry>();
    const note = (key: string, entry: Entry): void => {
      const earlier = entries.get(key);
      if (earlier === undefined && entries.size >= most) return; // the database has been away for long
      entries.set(key, earlier === undefined ? entry : merge(earlier, entry));
      if (earlier === undefined) noted(entries.size === most / 2);
    };
    writes.push(async () => {
      const batch = entries;
      if (batch.size === 0) return false;
      entries = new Map();
      try {
        await write([...batch.values()]);
        return false;
      } catch (error) {
        if (!failed(error)) return false;
        const newer = entries;
        entries = batch;
        for (const [key, entry] of newer) note(key, entry);
        return true;
      }
    });
    return note;
  }

  return { noted, gather, flush, close };
}
