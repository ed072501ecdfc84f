// What every grant needs of the process.
import type { Person } from '../oauth/claims.ts';
import type { Sealer } from '../oauth/seal.ts';
import type { SigningKeys } from '../oauth/tokens.ts';
import type { Database } from '../store/database.ts';
import type { Usage } from '../usage.ts';

/** Lifetimes in seconds (D30). */
interface Lifetimes {
  authorizationCode: number;
  accessToken: number;
  refreshTokenIdle: number;
  /** 0: none. */
  refreshTokenMax: number;
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
