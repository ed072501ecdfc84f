// Parses the query tree that PostgreSQL stores for an SQL function.
import type pg from 'pg';

export interface TreeNode {
  type: string;
  fields: Readonly<Record<string, Tree>>;
}
export type Tree = TreeNode | string | Tree[];

export const isNode = (tree: Tree | undefined): tree is TreeNode =>
  typeof tree === 'object' && !Array.isArray(tree);

export const listNodes = (tree: Tree | undefined): TreeNode[] =>
  Array.isArray(tree) ? tree.filter(isNode) : isNode(tree) ? [tree] : [];

const TOKEN = /[{}()[\]]|"(?:\\[\s\S]|[^"\\])*"|(?:\\[\s\S]|[^\s{}()[\]])+/g;

function parseTree(text: string): Tree {
  const tokens = text.match(TOKEN) ?? [];
  let index = 0;
  const readList = (end: string): Tree[] => {
    const items: Tree[] = [];
    while (tokens[index] !== end) items.push(read());
    index += 1;
    return items;
  };
  const isEndOfField = (token = '}') => token === '}' || /^:./.test(token);
  const read = (): Tree => {
    const token = tokens[index++] ?? '';
    if (token === '(') return readList(')');
    if (token === '[') return readList(']');
    if (token !== '{') return token;
    const node = { type: tokens[index++] ?? '', fields: {} as Record<string, Tree> };
    while (tokens[index] !== '}') {
      const name = (tokens[index++] ?? '').slice(1);
      const values: Tree[] = [];
      while (!isEndOfField(tokens[index])) values.push(read());
      node.fields[name] = values.length === 1 ? (values[0] as Tree) : values;
    }
    index += 1;
    return node;
  };
  return read();
}

export async function analyzeStatement(client: pg.ClientBase, text: string): Promise<TreeNode> {
  await client.query(`prepare analyzed as ${text}`);
  const { rows } = await client.query<{ types: string }>(
    `select array_to_string(parameter_types, ', ') as types from pg_prepared_statements where name = 'analyzed'`,
  );
  await client.query('deallocate analyzed');
  await client.query(
    `create function pg_temp.analyzed(${rows[0]?.types}) returns void begin atomic ${text}; end`,
  );
  const { rows: functions } = await client.query<{ body: string }>(
    `select prosqlbody::text as body from pg_proc where pronamespace = pg_my_temp_schema() and proname = 'analyzed'`,
  );
  await client.query('drop function pg_temp.analyzed');
  const query = findFirstNode(parseTree(functions[0]?.body ?? ''));
  if (query?.type !== 'QUERY') throw new Error(`no query tree for ${text}`);
  return query;
}

const findFirstNode = (tree: Tree): TreeNode | undefined =>
  isNode(tree)
    ? tree
    : Array.isArray(tree)
      ? tree.map(findFirstNode).find((one) => one !== undefined)
      : undefined;
