// Runs the service: settings, migrations, listening, background jobs, graceful shutdown.
import type { Logger } from 'pino';
import { startBackchannel } from '../background/backchannel-logout.ts';
import { startKeyWatch } from '../background/key-watch.ts';
import { startOutbox } from '../background/outbox.ts';
import { startPruning } from '../background/pruning.ts';
import { startFactorResets } from '../background/second-factor-resets.ts';
import { type Config, ConfigError, readConfig } from '../config.ts';
import { UnsuitableDatabase } from '../store/connection.ts';
import { isUnavailable } from '../store/database.ts';
import { createLogger } from './logger.ts';
import { type CompleteConfig, migrateWhenReady, openService } from './service.ts';

const EX_CONFIG = 78;
/** Whoever stops us waits ten seconds before using force. In production /readyz says no for the first two of them. */
const UNREADY = 2_000;
const DRAIN = 6_000;

try {
  await serve();
} catch (error) {
  if (error instanceof ConfigError) {
    for (const fault of error.faults) process.stderr.write(`sesame: ${fault}\n`);
    process.exit(EX_CONFIG);
  }
  process.stderr.write(`sesame: cannot start: ${reasonOf(error)}\n`);
  process.exit(1);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof UnsuitableDatabase) return error.message;
  if ('setting' in error) return listenReasonOf(error as ListenError);
  return isUnavailable(error)
    ? `the database cannot be reached (${error.message || (error as NodeJS.ErrnoException).code}).`
    : (error.stack ?? error.message);
}

/** A port that could not be opened, and the setting that names it. */
type ListenError = NodeJS.ErrnoException & {
  address?: string;
  port?: number;
  setting: 'PORT' | 'METRICS_PORT';
};

function listenReasonOf({ code, address, port, setting, message }: ListenError): string {
  if (code === 'EADDRINUSE')
    return `${address}:${port} is in use by another program; set ${setting} to a free one.`;
  if (code === 'EACCES') return `this user may not listen on port ${port}; set ${setting} to 1024 or above.`;
  return `cannot listen (${message}); see ${setting.replace('PORT', 'HOST')} and ${setting}.`;
}

async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger(
    config.logLevel,
    config.development ? (await import('../../tools/development-log.ts')).openDevelopmentLog() : undefined,
  );
  // Ctrl-C reaches this process twice (from the terminal and from npm), so every signal after the first is ignored.
  let askedToStop: () => void = () => {};
  const stopAsked = new Promise<void>((resolve) => {
    askedToStop = resolve;
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => askedToStop());
  process.on('unhandledRejection', (error) => logger.fatal({ err: error }, 'unhandled rejection'));

  try {
    await prepareAndServe(config, logger, stopAsked);
    logger.info('closed');
  } finally {
    // Unlike pino's flush at exit, this one gives up on a broken pipe.
    await new Promise<void>((resolve) => logger.flush(() => resolve()));
  }
  process.exit(0);
}

/** Fills in the settings of development, migrates the database and serves until asked to stop. */
async function prepareAndServe(config: Config, logger: Logger, stopAsked: Promise<void>): Promise<void> {
  const development = config.production
    ? undefined
    : await (await import('../../tools/development.ts')).prepareDevelopment(config);
  const complete = { ...config, ...development?.settings } as CompleteConfig;
  const migrated = migrateWhenReady(complete.databaseUrl, logger).then(() => true);
  const mayGoOn = await Promise.race([migrated, stopAsked.then(() => false)]);
  if (!mayGoOn) logger.info('asked to stop before it opened');
  else await answer(complete, logger, stopAsked, development);
  await development?.stop();
}

type Development = Awaited<ReturnType<typeof import('../../tools/development.ts')['prepareDevelopment']>>;

async function answer(
  config: CompleteConfig,
  logger: Logger,
  stopAsked: Promise<void>,
  development?: Development,
): Promise<void> {
  const service = await openService(config, logger);
  await service.app.listen({ host: config.host, port: config.port }).catch((error) => {
    // Not where /metrics, which is opened before, could not get its own port.
    throw Object.assign(error, { setting: error.setting ?? 'PORT' });
  });
  const background = [startPruning, startKeyWatch, startBackchannel, startOutbox, startFactorResets].map(
    (start) => start(service.parts, logger),
  );
  logger.info({ baseUrl: config.baseUrl }, 'listening');
  await development?.welcome(service.parts);

  await stopAsked;
  logger.info('closing');
  service.startClosing();
  // Behind a balancer: it has to read « not ready » before the door is shut.
  if (config.production) await new Promise((resolve) => setTimeout(resolve, UNREADY));
  const closed = close().catch((error) => logger.error({ err: error }, 'closing was not clean'));
  const outOfTime = new Promise<void>((resolve) => setTimeout(resolve, DRAIN));
  await Promise.race([closed, outOfTime.then(() => logger.warn('requests that took too long were cut off'))]);

  async function close(): Promise<void> {
    await development?.goodbye();
    await Promise.all([service.close(), ...background.map((work) => work.stop())]);
  }
}
