// Creates a test database on every node of a Citus cluster.
import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface CitusDatabase {
  url: string;
  workers: string[];
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

/** @param coordinatorUrl URL of any database on the coordinator, with superuser credentials for all nodes */
export async function createCitusDatabase(coordinatorUrl: string): Promise<CitusDatabase> {
  const name = `sesame_test_${randomBytes(6).toString('hex')}`;
  const coordinator = new URL(coordinatorUrl);
  const nodes = await queryOnce<{ nodename: string; nodeport: number }>(
    coordinatorUrl,
    `select nodename, nodeport from pg_dist_node where groupid <> 0 and noderole = 'primary' order by nodeid`,
  );
  const buildUrl = (node: URL, database: string) =>
    Object.assign(new URL(node), { pathname: `/${database}` }).href;
  const workers = nodes.map(({ nodename, nodeport }) =>
    Object.assign(new URL(coordinatorUrl), { hostname: nodename, port: String(nodeport) }),
  );
  const allNodes = [coordinator, ...workers];
  const forEachNode = async (work: (node: URL) => Promise<unknown>) => {
    for (const node of allNodes) await work(node);
  };
  await forEachNode((node) =>
    queryOnce(buildUrl(node, 'postgres'), `create database ${name} encoding 'UTF8' template template0`),
  );
  const url = buildUrl(coordinator, name);
  const client = new pg.Pool({ connectionString: url, max: 1 }).on('error', () => {});
  const database: CitusDatabase = {
    url,
    workers: workers.map((node) => buildUrl(node, name)),
    query: async <Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []) =>
      (await client.query<Row>(sql, values)).rows,
    drop: async () => {
      await client.end();
      await forEachNode((node) =>
        queryOnce(buildUrl(node, 'postgres'), `drop database if exists ${name} with (force)`),
      );
    },
  };
  try {
    await forEachNode((node) => queryOnce(buildUrl(node, name), 'create extension citus'));
    await database.query('select citus_set_coordinator_host($1, $2)', [
      coordinator.hostname,
      Number(coordinator.port),
    ]);
    for (const node of workers)
      await database.query('select citus_add_node($1, $2)', [node.hostname, Number(node.port)]);
    return database;
  } catch (error) {
    await database.drop();
    throw error;
  }
}

async function queryOnce<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
