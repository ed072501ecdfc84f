// The html`…` template tag, which escapes all values except `Html`.

/** Safe markup. Only html`…` creates instances, so a string or parsed JSON is never mistaken for markup. */
export class Html {
  readonly #markup: string;

  private constructor(markup: string) {
    this.#markup = markup;
  }

  /**
   * Implements the `html` tag. Escapes every interpolated value unless it is `Html`. Interpolate only element content and
   * double-quoted attribute values, never unquoted attribute values or tag names.
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

/** Values that a template can interpolate. Strings are escaped, and arrays are joined. Null, undefined and false render nothing. */
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
