// Fills in templates of sample code, with values quoted as literals of the template's language.

/** The language of a template, which determines how values are quoted. */
export type Language = keyof typeof LITERAL | 'html';

const singleQuoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
/** Formats a JSON string, which is also a valid literal in Go, C# and Java. Escapes all line terminators. */
const doubleQuoted = (text: string) =>
  JSON.stringify(text).replace(
    /[\u007f-\u00a0\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/gu;
const hexOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(4, '0');

/** Formats a value as a string literal in each language, including the quotes. */
const LITERAL = {
  js: singleQuoted,
  python: singleQuoted,
  php: singleQuoted,
  ruby: singleQuoted,
  go: doubleQuoted,
  csharp: doubleQuoted,
  java: doubleQuoted,
  swift: (text: string) =>
    `"${text.replace(/[\\"]/g, '\\$&').replace(CONTROLS, (one) => `\\u{${hexOf(one)}}`)}"`,
  kotlin: (text: string) =>
    `"${text.replace(/[\\"$]/g, '\\$&').replace(CONTROLS, (one) => `\\u${hexOf(one)}`)}"`,
  sh: (text: string) => `'${text.replaceAll("'", "'\\''")}'`,
  yaml: (text: string) => `'${text.replaceAll("'", "''")}'`,
  apache: singleQuoted,
};

/**
 * Replaces placeholders. `'{{name}}'`, including the quotes, becomes a string literal of the language. `{{name}}`
 * without quotes becomes the value itself. Omit the quotes only for identifiers, trusted URLs and encoded values, and
 * for markup in HTML.
 * @throws Error for a placeholder without a value
 */
export function fillTemplate(
  template: string,
  language: Language,
  values: Readonly<Record<string, string>>,
): string {
  const value = (name: string): string => {
    const text = values[name];
    if (text === undefined) throw new Error(`No value for the template placeholder {{${name}}}.`);
    return text;
  };
  return template.replace(/'\{\{(\w+)\}\}'|\{\{(\w+)\}\}/g, (_, quoted?: string, bare = '') =>
    quoted !== undefined && language !== 'html' ? LITERAL[language](value(quoted)) : value(bare),
  );
}
