// What every grant needs of the process.

import type { SigningKeys } from '../keys/tokens.ts';
import type { Person } from '../oauth/claims.ts';
import type { Sealer } from '../oauth/seal.ts';
import type { Database } from '../store/database.ts';

/** Lifetimes in seconds (D30). */
interface Lifetimes {
  authorizationCode: number;
  accessToken: number;
  refreshTokenIdle: number;
  /** 0: none. */
  refreshTokenMax: number;
}

/** Takes notes of what a grant came to (background/usage.ts). */
interface Usage {
  secretUsed(clientId: string, proof: Buffer | null, at: Date): void;
  consentUsed(userId: string, clientId: string, at: Date): void;
  disclosed(userId: string, clientId: string, fields: string, at: Date): void;
}

export interface GrantParts {
  database: Database;
  usage: Usage;
  sealer: Sealer;
  keys: SigningKeys;
  issuer: string;
  /** The absolute address of a person's picture. */
  avatarOf: (person: Person) => string;
  lifetimes: Lifetimes;
}
