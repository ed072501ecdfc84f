// HTML template tag that escapes every value except Html.

/** Escaped markup. Only the `html` tag creates instances. */
export class Html {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** A value in a template. `undefined` renders as an empty string, and list items are joined. */
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

/** Escapes values in a template. Templates must quote attribute values, and callers must validate URLs. */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Html {
  return new Html(strings.reduce((page, text, index) => page + render(pieces[index - 1]) + text));
}
