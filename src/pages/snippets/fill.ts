// Fills the templates of the code that applications copy, so that no value can break out of its place.

/** What a template is written in; names the way in which it writes a text literally. */
export type Language = 'js' | 'sh' | 'yaml' | 'apache' | 'html';

/** A text as a literal of the language, its quotes included. */
const LITERAL: Record<Exclude<Language, 'html'>, (text: string) => string> = {
  js: (text) => `'${text.replace(/[\\']/g, '\\$&')}'`,
  sh: (text) => `'${text.replaceAll("'", "'\\''")}'`,
  yaml: (text) => `'${text.replaceAll("'", "''")}'`,
  apache: (text) => `'${text.replace(/[\\']/g, '\\$&')}'`,
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
