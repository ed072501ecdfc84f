// The html`…` template tag, which escapes all values except instances of `Html`.

/** Safe markup. Only this module can create instances, so a string or parsed JSON is never mistaken for markup. */
export class Html {
  readonly #parts: readonly Part[];

  private constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  /** Escapes every value except `Html`. Interpolate only element content and double-quoted attribute values. */
  static template(literals: TemplateStringsArray, ...values: Renderable[]): Html {
    return new Html(
      mergeStrings(
        literals.flatMap((literal, i) => (i === 0 ? [literal] : [...Html.#partsOf(values[i - 1]), literal])),
      ),
    );
  }

  /** Creates markup that is rendered after the rest of the page. */
  static deferred(build: () => Html): Html {
    return new Html([build]);
  }

  static #partsOf(value: Renderable): readonly Part[] {
    if (value === null || value === undefined || value === false) return [];
    if (value instanceof Html) return value.#parts;
    if (Array.isArray(value)) return value.flatMap(Html.#partsOf);
    return [String(value).replace(/[&<>"']/g, (character) => entities[character] ?? '')];
  }

  toString(): string {
    return this.#parts.map((part) => (typeof part === 'string' ? part : part().toString())).join('');
  }
}

type Part = string | (() => Html);

const mergeStrings = (parts: readonly Part[]): Part[] =>
  parts.reduce<Part[]>((merged, part) => {
    const last = merged.at(-1);
    if (typeof part === 'string' && typeof last === 'string') merged[merged.length - 1] = last + part;
    else merged.push(part);
    return merged;
  }, []);

/** Arrays are joined. Null, undefined and false render nothing. */
export type Renderable = Html | string | number | null | undefined | false | readonly Renderable[];

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const html = Html.template;
export const deferred = Html.deferred;

export function render(markup: Html): string {
  return markup.toString();
}
