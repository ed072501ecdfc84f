// The process: settings, database, listening, and a graceful end.
import { ConfigError, readConfig } from './config.ts';
import { createLogger } from './logger.ts';
import { startPruning } from './pruner.ts';
import { migrateWhenReady, openService } from './service.ts';
import { isUnavailable } from './store/database.ts';

const EX_CONFIG = 78;
/** Whoever stops us waits ten seconds before using force. In production /readyz says no for the first two of them. */
const UNREADY = 2_000;
/** Requests in flight get this long. */
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

/** What an operator can act on; the stack only where there is nothing better. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === 'EADDRINUSE')
    return `${address}:${port} is in use by another program; set PORT to a free one.`;
  if (code === 'EACCES' && port !== undefined)
    return `this user may not listen on port ${port}; set PORT to 1024 or above.`;
  return isUnavailable(error)
    ? `the database cannot be reached (${error.message || code}).`
    : (error.stack ?? error.message);
}

async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger(config.logLevel);
  // Ctrl-C reaches this process twice (from the terminal and from npm), so every signal after the first is ignored.
  let askedToStop: () => void = () => {};
  const stopAsked = new Promise<void>((resolve) => {
    askedToStop = resolve;
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => askedToStop());
  process.on('unhandledRejection', (error) => logger.fatal({ err: error }, 'unhandled rejection'));

  const development = config.production
    ? undefined
    : await (await import('../tools/development.ts')).prepareDevelopment(config);
  const complete = { ...config, ...development?.settings } as Parameters<typeof openService>[0];

  const migrated = migrateWhenReady(complete.databaseUrl, logger).then(() => true);
  const mayGoOn = await Promise.race([migrated, stopAsked.then(() => false)]);
  if (!mayGoOn) {
    await development?.stop();
    logger.info('closed before it opened');
    process.exit(0);
  }
  const service = await openService(complete, logger);
  await service.app.listen({ host: config.host, port: config.port });
  const pruning = startPruning(service.parts, logger);
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
  await development?.stop();
  logger.info('closed');
  process.exit(0);

  async function close(): Promise<void> {
    await development?.goodbye();
    await Promise.all([service.close(), pruning.stop()]);
  }
}
