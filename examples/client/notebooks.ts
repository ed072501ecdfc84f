// In-memory notebooks, one per `sub`.

interface Note {
  text: string;
  writtenAt: Date;
}

export interface Notebook {
  /** Undefined before the first profile request, or without the scope `profile`. */
  ownerName: string | undefined;
  /** Newest first. */
  notes: Note[];
}

const maxNotes = 100;
export const maxNoteLength = 500;

/** Keyed by `sub` because names and email addresses can change (OpenID Connect Core §5.7). */
export function createNotebooks() {
  const notebooks = new Map<string, Notebook>();

  function getOrCreate(sub: string): Notebook {
    const notebook = notebooks.get(sub) ?? { ownerName: undefined, notes: [] };
    notebooks.set(sub, notebook);
    return notebook;
  }

  return {
    getOrCreate,

    write(sub: string, text: string): void {
      const trimmed = text.trim().slice(0, maxNoteLength);
      if (trimmed === '') return;
      const notebook = getOrCreate(sub);
      notebook.notes = [{ text: trimmed, writtenAt: new Date() }, ...notebook.notes].slice(0, maxNotes);
    },
  };
}
