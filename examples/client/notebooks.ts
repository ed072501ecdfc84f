// Owns this application's own records: one notebook per `sub`, in memory.

interface Note {
  text: string;
  writtenAt: Date;
}

export interface Notebook {
  /** As the profile last said; undefined until it has been read, or without the scope `profile`. */
  ownerName: string | undefined;
  /** Newest first. */
  notes: Note[];
}

const noteLimit = 100;
export const noteLength = 500;

/** Notebooks by `sub`: names and addresses change, `sub` does not (contract §1, flow step 6). */
export function createNotebooks() {
  const notebooks = new Map<string, Notebook>();

  /** The person's notebook, a new one at the first visit. */
  function open(sub: string): Notebook {
    const notebook = notebooks.get(sub) ?? { ownerName: undefined, notes: [] };
    notebooks.set(sub, notebook);
    return notebook;
  }

  return {
    open,

    /** Writes a note; blank text is ignored, long text is cut, the oldest of 100 notes falls out. */
    write(sub: string, text: string): void {
      const trimmed = text.trim().slice(0, noteLength);
      if (trimmed === '') return;
      const notebook = open(sub);
      notebook.notes = [{ text: trimmed, writtenAt: new Date() }, ...notebook.notes].slice(0, noteLimit);
    },
  };
}
