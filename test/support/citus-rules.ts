// Checks whether Citus can run a statement on a single shard.
import type pg from 'pg';
import { TABLE_DISTRIBUTION } from '../../src/store/citus-tables.ts';
import { analyzeStatement, isNode, listNodes, type Tree, type TreeNode } from './sql-query-tree.ts';

/** All keys are OIDs. */
export interface Catalog {
  tables: Map<string, { name: string; columns: Map<string, string> }>;
  equals: Set<string>;
  /** `s` (stable) or `v` (volatile) by function. Immutable functions are omitted. */
  volatility: Map<string, string>;
  types: Map<string, { input: string; output: string }>;
}

export async function readCatalog(client: pg.ClientBase): Promise<Catalog> {
  const { rows: tables } = await client.query(
    `select c.oid::text, c.relname::text as name, a.attname::text as "column", a.attnum::text as number
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0`,
  );
  const { rows: equals } = await client.query(`select oid::text from pg_operator where oprname = '='`);
  const { rows: functions } = await client.query(
    `select oid::text, provolatile::text as volatility from pg_proc where provolatile <> 'i'`,
  );
  const { rows: types } = await client.query(
    `select oid::text, typinput::oid::text as input, typoutput::oid::text as output from pg_type`,
  );
  const catalog: Catalog = {
    tables: new Map(),
    equals: new Set(equals.map(({ oid }) => oid)),
    volatility: new Map(functions.map(({ oid, volatility }) => [oid, volatility])),
    types: new Map(types.map(({ oid, input, output }) => [oid, { input, output }])),
  };
  for (const { oid, name, column, number } of tables) {
    const table = catalog.tables.get(oid) ?? { name, columns: new Map() };
    catalog.tables.set(oid, table);
    table.columns.set(number, column);
  }
  return catalog;
}

interface TableReference {
  entry: TreeNode;
  table: string;
  /** Colocation group, or undefined for a reference table. */
  group: string | undefined;
  written: boolean;
  /** The parameter or constant that determines the shard. */
  route: string | undefined;
}

interface Scope {
  query: TreeNode;
  parent: Scope | undefined;
}

const COMMAND_TYPES: Record<string, 'select' | 'update' | 'insert' | 'delete'> = {
  1: 'select',
  2: 'update',
  3: 'insert',
  4: 'delete',
};
const getCommand = ({ fields }: TreeNode) => COMMAND_TYPES[String(fields.commandType)];

export async function findBrokenRules(
  client: pg.ClientBase,
  catalog: Catalog,
  sql: string,
): Promise<string[]> {
  const query = await analyzeStatement(client, sql);
  const references: TableReference[] = [];
  const broken = new Set<string>();
  const isRunInSteps = listNodes(query.fields.cteList).some(({ fields }) =>
    listNodes(fields.ctequery).some((inner) => getCommand(inner) === 'insert'),
  );
  visit({ query, parent: undefined });

  const distributed = references.filter(({ group }) => group !== undefined);
  const groups = new Set(distributed.map(({ group }) => group));
  if (groups.size > 1) broken.add(`tables of different groups: ${[...groups].sort().join(', ')}`);
  for (const { table, route } of distributed) if (route === undefined) broken.add(`${table}: all shards`);
  const routes = new Set(distributed.flatMap(({ route }) => route ?? []));
  if (groups.size === 1 && routes.size > 1) broken.add(`different shards: ${[...routes].sort().join(', ')}`);
  for (const { table, group, written } of references)
    if (group === undefined && written && distributed.length > 0)
      broken.add(`${table}: a reference table is changed in a statement with distributed tables`);
  if (getCommand(query) === 'insert' && distributed.length > 0) {
    const changes = listNodes(query.fields.cteList).flatMap(({ fields }) => listNodes(fields.ctequery));
    const isRead = distributed.some(({ written }) => !written);
    if (isRead && changes.some((inner) => getCommand(inner) !== 'select'))
      broken.add('INSERT … SELECT from a distributed table, beside a WITH that changes something');
  }
  return [...broken].sort();

  function visit(scope: Scope): void {
    const { fields } = scope.query;
    const entries = listNodes(fields.rtable);
    // PostgreSQL adds the pseudo-table EXCLUDED for ON CONFLICT.
    const excluded = listNodes(fields.onConflict)[0]?.fields.exclRelIndex;
    entries.forEach((entry, index) => {
      if (String(entry.fields.rtekind) !== RELATION || String(index + 1) === excluded) return;
      const table = catalog.tables.get(String(entry.fields.relid))?.name ?? '';
      const distribution = TABLE_DISTRIBUTION[table];
      if (distribution === undefined) return;
      const number = index + 1;
      const isResult = String(fields.resultRelation) === String(number);
      references.push({
        entry,
        table,
        group: { account: 'users', separate: table, reference: undefined }[distribution.group],
        written: isResult,
        route:
          distribution.group === 'reference'
            ? undefined
            : isResult && getCommand(scope.query) === 'insert'
              ? findInsertRoute(scope, entry, distribution.column)
              : findRoutes(scope.query).get(`${number}.${findColumnNumber(entry, distribution.column)}`),
      });
    });
    for (const { fields: rowMark } of listNodes(fields.rowMarks)) {
      const entry = entries[Number(rowMark.rti) - 1];
      const locked = references.find((reference) => reference.entry === entry);
      if (locked?.group !== undefined && locked.route === undefined)
        broken.add(`${locked.table}: rows are locked on all shards`);
    }
    // Citus can't find the shard of a nested UPDATE or DELETE if a condition has no column. A statement with an
    // INSERT in a CTE is exempt because Citus runs its CTEs one by one.
    if (getCommand(scope.query) !== 'select' && scope.parent !== undefined && !isRunInSteps)
      for (const { fields: from } of listNodes(fields.jointree))
        if (
          listConjuncts(from.quals).some(
            (condition) => !hasColumn(condition) && listQueries(condition).length === 0,
          )
        )
          broken.add('a change in a WITH has a condition without a column');
    if (getCommand(scope.query) !== 'select')
      for (const rule of findRulesBrokenByWrite(scope.query)) broken.add(rule);
    for (const inner of listQueries(Object.values(fields))) visit({ query: inner, parent: scope });
  }

  function findColumnNumber(entry: TreeNode, column: string): string {
    const columns = catalog.tables.get(String(entry.fields.relid))?.columns ?? new Map<string, string>();
    return [...columns].find(([, name]) => name === column)?.[0] ?? '';
  }

  function findInsertRoute(scope: Scope, entry: TreeNode, column: string): string | undefined {
    const number = findColumnNumber(entry, column);
    const target = listNodes(scope.query.fields.targetList).find(({ fields }) => fields.resno === number);
    return target && findShardValue(target.fields.expr, scope);
  }

  function findShardValue(tree: Tree | undefined, scope: Scope): string | undefined {
    const expression = stripCasts(tree);
    if (expression === undefined) return undefined;
    const { type, fields } = expression;
    if (type === 'PARAM') return `$${fields.paramid}`;
    if (type === 'CONST') return `constant ${JSON.stringify(fields.constvalue)}`;
    if (type !== 'VAR' || fields.varlevelsup !== '0') return undefined;
    const entry = listNodes(scope.query.fields.rtable)[Number(fields.varno) - 1];
    const column = String(fields.varattno);
    switch (String(entry?.fields.rtekind)) {
      case RELATION:
        return findRoutes(scope.query).get(`${fields.varno}.${column}`);
      case SUBQUERY: {
        const [query] = listNodes(entry?.fields.subquery);
        return query && findOutputRoute({ query, parent: scope }, column);
      }
      case CTE: {
        const cte = findCte(String(entry?.fields.ctename), Number(entry?.fields.ctelevelsup), scope);
        return cte && findOutputRoute(cte, column);
      }
      case VALUES: {
        const lists = entry?.fields.values_lists;
        const rows = Array.isArray(lists) ? lists : [];
        const values = rows.map(
          (row) => Array.isArray(row) && findShardValue(row[Number(column) - 1], scope),
        );
        return values.every((value) => value === values[0]) ? values[0] || undefined : undefined;
      }
      default:
        return undefined;
    }
  }

  function findOutputRoute(scope: Scope, column: string): string | undefined {
    const { targetList, returningList } = scope.query.fields;
    const list = getCommand(scope.query) === 'select' ? targetList : returningList;
    const target = listNodes(list).find(({ fields }) => fields.resno === column);
    return target && findShardValue(target.fields.expr, scope);
  }

  /** Maps columns (`table number.column number`) to the parameter or constant that they must equal. */
  function findRoutes(query: TreeNode): Map<string, string> {
    const routes = new Map<string, string>();
    const pairs: [from: string, to: string][] = [];
    const matchAllTables = () => true;
    const addQuals = (quals: Tree | undefined, mayRestrict: (table: string) => boolean) => {
      for (const { type, fields } of listConjuncts(quals)) {
        if (type !== 'OPEXPR' || !catalog.equals.has(String(fields.opno))) continue;
        const [left, right] = listNodes(fields.args).map(stripCasts);
        for (const [column, value] of [
          [left, right],
          [right, left],
        ]) {
          if (
            column?.type !== 'VAR' ||
            column.fields.varlevelsup !== '0' ||
            !mayRestrict(String(column.fields.varno))
          )
            continue;
          const key = `${column.fields.varno}.${column.fields.varattno}`;
          if (value?.type === 'PARAM') routes.set(key, `$${value.fields.paramid}`);
          if (value?.type === 'CONST') routes.set(key, `constant ${JSON.stringify(value.fields.constvalue)}`);
          if (value?.type === 'VAR' && value.fields.varlevelsup === '0')
            pairs.push([`${value.fields.varno}.${value.fields.varattno}`, key]);
        }
      }
    };
    const visitFrom = (tree: Tree | undefined, mayRestrict: (table: string) => boolean): void => {
      for (const { type, fields } of listNodes(tree)) {
        if (type === 'FROMEXPR') {
          visitFrom(fields.fromlist, mayRestrict);
          addQuals(fields.quals, mayRestrict);
        }
        if (type !== 'JOINEXPR') continue;
        visitFrom(fields.larg, mayRestrict);
        visitFrom(fields.rarg, mayRestrict);
        // The condition of an outer join restricts only the nullable side.
        const inside = { [INNER]: fields, [LEFT]: fields.rarg, [RIGHT]: fields.larg }[
          String(fields.jointype)
        ];
        const nullableTables = fields.jointype === INNER ? undefined : listTables(inside as Tree | undefined);
        addQuals(
          fields.quals,
          nullableTables === undefined ? mayRestrict : (table) => nullableTables.has(table),
        );
      }
    };
    visitFrom(query.fields.jointree, matchAllTables);
    for (let grown = true; grown; ) {
      grown = false;
      for (const [from, to] of pairs) {
        const value = routes.get(from);
        if (value === undefined || routes.has(to)) continue;
        routes.set(to, value);
        grown = true;
      }
    }
    return routes;
  }

  /** Finds functions that Citus rejects in a write because each node might compute a different value. */
  function findRulesBrokenByWrite({ fields }: TreeNode): string[] {
    const quals = listNodes(fields.jointree).flatMap((from) => listNodes(from.fields.quals));
    const isSelected = listNodes(listNodes(fields.jointree)[0]?.fields.fromlist).length > 0;
    const isUpdate = String(fields.commandType) === '2';
    const set = isUpdate || !isSelected ? listNodes(fields.targetList) : [];
    const broken: string[] = [];
    for (const node of [...set, ...quals].flatMap((tree) => [...walkNodes(tree)])) {
      if (
        /^(CASE|COALESCE)(EXPR)?$/.test(node.type) &&
        [...walkNodes(node)].some((inner) => getVolatility(inner) !== 'i')
      )
        broken.push('a function that is not immutable in CASE or COALESCE of a change');
      const volatility = getVolatility(node);
      if (volatility === 's' && hasColumn(node))
        broken.push('a STABLE function of a column in SET or WHERE of a change');
      if (volatility === 'v' && (isUpdate || quals.length > 0))
        broken.push('a VOLATILE function in a change');
    }
    if (
      listNodes(fields.returningList).some((tree) =>
        [...walkNodes(tree)].some((node) => getVolatility(node) !== 'i'),
      )
    )
      broken.push('a function that is not immutable in RETURNING');
    if (
      listNodes(fields.onConflict).some((tree) =>
        [...walkNodes(tree)].some((node) => getVolatility(node) !== 'i'),
      )
    )
      broken.push('a function that is not immutable in ON CONFLICT');
    return broken;
  }

  function getVolatility({ type, fields }: TreeNode): string {
    const lookUpVolatility = (oid: Tree | undefined) => catalog.volatility.get(String(oid)) ?? 'i';
    if (type === 'SQLVALUEFUNCTION') return 's';
    if (type === 'NEXTVALUEEXPR') return 'v';
    if (type !== 'COERCEVIAIO')
      return lookUpVolatility(fields.funcid ?? fields.opfuncid ?? fields.aggfnoid ?? fields.winfnoid);
    const [argument] = listNodes(fields.arg);
    const sourceType = Object.entries(argument?.fields ?? {}).find(([name]) => TYPE_FIELD.test(name))?.[1];
    const [input, output] = [
      catalog.types.get(String(fields.resulttype)),
      catalog.types.get(String(sourceType)),
    ];
    return (
      [lookUpVolatility(input?.input), output === undefined ? 's' : lookUpVolatility(output.output)]
        .sort()
        .at(-1) ?? 'i'
    );
  }
}

const [RELATION, SUBQUERY, VALUES, CTE] = ['0', '1', '5', '6'];
const [INNER, LEFT, RIGHT] = ['0', '1', '3'];
const TYPE_FIELD = /^(var|param|const|funcresult|opresult|result|coalesce|case|array|minmax|agg)type$/;

const listConjuncts = (quals: Tree | undefined): TreeNode[] =>
  listNodes(quals).flatMap((node) =>
    node.type === 'BOOLEXPR' && node.fields.boolop === 'and' ? listConjuncts(node.fields.args) : [node],
  );

const stripCasts = (tree: Tree | undefined): TreeNode | undefined => {
  const [node] = listNodes(tree);
  return node?.type === 'RELABELTYPE' ? stripCasts(node.fields.arg) : node;
};

function listTables(tree: Tree | undefined): Set<string> {
  const tables = new Set<string>();
  for (const node of listNodes(tree))
    for (const inner of walkNodes(node))
      if (inner.type === 'RANGETBLREF') tables.add(String(inner.fields.rtindex));
  return tables;
}

function findCte(name: string, level: number, scope: Scope): Scope | undefined {
  let owner: Scope | undefined = scope;
  for (let up = 0; up < level; up++) owner = owner?.parent;
  const cte = listNodes(owner?.query.fields.cteList).find(({ fields }) => fields.ctename === name);
  const [query] = listNodes(cte?.fields.ctequery);
  return query && { query, parent: owner };
}

const listQueries = (tree: Tree): TreeNode[] =>
  Array.isArray(tree)
    ? tree.flatMap(listQueries)
    : isNode(tree)
      ? tree.type === 'QUERY'
        ? [tree]
        : listQueries(Object.values(tree.fields))
      : [];

/** Subqueries are checked separately. */
function* walkNodes(tree: Tree): Generator<TreeNode> {
  if (Array.isArray(tree)) for (const node of tree) yield* walkNodes(node);
  else if (isNode(tree) && tree.type !== 'QUERY') {
    yield tree;
    for (const field of Object.values(tree.fields)) yield* walkNodes(field);
  }
}

const hasColumn = (tree: Tree): boolean => [...walkNodes(tree)].some(({ type }) => type === 'VAR');
