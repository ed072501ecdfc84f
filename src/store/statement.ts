// Named prepared statements, which PostgreSQL parses and plans once per connection.

export interface Statement {
  name: string;
  text: string;
  parameters?: readonly string[];
}

export type Values = readonly unknown[] | Readonly<Record<string, unknown>>;

export const statements = new Map<string, Statement>();

/**
 * @param name empty for a statement that isn't prepared
 * @param text SQL with numbered (`$1`) or named (`$clientId`) parameters
 * @throws Error if a different statement already has this name
 */
export function statement(name: string, text: string): Statement {
  const parameters: string[] = [];
  const numbered = text.replace(/\$([a-z]\w*)/gi, (_, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}`;
  });
  const defined = { name, text: numbered, parameters };
  if (name === '') return defined;
  if ((statements.get(name) ?? defined).text !== numbered)
    throw new Error(`duplicate statement name ${name}; rename one of the two statements`);
  statements.set(name, defined);
  return defined;
}

export function orderValues({ name, parameters = [] }: Statement, values: Values): unknown[] {
  if (Array.isArray(values)) return values;
  const named = values as Readonly<Record<string, unknown>>;
  return parameters.map((parameter) => {
    const value = named[parameter];
    if (value === undefined) throw new TypeError(`${name}: no value for $${parameter}`);
    return value;
  });
}
