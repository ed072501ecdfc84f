// A connection to PostgreSQL whose session doesn't depend on the defaults of the server, the database or the role.
import pg from 'pg';

/**
 * Session settings that we depend on, sent in the startup message so that PgBouncer tracks them. The values must be spelled
 * as PostgreSQL reports them.
 */
const SESSION_SETTINGS = { DateStyle: 'ISO, MDY', TimeZone: 'UTC' };

type StartupMessage = { getStartupConf(): Record<string, string> };

/** The driver's client. Its types leave out the method that builds the startup message. */
export class Client extends pg.Client {
  getStartupConf(): Record<string, string> {
    const { getStartupConf } = pg.Client.prototype as unknown as StartupMessage;
    return { ...getStartupConf.call(this as unknown as StartupMessage), ...SESSION_SETTINGS };
  }
}

/** A database that Sésame can't use as it is. The message says what to change. */
export class UnsuitableDatabase extends Error {}

interface Found {
  name: string;
  encoding: string;
  isolation: string;
  hasPublic: boolean;
}

/**
 * Checks what a session can't choose behind a pooler.
 * @throws UnsuitableDatabase
 */
export async function requireSuitableDatabase(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<Found>(
    `select current_database() as name, current_setting('server_encoding') as encoding,
      current_setting('default_transaction_isolation') as isolation,
      'public' = any (current_schemas(false)) as "hasPublic"`,
  );
  const { name, encoding, isolation, hasPublic } = rows[0] as Found;
  if (encoding !== 'UTF8')
    throw new UnsuitableDatabase(
      `the database ${name} has the encoding ${encoding}, which can't hold every name; create one with: ` +
        `create database … encoding 'UTF8' template template0`,
    );
  if (isolation !== 'read committed')
    throw new UnsuitableDatabase(
      `the database ${name} has default_transaction_isolation = ${isolation} for this role; ` +
        `Sésame needs "read committed"`,
    );
  if (!hasPublic)
    throw new UnsuitableDatabase(
      `the database ${name} has no schema "public" in the search_path of this role, which needs the privilege USAGE on it`,
    );
}
