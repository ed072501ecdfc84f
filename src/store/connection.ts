// Connects to PostgreSQL and checks the database at startup.
import pg from 'pg';

/**
 * Sent in the startup message. Overrides the defaults of the server, database and role. PgBouncer compares these
 * settings with those of its server connections, so values must be spelled as PostgreSQL reports them.
 */
const SESSION_SETTINGS = { DateStyle: 'ISO, MDY', TimeZone: 'UTC' };

type StartupMessage = { getStartupConf(): Record<string, string> };

/** The driver's types omit `getStartupConf`. */
export class DatabaseClient extends pg.Client {
  getStartupConf(): Record<string, string> {
    const { getStartupConf } = pg.Client.prototype as unknown as StartupMessage;
    return { ...getStartupConf.call(this as unknown as StartupMessage), ...SESSION_SETTINGS };
  }
}

export class UnsuitableDatabaseError extends Error {}

interface DatabaseProperties {
  name: string;
  encoding: string;
  isolation: string;
  hasPublic: boolean;
}

/**
 * Checks properties that can't be set through a connection pooler.
 * @throws UnsuitableDatabaseError
 */
export async function requireSuitableDatabase(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<DatabaseProperties>(
    `select current_database() as name, current_setting('server_encoding') as encoding,
      current_setting('default_transaction_isolation') as isolation,
      'public' = any (current_schemas(false)) as "hasPublic"`,
  );
  const { name, encoding, isolation, hasPublic } = rows[0] as DatabaseProperties;
  if (encoding !== 'UTF8')
    throw new UnsuitableDatabaseError(
      `database ${name} has the encoding ${encoding}, but UTF8 is required; create a new database with: ` +
        `create database … encoding 'UTF8' template template0`,
    );
  if (isolation !== 'read committed')
    throw new UnsuitableDatabaseError(
      `database ${name} has default_transaction_isolation = ${isolation} for this role; ` +
        `set it to "read committed"`,
    );
  if (!hasPublic)
    throw new UnsuitableDatabaseError(
      `database ${name} has no schema "public" in the search_path of this role; ` +
        `add "public" to the search_path, and grant USAGE on the schema to the role`,
    );
}
