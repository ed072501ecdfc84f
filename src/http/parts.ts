// What the process gives to plugins, routes and pages: everything that is made once.

import type { AgentDocuments } from '../agents/documents.ts';
import type { Activity } from '../background/activity.ts';
import type { Diagnostics } from '../background/diagnostics.ts';
import type { PruningRecord } from '../background/pruning.ts';
import type { Usage } from '../background/usage.ts';
import type { Config } from '../config.ts';
import type { Attempts } from '../credentials/attempts.ts';
import type { PasswordHasher } from '../credentials/password-hashing.ts';
import type { SigningKeys } from '../keys/tokens.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { Sealer } from '../oauth/seal.ts';
import type { Database } from '../store/database.ts';
import type { RequestCounts } from './request-metrics.ts';

export interface Parts {
  config: Config;
  database: Database;
  sealer: Sealer;
  keys: SigningKeys;
  hasher: PasswordHasher;
  attempts: Attempts;
  mailer: Mailer;
  agents: AgentDocuments;
  /** What has been done since the start, for /metrics. */
  requests: RequestCounts;
  pruning: PruningRecord;
  usage: Usage;
  activity: Activity;
  /** Takes notes of refused requests and of what applications do right. */
  diagnostics: Diagnostics;
  /** The one clock that decides (D36). */
  now: () => Date;
  /** Resolves after so many milliseconds. */
  wait: (milliseconds: number) => Promise<void>;
}
