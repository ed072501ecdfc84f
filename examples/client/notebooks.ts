// In-memory notebooks, one per `sub`.

interface Note {
  text: string;
  writtenAt: Date;
}

export interface Notebook {
  /**
   * The name in the most recently read profile. Undefined before the first read, or if the user didn't grant the scope
   * `profile`.
   */
  ownerName: string | undefined;
  /** Newest first. */
  notes: Note[];
}

const maxNotes = 100;
export const maxNoteLength = 500;

/**
 * Creates a store of notebooks. The key is `sub` because names and email addresses can change (OpenID Connect Core
 * §5.7).
 */
export function createNotebooks() {
  const notebooks = new Map<string, Notebook>();

  function open(sub: string): Notebook {
    const notebook = notebooks.get(sub) ?? { ownerName: undefined, notes: [] };
    notebooks.set(sub, notebook);
    return notebook;
  }

  return {
    open,

    /** Adds a note. Ignores blank text, truncates long text, and keeps only the newest 100 notes. */
    write(sub: string, text: string): void {
      const trimmed = text.trim().slice(0, maxNoteLength);
      if (trimmed === '') return;
      const notebook = open(sub);
      notebook.notes = [{ text: trimmed, writtenAt: new Date() }, ...notebook.notes].slice(0, maxNotes);
    },
  };
}
