// The service as a whole: database migrated and opened, keys loaded, application built. Used by server and tests.
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { openAgentDocuments } from '../agents/documents.ts';
import { buildApp } from '../app.ts';
import { gatherActivity } from '../background/activity.ts';
import { gatherDiagnostics } from '../background/diagnostics.ts';
import { newPruningRecord } from '../background/pruning.ts';
import { gatherUsage } from '../background/usage.ts';
import type { Config } from '../config.ts';
import { openAttempts } from '../credentials/attempts.ts';
import { createPasswordHasher } from '../credentials/password-hashing.ts';
import { writeWished } from '../credentials/wished-mails.ts';
import type { Parts } from '../http/parts.ts';
import { loadSigningKeys } from '../keys/signing-keys.ts';
import { createMailer } from '../mail/mailer.ts';
import { createSealer } from '../oauth/seal.ts';
import type { Resolve } from '../outgoing/guarded-request.ts';
import { isUnavailable, openDatabase } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';

/** The two settings that development makes up for itself. */
export type CompleteConfig = Config & { databaseUrl: string; secretKey: string };

export interface Service {
  app: FastifyInstance;
  parts: Parts;
  /** Makes /readyz say no, from when the process is asked to stop. */
  startClosing(): void;
  /** Answers what has been accepted, then lets the database go. */
  close(): Promise<void>;
}

/** Opens everything that the application is made of; it does not listen yet. */
export async function openService(
  config: CompleteConfig,
  logger: Logger,
  {
    now = () => new Date(),
    wait: waitFor = (milliseconds: number) => wait(milliseconds),
    usagePeriod,
    resolve,
  }: Partial<Pick<Parts, 'now' | 'wait'>> & { usagePeriod?: number; resolve?: Resolve | undefined } = {},
): Promise<Service> {
  const database = openDatabase(
    config.databaseUrl,
    config.databasePoolSize,
    (error) => logger.warn({ err: error }, 'a database connection was lost'),
    { prepare: config.databasePrepare },
  );
  const sealer = createSealer(config.secretKey, config.secretKeyPrevious ? [config.secretKeyPrevious] : []);
  try {
    const keys = await loadSigningKeys(database, sealer, now());
    const hasher = await createPasswordHasher();
    const requests: Parts['requests'] = new Map();
    const activity = gatherActivity(database, logger, { answers: requests, now, period: usagePeriod });
    const parts: Parts = {
      config,
      database,
      sealer,
      keys,
      hasher,
      attempts: openAttempts(),
      mailer: createMailer(config, logger, {
        database,
        sealer: async () => sealer,
        now,
        write: writeWished({ config, database, sealer }),
      }),
      agents: openAgentDocuments({ config, database, sealer, now, resolve }),
      now,
      wait: waitFor,
      requests,
      pruning: newPruningRecord(),
      usage: gatherUsage(database, logger, usagePeriod),
      activity,
      diagnostics: gatherDiagnostics(database, logger, (clientId, at) =>
        activity.happenedTo(clientId, 'refused_others', at),
      ),
    };
    let closing = false;
    const app = await buildApp(parts, logger, () => closing);
    return {
      app,
      parts,
      startClosing: () => {
        closing = true;
      },
      close: async () => {
        closing = true;
        // What was gathered is written now, too: a peer that never comes to an end may keep the rest from being reached.
        await Promise.all([app.close(), parts.usage.flush(), parts.diagnostics.flush(), activity.flush()]);
        await parts.mailer.close();
        await parts.usage.close();
        await parts.diagnostics.close();
        await activity.close(); // diagnostics count, too
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** How long a starting service waits for a database that is still on its way up. */
const PATIENCE = 60_000;

/** Brings the database up to date, waiting for it and for other processes that do the same. */
export async function migrateWhenReady(databaseUrl: string, logger: Logger): Promise<void> {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    try {
      const applied = await migrate(databaseUrl);
      if (applied.length > 0) logger.info({ migrations: applied.length, latest: applied.at(-1) }, 'migrated');
      return;
    } catch (error) {
      if (!isUnavailable(error) || Date.now() > deadline) throw error;
      logger.warn({ err: error }, 'waiting for the database');
      await wait(1000);
    }
  }
}
