// A database of its own on every node of a Citus cluster.
import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface CitusDatabase {
  /** On the coordinator. */
  url: string;
  /** The same database on each worker. */
  workers: string[];
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

/** @param coordinatorUrl any database of the coordinator that knows the workers, as a superuser on all nodes */
export async function createCitusDatabase(coordinatorUrl: string): Promise<CitusDatabase> {
  const name = `sesame_test_${randomBytes(6).toString('hex')}`;
  const coordinator = new URL(coordinatorUrl);
  const nodes = await ask<{ nodename: string; nodeport: number }>(
    coordinatorUrl,
    `select nodename, nodeport from pg_dist_node where groupid <> 0 and noderole = 'primary' order by nodeid`,
  );
  const urlOf = (node: URL, database: string) =>
    Object.assign(new URL(node), { pathname: `/${database}` }).href;
  const workers = nodes.map(({ nodename, nodeport }) =>
    Object.assign(new URL(coordinatorUrl), { hostname: nodename, port: String(nodeport) }),
  );
  const all = [coordinator, ...workers];
  const onEach = async (work: (node: URL) => Promise<unknown>) => {
    for (const node of all) await work(node);
  };
  await onEach((node) =>
    ask(urlOf(node, 'postgres'), `create database ${name} encoding 'UTF8' template template0`),
  );
  const url = urlOf(coordinator, name);
  const client = new pg.Pool({ connectionString: url, max: 1 }).on('error', () => {});
  const database: CitusDatabase = {
    url,
    workers: workers.map((node) => urlOf(node, name)),
    query: async <Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []) =>
      (await client.query<Row>(sql, values)).rows,
    drop: async () => {
      await client.end();
      await onEach((node) => ask(urlOf(node, 'postgres'), `drop database if exists ${name} with (force)`));
    },
  };
  try {
    await onEach((node) => ask(urlOf(node, name), 'create extension citus'));
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

async function ask<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
