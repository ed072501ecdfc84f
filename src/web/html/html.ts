// Owns escaping: the html`…` template tag and the one value that is already safe to send.

/** Markup that is safe to send. Only html`…` makes one, so no string and no parsed JSON can pass for it. */
export class Html {
  readonly #markup: string;

  private constructor(markup: string) {
    this.#markup = markup;
  }

  /**
   * The tag behind `html`: literal parts are kept, every interpolated value is escaped unless it is `Html`.
   * Sound in element content and in double-quoted attributes; never interpolate an unquoted attribute or a tag name.
   */
  static template(literals: TemplateStringsArray, ...values: Renderable[]): Html {
    return new Html(
      literals.reduce((markup, literal, i) => markup + Html.#markupOf(values[i - 1]) + literal),
    );
  }

  static #markupOf(value: Renderable): string {
    if (value === null || value === undefined || value === false) return '';
    if (value instanceof Html) return value.#markup;
    if (Array.isArray(value)) return value.map(Html.#markupOf).join('');
    return String(value).replace(/[&<>"']/g, (character) => entities[character] ?? '');
  }

  toString(): string {
    return this.#markup;
  }
}

/** What a template may hold: text is escaped, arrays are joined, null, undefined and false render nothing. */
export type Renderable = Html | string | number | null | undefined | false | readonly Renderable[];

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const html = Html.template;

export function render(markup: Html): string {
  return markup.toString();
}
