// HTML template tag that escapes every value except Html.

/** Escaped markup. Only the `html` tag creates instances. */
export class Html {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

type TemplateValue = Html | string | number | undefined | readonly TemplateValue[];

const htmlEntities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => htmlEntities[character] ?? '');
}

function render(value: TemplateValue): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.source;
  if (typeof value === 'object') return value.map(render).join('');
  return escapeText(String(value));
}

/** Templates must quote attribute values, and callers must validate URLs. */
export function html(strings: TemplateStringsArray, ...values: TemplateValue[]): Html {
  return new Html(strings.reduce((page, text, index) => page + render(values[index - 1]) + text));
}
