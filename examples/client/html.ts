// Owns escaping: whatever is put into a page is escaped unless it is already Html.

/** Markup that is safe to send: made by the `html` tag only. */
export class Html {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** What a template may contain; `undefined` leaves nothing behind, lists are joined. */
type Piece = Html | string | number | undefined | readonly Piece[];

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

function render(piece: Piece): string {
  if (piece === undefined) return '';
  if (piece instanceof Html) return piece.source;
  if (typeof piece === 'object') return piece.map(render).join('');
  return escapeText(String(piece));
}

/** Template tag. Attributes must be quoted; addresses must have been checked by the caller. */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Html {
  return new Html(strings.reduce((page, text, index) => page + render(pieces[index - 1]) + text));
}
