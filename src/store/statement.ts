// A prepared statement: PostgreSQL parses and plans it once per connection, under its name.

export interface Statement {
  name: string;
  /** Its parameters are `$1`, `$2`, … */
  text: string;
  /** The names of the parameters in their order, where they have names. */
  parameters?: readonly string[];
}

/** The values of a statement's parameters: by name where the statement names them, else in their order. */
export type Values = readonly unknown[] | Readonly<Record<string, unknown>>;

/** Every statement by its name. */
export const statements = new Map<string, Statement>();

/**
 * @param name empty for a statement that isn't kept by connections
 * @param text SQL whose parameters are `$1`, `$2`, … or named: `$clientId`, each as often as needed.
 * @throws Error if another statement has this name: connections would run whichever they prepared first
 */
export function statement(name: string, text: string): Statement {
  const parameters: string[] = [];
  const numbered = text.replace(/\$([a-z]\w*)/gi, (_, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}`;
  });
  const made = { name, text: numbered, parameters };
  if (name === '') return made;
  if ((statements.get(name) ?? made).text !== numbered) throw new Error(`two statements are called ${name}`);
  statements.set(name, made);
  return made;
}

/** The values in the order of the parameters. @throws TypeError where a named one is missing */
export function inOrder({ name, parameters = [] }: Statement, values: Values): unknown[] {
  if (Array.isArray(values)) return values;
  const named = values as Readonly<Record<string, unknown>>;
  return parameters.map((parameter) => {
    const value = named[parameter];
    if (value === undefined) throw new TypeError(`${name}: no value for $${parameter}`);
    return value;
  });
}
