// What a refusal comes down to: a kind and its facts, which each language puts into words. Never a secret, code or token.
import { type Difference, nearestCallback } from './callback-difference.ts';
import type { ClientType } from './redirect-uri.ts';
import { parseScope } from './scopes.ts';
import type { CodeTicket } from './tickets.ts';

/** Every reason that is told apart. The words for them are in the dictionaries, under `diagnostics.kinds`. */
export const DIAGNOSES = [
  'callback_unregistered',
  'callback_registered_since',
  'callback_missing',
  'application_suspended',
  'parameter_repeated',
  'parameter_malformed',
  'parameter_missing',
  'parameter_too_long',
  'request_object',
  'response_type',
  'response_mode',
  'scope_unknown',
  'scope_not_registered',
  'state_missing',
  'challenge_missing',
  'challenge_method_missing',
  'challenge_method',
  'challenge_alone_missing',
  'challenge_malformed',
  'prompt_conflict',
  'max_age',
  'id_token_hint',
  'not_signed_in',
  'consent_needed',
  'person_refused',
  'request_expired',
  'pushed_request_expired',
  'push_required',
  'grant_type_unsupported',
  'credentials_twice',
  'client_ids_differ',
  'basic_unreadable',
  'assertion_refused',
  'secret_missing',
  'secret_not_expected',
  'secret_expired',
  'secret_of_other',
  'secret_white_space',
  'secret_encoded',
  'secret_is_client_id',
  'secret_shortened',
  'secret_altered',
  'secret_not_ours',
  'secret_unknown',
  'verifier_malformed',
  'verifier_missing',
  'verifier_not_expected',
  'verifier_is_challenge',
  'verifier_mismatch',
  'exchange_callback',
  'code_unreadable',
  'code_altered',
  'code_is_refresh_token',
  'code_expired',
  'code_used',
  'code_of_other',
  'code_gone',
  'refresh_token_unreadable',
  'refresh_token_altered',
  'refresh_token_is_code',
  'refresh_token_expired',
  'refresh_token_used',
  'refresh_token_revoked',
  'refresh_token_of_other',
  'refresh_token_gone',
  'access_ended',
  'scope_beyond_grant',
  'scope_nothing_granted',
  'token_of_other',
  'token_sent_twice',
  'access_token_expired',
  'access_token_revoked',
  'access_token_gone',
  'access_token_is_refresh_token',
  'access_token_is_code',
  'profile_scope_missing',
  'method',
  'content_type',
  'rate_limited',
  'https_required',
  'service_failed',
  'other',
] as const;
export type DiagnosisKind = (typeof DIAGNOSES)[number];

/** Names, numbers and times (ISO 8601) that the words need. */
export type Facts = Record<string, string | number | boolean | Difference[]>;

export interface Diagnosis {
  kind: DiagnosisKind;
  facts: Facts;
}

/** What the request alone shows of why it was refused; the rest is looked up afterwards. */
export interface Suspicion extends Diagnosis {
  /** As the request names it, or as a token of ours does; undefined when only the grant knows. */
  clientId: string | undefined;
  /** Whether it was refused after the application had been authenticated. */
  authenticated: boolean;
  /** The callback URL that is not registered. */
  callback?: string;
  /** The scope that was asked for, where it is more than was chosen at registration. */
  scope?: string;
  /** SHA-256 of the secret that did not authenticate; null when none was sent. */
  secretHash?: Buffer | null;
  /** The grant that the code or token belongs to. */
  ticket?: {
    what: 'code' | 'refresh_token' | 'access_token';
    grantId: string;
    generation: number;
    /** What a code says of the grant that it becomes only when it is redeemed. */
    promise?: GrantPromise;
  };
  /** The kind says too little while the grant has not been looked at. */
  dependsOnGrant?: boolean;
}

export type GrantPromise = Pick<CodeTicket, 'clientId' | 'userId' | 'sessionHash' | 'epoch' | 'issuedAt'>;

/** What is looked up of an application. */
export interface DiagnosedClient {
  clientId: string;
  ownerId: string;
  type: ClientType;
  redirectUris: string[];
  scopes: string[];
  suspended: boolean;
}

export interface DiagnosedSecret {
  clientId: string;
  ownerId: string;
  applicationName: string;
  hash: Buffer;
  number: number;
  createdAt: Date;
  expiresAt: Date | null;
}

export interface DiagnosedGrant {
  grantId: string;
  clientId: string;
  generation: number;
  revoked: boolean;
  /** Whether account, application and consent are as they were when it was granted. */
  valid: boolean;
}

/** What was found out about a suspicion. */
export interface Evidence {
  client: DiagnosedClient;
  secret: DiagnosedSecret | undefined;
  grant: DiagnosedGrant | undefined;
}

/**
 * Decides what a refusal comes down to.
 * @param at when the request was refused
 * @returns the diagnosis, and whether the request came from the application or held a grant of its own
 */
export function diagnose(
  suspicion: Suspicion,
  evidence: Evidence,
  at: Date,
): Diagnosis & { authenticated: boolean } {
  const { client, secret, grant } = evidence;
  const ownGrant = grant !== undefined && grant.clientId === client.clientId;
  const ownSecret = secret !== undefined && secret.clientId === client.clientId;
  // A public application proves nothing by naming itself; a grant of its own does.
  const proven = client.type === 'confidential' && suspicion.authenticated;
  return { ...decide(suspicion, evidence, at), authenticated: proven || ownGrant || ownSecret };
}

function decide(suspicion: Suspicion, evidence: Evidence, at: Date): Diagnosis {
  const { kind, facts, callback, scope, ticket } = suspicion;
  const { client, grant } = evidence;
  if (suspicion.secretHash !== undefined) return secretDiagnosis(suspicion, evidence, at);
  if (client.suspended && kind !== 'rate_limited') return { kind: 'application_suspended', facts: {} };
  if (callback !== undefined) return callbackDiagnosis(callback, client);
  if (scope !== undefined) {
    const extra = parseScope(scope).find((one) => !client.scopes.includes(one));
    return extra === undefined ? { kind, facts } : { kind: 'scope_not_registered', facts: { scope: extra } };
  }
  if (ticket === undefined) return { kind, facts };
  if (!suspicion.authenticated && ticket.what !== 'access_token') return { kind, facts };
  // What a code says of its request is for the application that it was given to.
  if (grant === undefined) return { kind: `${ticket.what}_gone`, facts: {} };
  if (grant.clientId !== client.clientId)
    return { kind: ticket.what === 'access_token' ? 'token_of_other' : `${ticket.what}_of_other`, facts: {} };
  if (suspicion.dependsOnGrant !== true) return { kind, facts };
  if (ticket.what === 'access_token') {
    if (grant.revoked) return { kind: 'access_token_revoked', facts };
    return { kind: grant.valid ? 'access_token_expired' : 'access_ended', facts };
  }
  if (grant.generation > ticket.generation) return { kind: `${ticket.what}_used`, facts };
  // A grant is beyond its code from the first.
  if (grant.revoked && ticket.what === 'refresh_token') return { kind: 'refresh_token_revoked', facts };
  return { kind: grant.valid ? `${ticket.what}_expired` : 'access_ended', facts };
}

function callbackDiagnosis(sent: string, { redirectUris }: DiagnosedClient): Diagnosis {
  const found = nearestCallback(sent, redirectUris);
  if (found === undefined) return { kind: 'callback_unregistered', facts: { sent } };
  if (found.differences.length === 0) return { kind: 'callback_registered_since', facts: { sent } };
  return { kind: 'callback_unregistered', facts: { sent, ...found } };
}

function secretDiagnosis(suspicion: Suspicion, { client, secret }: Evidence, at: Date): Diagnosis {
  if (client.type === 'public')
    return {
      kind: suspicion.secretHash === null ? 'application_suspended' : 'secret_not_expected',
      facts: {},
    };
  if (secret?.clientId === client.clientId) {
    const { number, createdAt, expiresAt } = secret;
    if (expiresAt === null || expiresAt > at)
      return client.suspended ? { kind: 'application_suspended', facts: {} } : suspicion;
    const facts = { number, created: createdAt.toISOString(), expired: expiresAt.toISOString() };
    return { kind: 'secret_expired', facts };
  }
  // Whose secret it is, is told to its own owner only.
  if (secret !== undefined && secret.ownerId === client.ownerId)
    return { kind: 'secret_of_other', facts: { application: secret.applicationName } };
  return { kind: suspicion.kind, facts: suspicion.facts };
}
