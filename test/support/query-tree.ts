// Analyzed statements as PostgreSQL itself understands them: the trees that it stores for bodies of SQL functions.
import type pg from 'pg';

/** A node of the tree: its type, and its fields by their names. */
export interface TreeNode {
  type: string;
  fields: Readonly<Record<string, Tree>>;
}
export type Tree = TreeNode | string | Tree[];

export const isNode = (tree: Tree | undefined): tree is TreeNode =>
  typeof tree === 'object' && !Array.isArray(tree);

/** The nodes of a list, or a single node as a list. */
export const nodesOf = (tree: Tree | undefined): TreeNode[] =>
  Array.isArray(tree) ? tree.filter(isNode) : isNode(tree) ? [tree] : [];

const TOKEN = /[{}()[\]]|"(?:\\[\s\S]|[^"\\])*"|(?:\\[\s\S]|[^\s{}()[\]])+/g;

/** Reads the text of a `pg_node_tree`. */
function readTree(text: string): Tree {
  const tokens = text.match(TOKEN) ?? [];
  let at = 0;
  const readMany = (end: string): Tree[] => {
    const found: Tree[] = [];
    while (tokens[at] !== end) found.push(read());
    at += 1;
    return found;
  };
  const isEndOfField = (token = '}') => token === '}' || /^:./.test(token);
  const read = (): Tree => {
    const token = tokens[at++] ?? '';
    if (token === '(') return readMany(')');
    if (token === '[') return readMany(']');
    if (token !== '{') return token;
    const node = { type: tokens[at++] ?? '', fields: {} as Record<string, Tree> };
    while (tokens[at] !== '}') {
      const name = (tokens[at++] ?? '').slice(1);
      const values: Tree[] = [];
      while (!isEndOfField(tokens[at])) values.push(read());
      node.fields[name] = values.length === 1 ? (values[0] as Tree) : values;
    }
    at += 1;
    return node;
  };
  return read();
}

/** Analyzes one statement with parameters. */
export async function analyze(client: pg.ClientBase, text: string): Promise<TreeNode> {
  await client.query(`prepare analyzed as ${text}`);
  const { rows } = await client.query<{ types: string }>(
    `select array_to_string(parameter_types, ', ') as types from pg_prepared_statements where name = 'analyzed'`,
  );
  await client.query('deallocate analyzed');
  await client.query(
    `create function pg_temp.analyzed(${rows[0]?.types}) returns void begin atomic ${text}; end`,
  );
  const { rows: stored } = await client.query<{ body: string }>(
    `select prosqlbody::text as body from pg_proc where pronamespace = pg_my_temp_schema() and proname = 'analyzed'`,
  );
  await client.query('drop function pg_temp.analyzed');
  const query = firstNode(readTree(stored[0]?.body ?? ''));
  if (query?.type !== 'QUERY') throw new Error(`no tree of ${text}`);
  return query;
}

const firstNode = (tree: Tree): TreeNode | undefined =>
  isNode(tree)
    ? tree
    : Array.isArray(tree)
      ? tree.map(firstNode).find((one) => one !== undefined)
      : undefined;
