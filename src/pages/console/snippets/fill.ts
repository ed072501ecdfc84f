// Fills the templates of the code that applications copy, so that no value can break out of its place.

/** What a template is written in; names the way in which it writes a text literally. */
export type Language = keyof typeof LITERAL | 'html';

const single = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
/** As JSON has it, which Go, C# and Java read alike; nothing that a line can end with is left in it. */
const double = (text: string) =>
  JSON.stringify(text).replace(
    /[\u007f-\u00a0\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** A text as a literal of the language, its quotes included. */
const LITERAL = {
  js: single,
  python: single,
  php: single,
  ruby: single,
  go: double,
  csharp: double,
  java: double,
  sh: (text: string) => `'${text.replaceAll("'", "'\\''")}'`,
  yaml: (text: string) => `'${text.replaceAll("'", "''")}'`,
  apache: single,
};

/**
 * A template with its values: `'{{name}}'`, quotes included, becomes a literal of the language, whatever the value is.
 * `{{name}}` elsewhere stays bare, so only values go there whose characters can mean nothing: identifiers, addresses
 * of our own, encoded ones; in HTML they are markup.
 * @throws Error for a placeholder that has no value
 */
export function fill(template: string, language: Language, values: Readonly<Record<string, string>>): string {
  const value = (name: string): string => {
    const text = values[name];
    if (text === undefined) throw new Error(`a snippet wants {{${name}}}, which has no value`);
    return text;
  };
  return template.replace(/'\{\{(\w+)\}\}'|\{\{(\w+)\}\}/g, (_, quoted?: string, bare = '') =>
    quoted !== undefined && language !== 'html' ? LITERAL[language](value(quoted)) : value(bare),
  );
}
