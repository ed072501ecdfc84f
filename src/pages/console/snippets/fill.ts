// Fills in templates of sample code, with values quoted as literals of the template's language.

export type Language = keyof typeof LITERAL_FORMATTERS | 'html';

const singleQuoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
/** JSON strings are also valid literals in Go, C# and Java. Escapes all line terminators. */
const doubleQuoted = (text: string) =>
  JSON.stringify(text).replace(
    /[\u007f-\u00a0\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const CONTROL_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}]/gu;
const toHex = (character: string): string => character.charCodeAt(0).toString(16).padStart(4, '0');

const LITERAL_FORMATTERS = {
  js: singleQuoted,
  python: singleQuoted,
  php: singleQuoted,
  ruby: singleQuoted,
  go: doubleQuoted,
  csharp: doubleQuoted,
  java: doubleQuoted,
  swift: (text: string) =>
    `"${text.replace(/[\\"]/g, '\\$&').replace(CONTROL_CHARACTERS, (one) => `\\u{${toHex(one)}}`)}"`,
  kotlin: (text: string) =>
    `"${text.replace(/[\\"$]/g, '\\$&').replace(CONTROL_CHARACTERS, (one) => `\\u${toHex(one)}`)}"`,
  sh: (text: string) => `'${text.replaceAll("'", "'\\''")}'`,
  yaml: (text: string) => `'${text.replaceAll("'", "''")}'`,
  apache: singleQuoted,
};

/**
 * `'{{name}}'`, including the quotes, becomes a string literal of the language. `{{name}}` without quotes
 * becomes the raw value. Use raw values only for identifiers, trusted URLs, encoded values and HTML markup.
 * @throws Error if a placeholder has no value
 */
export function fillTemplate(
  template: string,
  language: Language,
  values: Readonly<Record<string, string>>,
): string {
  const requireValue = (name: string): string => {
    const text = values[name];
    if (text === undefined) throw new Error(`No value for the template placeholder {{${name}}}.`);
    return text;
  };
  return template.replace(/'\{\{(\w+)\}\}'|\{\{(\w+)\}\}/g, (_, quoted?: string, bare = '') =>
    quoted !== undefined && language !== 'html'
      ? LITERAL_FORMATTERS[language](requireValue(quoted))
      : requireValue(bare),
  );
}
