// What every grant needs of the process.
import type { Config } from '../config.ts';
import type { SigningKeys } from '../keys/tokens.ts';
import type { Sealer } from '../oauth/seal.ts';
import type { Database } from '../store/database.ts';

/** Takes notes of what a grant came to (background/usage.ts). */
interface Usage {
  consentUsed(userId: string, clientId: string, at: Date): void;
  disclosed(userId: string, clientId: string, fields: string, at: Date): void;
}

export interface GrantParts {
  database: Database;
  usage: Usage;
  sealer: Sealer;
  keys: SigningKeys;
  config: Pick<
    Config,
    | 'baseUrl'
    | 'authorizationCodeTtl'
    | 'accessTokenTtl'
    | 'refreshTokenIdleTtl'
    | 'refreshTokenMaxTtl'
    | 'secondFactor'
  >;
}
