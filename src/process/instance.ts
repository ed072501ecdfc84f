// Creates a complete instance of the service: database, keys, services and Fastify app.
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createMetadataDocumentReader } from '../agents/metadata-documents.ts';
import { buildApp } from '../app.ts';
import { createActivityCounter } from '../background/activity.ts';
import { createDiagnosticsRecorder } from '../background/diagnostics.ts';
import { createPruningStats } from '../background/pruning.ts';
import { createUsageRecorder } from '../background/usage.ts';
import type { Config } from '../config.ts';
import { createAttemptQueues } from '../credentials/attempt-queues.ts';
import { composeDeferredEmail } from '../credentials/deferred-emails.ts';
import { createPasswordHasher } from '../credentials/password-hashing.ts';
import type { Services } from '../http/services.ts';
import { loadSigningKeys } from '../keys/signing-keys.ts';
import { createMailer } from '../mail/delivery.ts';
import { createSealer } from '../oauth/seal.ts';
import type { ResolveHost } from '../outgoing/guarded-request.ts';
import { createIdentityProviders } from '../providers/identity-providers.ts';
import { resealProviderSecrets } from '../providers/settings.ts';
import { isUnavailable, openDatabase } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';

/** The settings with development defaults for the database URL and the secret key. */
export type ResolvedConfig = Config & { databaseUrl: string; secretKey: string };

export interface Instance {
  app: FastifyInstance;
  services: Services;
  /** Makes /readyz fail so that load balancers stop sending requests. */
  startShutdown(): void;
  /** Finishes accepted requests, writes buffered records, and closes the database. */
  close(): Promise<void>;
}

/** The caller must start listening. */
export async function openInstance(
  config: ResolvedConfig,
  logger: Logger,
  {
    now = () => new Date(),
    wait: waitFor = (milliseconds: number) => wait(milliseconds),
    usagePeriod,
    resolve,
  }: Partial<Pick<Services, 'now' | 'wait'>> & {
    usagePeriod?: number;
    resolve?: ResolveHost | undefined;
  } = {},
): Promise<Instance> {
  const database = openDatabase(
    config.databaseUrl,
    config.databasePoolSize,
    (error) => logger.warn({ err: error }, 'database connection lost'),
    { prepare: config.databasePrepare },
  );
  const sealer = createSealer(config.secretKey, config.secretKeyPrevious ? [config.secretKeyPrevious] : []);
  try {
    const keys = await loadSigningKeys(database, sealer, now());
    await resealProviderSecrets(database, sealer);
    const hasher = await createPasswordHasher({ database, now, wait: waitFor });
    const requestCounts: Services['requestCounts'] = new Map();
    const activity = createActivityCounter(database, logger, {
      responseTimes: requestCounts,
      now,
      period: usagePeriod,
    });
    const services: Services = {
      config,
      database,
      sealer,
      keys,
      hasher,
      attempts: createAttemptQueues(),
      mailer: createMailer(config, logger, {
        database,
        sealer: async () => sealer,
        now,
        compose: composeDeferredEmail({ config, database, sealer }),
      }),
      metadataDocuments: createMetadataDocumentReader({ config, database, sealer, now, resolve }),
      identityProviders: createIdentityProviders({
        config,
        database,
        sealer,
        now,
        policy: { production: config.production, allowLoopback: true, ...(resolve && { resolve }) },
      }),
      now,
      wait: waitFor,
      requestCounts,
      pruningStats: createPruningStats(),
      usage: createUsageRecorder(database, logger, usagePeriod),
      activity,
      diagnostics: createDiagnosticsRecorder(database, logger, (clientId, at) =>
        activity.countClientEvent(clientId, 'refused_others', at),
      ),
    };
    let closing = false;
    const app = await buildApp(services, logger, () => closing);
    return {
      app,
      services,
      startShutdown: () => {
        closing = true;
      },
      close: async () => {
        closing = true;
        // The flushes don't wait for app.close(), which an unfinished request can block.
        await Promise.all([
          app.close(),
          services.usage.flush(),
          services.diagnostics.flush(),
          activity.flush(),
        ]);
        await services.mailer.close();
        await services.usage.close();
        await services.diagnostics.close();
        // Closed last because `diagnostics` may count further events.
        await activity.close();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

const DATABASE_TIMEOUT = 60_000;

/** Waits while the database is unreachable or another process migrates it. */
export async function migrateWhenReady(databaseUrl: string, logger: Logger): Promise<void> {
  const deadline = Date.now() + DATABASE_TIMEOUT;
  for (;;) {
    try {
      const applied = await migrate(databaseUrl);
      if (applied.length > 0)
        logger.info({ migrations: applied.length, latest: applied.at(-1) }, 'database migrated');
      return;
    } catch (error) {
      if (!isUnavailable(error) || Date.now() > deadline) throw error;
      logger.warn({ err: error }, 'waiting for the database');
      await wait(1000);
    }
  }
}
