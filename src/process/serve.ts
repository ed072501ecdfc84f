// Runs the server: settings, migrations, listening, background jobs, graceful shutdown.
import type { Logger } from 'pino';
import { startBackchannelLogout } from '../background/backchannel-logout.ts';
import { startKeyRotation } from '../background/key-rotation.ts';
import { startMfaResets } from '../background/mfa-resets.ts';
import { startOutboxPoller } from '../background/outbox-poller.ts';
import { startPruning } from '../background/pruning.ts';
import { type Config, ConfigError, readConfig } from '../config.ts';
import { UnsuitableDatabaseError } from '../store/connection.ts';
import { isUnavailable } from '../store/database.ts';
import { migrateWhenReady, openInstance, type ResolvedConfig } from './instance.ts';
import { createLogger } from './logger.ts';

const EX_CONFIG = 78;
/** Milliseconds from failing /readyz to closing the port. */
const UNREADY_PERIOD = 2_000;
/** How long requests in flight may take to finish, in milliseconds. Docker sends SIGKILL ten seconds after SIGTERM. */
const DRAIN_TIMEOUT = 6_000;

try {
  await serve();
} catch (error) {
  if (error instanceof ConfigError) {
    for (const message of error.errors) process.stderr.write(`sesame: ${message}\n`);
    process.exit(EX_CONFIG);
  }
  process.stderr.write(`sesame: cannot start: ${describeError(error)}\n`);
  process.exit(1);
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof UnsuitableDatabaseError) return error.message;
  if ('setting' in error) return describeListenError(error as ListenError);
  return isUnavailable(error)
    ? `the database is unreachable (${error.message || (error as NodeJS.ErrnoException).code}).`
    : (error.stack ?? error.message);
}

/** `setting` is the name of the port's setting. */
type ListenError = NodeJS.ErrnoException & {
  address?: string;
  port?: number;
  setting: 'PORT' | 'METRICS_PORT';
};

function describeListenError({ code, address, port, setting, message }: ListenError): string {
  if (code === 'EADDRINUSE')
    return `${address}:${port} is in use by another program; set ${setting} to a free port.`;
  if (code === 'EACCES')
    return `this user is not allowed to listen on port ${port}; set ${setting} to 1024 or above.`;
  return `cannot listen (${message}); see ${setting.replace('PORT', 'HOST')} and ${setting}.`;
}

async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger(
    config.logLevel,
    config.development ? (await import('../../tools/development-log.ts')).openDevelopmentLog() : undefined,
  );
  // Ctrl-C sends SIGINT twice (terminal and npm), so later signals are ignored.
  let requestStop: () => void = () => {};
  const stopRequested = new Promise<void>((resolve) => {
    requestStop = resolve;
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => requestStop());
  process.on('unhandledRejection', (error) => logger.fatal({ err: error }, 'unhandled rejection'));

  try {
    await prepareAndServe(config, logger, stopRequested);
    logger.info('shutdown complete');
  } finally {
    // This flush returns even if standard output is a broken pipe, unlike pino's flush at exit.
    await new Promise<void>((resolve) => logger.flush(() => resolve()));
  }
  process.exit(0);
}

async function prepareAndServe(config: Config, logger: Logger, stopRequested: Promise<void>): Promise<void> {
  const development = config.production
    ? undefined
    : await (await import('../../tools/development.ts')).prepareDevelopment(config);
  const resolvedConfig = { ...config, ...development?.settings } as ResolvedConfig;
  const migrated = migrateWhenReady(resolvedConfig.databaseUrl, logger).then(() => true);
  const isMigrated = await Promise.race([migrated, stopRequested.then(() => false)]);
  if (!isMigrated) logger.info('stopped before listening');
  else await listenUntilStopped(resolvedConfig, logger, stopRequested, development);
  await development?.stop();
}

type DevelopmentEnvironment = Awaited<
  ReturnType<typeof import('../../tools/development.ts')['prepareDevelopment']>
>;

async function listenUntilStopped(
  config: ResolvedConfig,
  logger: Logger,
  stopRequested: Promise<void>,
  development?: DevelopmentEnvironment,
): Promise<void> {
  const instance = await openInstance(config, logger);
  await instance.app.listen({ host: config.host, port: config.port }).catch((error) => {
    // If the metrics port couldn't be opened, `setting` is already METRICS_PORT.
    throw Object.assign(error, { setting: error.setting ?? 'PORT' });
  });
  const background = [
    startPruning,
    startKeyRotation,
    startBackchannelLogout,
    startOutboxPoller,
    startMfaResets,
  ].map((start) => start(instance.services, logger));
  logger.info({ baseUrl: config.baseUrl }, 'listening');
  await development?.welcome(instance.services);

  await stopRequested;
  logger.info('shutting down');
  instance.startShutdown();
  // Load balancers need time to notice that /readyz fails.
  if (config.production) await new Promise((resolve) => setTimeout(resolve, UNREADY_PERIOD));
  const closed = close().catch((error) => logger.error({ err: error }, 'shutdown failed'));
  const timedOut = new Promise<void>((resolve) => setTimeout(resolve, DRAIN_TIMEOUT));
  await Promise.race([
    closed,
    timedOut.then(() => logger.warn('shutdown timed out; unfinished requests were aborted')),
  ]);

  async function close(): Promise<void> {
    await development?.goodbye();
    await Promise.all([instance.close(), ...background.map((job) => job.stop())]);
  }
}
