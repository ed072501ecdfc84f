// In-memory notebooks, one per `sub`.

interface Note {
  text: string;
  writtenAt: Date;
}

export interface Notebook {
  /** Name in the profile that was read last. Undefined until a profile is read, or without the scope `profile`. */
  ownerName: string | undefined;
  /** The notes, newest first. */
  notes: Note[];
}

const maxNotes = 100;
export const maxNoteLength = 500;

/** Creates a store of notebooks, keyed by `sub`, because names and email addresses can change (OpenID Connect Core §5.7). */
export function createNotebooks() {
  const notebooks = new Map<string, Notebook>();

  /** Returns the user's notebook, and creates it on the user's first visit. */
  function open(sub: string): Notebook {
    const notebook = notebooks.get(sub) ?? { ownerName: undefined, notes: [] };
    notebooks.set(sub, notebook);
    return notebook;
  }

  return {
    open,

    /** Adds a note. Ignores blank text, truncates long text, and drops the oldest of more than 100 notes. */
    write(sub: string, text: string): void {
      const trimmed = text.trim().slice(0, maxNoteLength);
      if (trimmed === '') return;
      const notebook = open(sub);
      notebook.notes = [{ text: trimmed, writtenAt: new Date() }, ...notebook.notes].slice(0, maxNotes);
    },
  };
}
