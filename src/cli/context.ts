// What a command works on: the service's database, brought up to date, and the few parts it needs.
import { join } from 'node:path';
import { pino } from 'pino';
import { type Config, readConfig } from '../config.ts';
import { createPasswordHasher, type PasswordHasher } from '../credentials/password-hashing.ts';
import { writeWished } from '../credentials/wished-mails.ts';
import { createMailer, type Mailer } from '../mail/mailer.ts';
import { createSealer, type Sealer } from '../oauth/seal.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';

/** What a process has around it: the real one's in cli.ts. */
export interface Surroundings {
  environment: Record<string, string | undefined>;
  /** Read only by commands that are told to. */
  input: AsyncIterable<Uint8Array | string>;
  output: Sink;
  errors: Sink;
}

interface Sink {
  write(text: string): void;
  /** Width in columns, where it is a terminal. */
  columns?: number | undefined;
}

export interface Context {
  config: Config;
  input: Surroundings['input'];
  database: Database;
  /** Names of the migrations that opening applied. */
  migrations: string[];
  hasher(): Promise<PasswordHasher>;
  sealer(): Promise<Sealer>;
  /** Mails leave before the command ends, as far as that goes within three seconds. */
  mailer: Mailer;
  now: Date;
  close(): Promise<void>;
}

/** What the operator asked for cannot be done; the message says what to change. */
export class CommandFault extends Error {}

/** Opens the database that the environment names: outside production without DATABASE_URL the embedded one, joined if it runs. */
export async function openContext({ environment, input, errors }: Surroundings): Promise<Context> {
  const config = readConfig(environment);
  const embedded =
    config.databaseUrl === undefined
      ? await (await import('../../tools/embedded-postgres.ts')).startEmbeddedPostgres({
          dataDir: join(config.dataDir, 'postgres'),
        })
      : undefined;
  const url = config.databaseUrl ?? embedded?.url ?? '';
  try {
    const migrations = await migrate(url);
    const database = openDatabase(url, 1, undefined, { prepare: config.databasePrepare, patient: true });
    const now = new Date();
    // What cannot be sent is said on standard error: the result is on the other one.
    const logger = pino({ level: 'warn' }, errors);
    const mailer = createMailer(config, logger, {
      database,
      sealer: () => sealerOf(config),
      now: () => new Date(),
      write: async (wish, at) => writeWished({ config, database, sealer: await sealerOf(config) })(wish, at),
      keeps: false, // the running service shows them
    });
    return {
      config,
      input,
      database,
      mailer,
      migrations,
      hasher: () => createPasswordHasher(),
      sealer: () => sealerOf(config),
      now,
      close: async () => {
        await mailer.close();
        await database.close();
        await embedded?.stop();
      },
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** The service's own: outside production without SECRET_KEY, of the value that it keeps in its folder. */
async function sealerOf({ secretKey, secretKeyPrevious, dataDir }: Config): Promise<Sealer> {
  const secret = secretKey ?? (await import('../../tools/development.ts')).keptSecret(dataDir);
  return createSealer(secret, secretKeyPrevious === undefined ? [] : [secretKeyPrevious]);
}
