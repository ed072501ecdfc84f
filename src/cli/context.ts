// Creates the services that a command uses: database, mailer, password hashing, encryption.
import { join } from 'node:path';
import { pino } from 'pino';
import { type Config, readConfig } from '../config.ts';
import { composeDeferredEmail } from '../credentials/deferred-emails.ts';
import { createPasswordHasher, type PasswordHasher } from '../credentials/password-hashing.ts';
import { createMailer, type Mailer } from '../mail/delivery.ts';
import { createSealer, type Sealer } from '../oauth/seal.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';

export interface CliProcess {
  environment: Record<string, string | undefined>;
  input: AsyncIterable<Uint8Array | string>;
  output: OutputStream;
  errors: OutputStream;
}

interface OutputStream {
  write(text: string): void;
  /** Undefined if the stream is not a terminal. */
  columns?: number | undefined;
}

export interface Context {
  config: Config;
  input: CliProcess['input'];
  output: OutputStream;
  errors: CliProcess['errors'];
  /** Exit code of a command that does not throw. */
  exitCode: number;
  database: Database;
  appliedMigrations: string[];
  hasher(): Promise<PasswordHasher>;
  sealer(): Promise<Sealer>;
  mailer: Mailer;
  now: Date;
  close(): Promise<void>;
}

export class CommandError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Outside production, DATABASE_URL defaults to the embedded database. */
export async function openContext({ environment, input, output, errors }: CliProcess): Promise<Context> {
  const config = readConfig(environment);
  const embedded =
    config.databaseUrl === undefined
      ? await (await import('../../tools/embedded-postgres.ts')).startEmbeddedPostgres({
          dataDir: join(config.dataDir, 'postgres'),
        })
      : undefined;
  const url = config.databaseUrl ?? embedded?.url ?? '';
  try {
    const appliedMigrations = await migrate(url);
    const database = openDatabase(url, 1, undefined, {
      prepare: config.databasePrepare,
      withoutTimeouts: true,
    });
    const now = new Date();
    // Logs go to standard error because standard output must contain only the command's result.
    const logger = pino({ level: 'warn' }, errors);
    const mailer = createMailer(config, logger, {
      database,
      sealer: () => openSealer(config),
      now: () => new Date(),
      compose: async (deferred, at) =>
        composeDeferredEmail({ config, database, sealer: await openSealer(config) })(deferred, at),
      capturesEmails: false, // in development, the running service captures these emails
    });
    return {
      config,
      input,
      output,
      errors,
      exitCode: 0,
      database,
      mailer,
      appliedMigrations,
      hasher: () => createPasswordHasher(),
      sealer: () => openSealer(config),
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

/** Outside production, SECRET_KEY defaults to the key stored in DATA_DIR. */
async function openSealer({ secretKey, secretKeyPrevious, dataDir }: Config): Promise<Sealer> {
  const secret = secretKey ?? (await import('../../tools/development.ts')).readOrCreateSecretKey(dataDir);
  return createSealer(secret, secretKeyPrevious === undefined ? [] : [secretKeyPrevious]);
}
