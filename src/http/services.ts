// Services that a process creates once for its hooks, routes and pages.

import type { MetadataDocumentReader } from '../agents/metadata-documents.ts';
import type { ActivityCounter } from '../background/activity.ts';
import type { DiagnosticsRecorder } from '../background/diagnostics.ts';
import type { PruningStats } from '../background/pruning.ts';
import type { UsageRecorder } from '../background/usage.ts';
import type { Config } from '../config.ts';
import type { AttemptQueues } from '../credentials/attempt-queues.ts';
import type { PasswordHasher } from '../credentials/password-hashing.ts';
import type { SigningKeys } from '../keys/tokens.ts';
import type { Mailer } from '../mail/delivery.ts';
import type { Sealer } from '../oauth/seal.ts';
import type { IdentityProviders } from '../providers/identity-providers.ts';
import type { Database } from '../store/database.ts';
import type { RequestMetrics } from './request-metrics.ts';

export interface Services {
  config: Config;
  database: Database;
  sealer: Sealer;
  keys: SigningKeys;
  hasher: PasswordHasher;
  attempts: AttemptQueues;
  mailer: Mailer;
  metadataDocuments: MetadataDocumentReader;
  identityProviders: IdentityProviders;
  requestCounts: RequestMetrics;
  pruningStats: PruningStats;
  usage: UsageRecorder;
  activity: ActivityCounter;
  diagnostics: DiagnosticsRecorder;
  now: () => Date;
  wait: (milliseconds: number) => Promise<void>;
}
