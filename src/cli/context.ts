// Opens the services that a command uses: database, mailer, password hashing, encryption.
import { join } from 'node:path';
import { pino } from 'pino';
import { type Config, readConfig } from '../config.ts';
import { composeDeferredEmail } from '../credentials/deferred-emails.ts';
import { createPasswordHasher, type PasswordHasher } from '../credentials/password-hashing.ts';
import { createMailer, type Mailer } from '../mail/mailer.ts';
import { createSealer, type Sealer } from '../oauth/seal.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';

/** The process's environment and streams, which tests replace. */
export interface CliProcess {
  environment: Record<string, string | undefined>;
  /** Standard input, read only for --password-stdin and --secret-stdin. */
  input: AsyncIterable<Uint8Array | string>;
  output: OutputStream;
  errors: OutputStream;
}

interface OutputStream {
  write(text: string): void;
  /** Width in characters if the stream is a terminal. */
  columns?: number | undefined;
}

export interface Context {
  config: Config;
  input: CliProcess['input'];
  output: OutputStream;
  /** Standard error, for warnings and progress. */
  errors: CliProcess['errors'];
  /** Exit code of the command if it succeeds. Default: 0. */
  exitCode: number;
  database: Database;
  /** Names of the migrations that `openContext` applied. */
  migrations: string[];
  hasher(): Promise<PasswordHasher>;
  sealer(): Promise<Sealer>;
  /** `mailer.close` waits up to three seconds for queued emails to be sent. */
  mailer: Mailer;
  now: Date;
  close(): Promise<void>;
}

/** A command failure. The message tells the administrator how to fix the problem. */
export class CommandError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Opens the services. Outside production, if DATABASE_URL isn't set, uses the embedded database and starts it if necessary. */
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
    const migrations = await migrate(url);
    const database = openDatabase(url, 1, undefined, {
      prepare: config.databasePrepare,
      withoutTimeouts: true,
    });
    const now = new Date();
    // Delivery errors are printed to standard error because standard output must contain only the command's result.
    const logger = pino({ level: 'warn' }, errors);
    const mailer = createMailer(config, logger, {
      database,
      sealer: () => openSealer(config),
      now: () => new Date(),
      compose: async (deferred, at) =>
        composeDeferredEmail({ config, database, sealer: await openSealer(config) })(deferred, at),
      capturesEmails: false, // in development, the running service captures the emails that commands queue
    });
    return {
      config,
      input,
      output,
      errors,
      exitCode: 0,
      database,
      mailer,
      migrations,
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

/** Outside production, if SECRET_KEY isn't set, uses the key stored in DATA_DIR and creates it if necessary. */
async function openSealer({ secretKey, secretKeyPrevious, dataDir }: Config): Promise<Sealer> {
  const secret = secretKey ?? (await import('../../tools/development.ts')).readOrCreateSecretKey(dataDir);
  return createSealer(secret, secretKeyPrevious === undefined ? [] : [secretKeyPrevious]);
}
