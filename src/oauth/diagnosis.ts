// What a refusal comes down to once the database has been asked: its reason, or the one that only the database knows.
import { identifierKey } from './api.ts';
import type { Clues, KnownApplication, Notice, Reason, TicketClue } from './reason.ts';
import type { ClientType } from './redirect-uri.ts';
import { isApiIdShaped } from './secrets.ts';

/** A refusal as the place that refused left it. */
export interface Refused {
  reason: Reason | Notice;
  /** As the refusing place knows it, or as the request names it; undefined when only the grant says. */
  application: KnownApplication | undefined;
  clues: Clues;
}

/** What is looked up of an application, or of an API that authenticates as one does. */
export interface DiagnosedClient {
  clientId: string;
  /** Null for an agent. */
  ownerId: string | null;
  type: ClientType | 'api';
  suspended: boolean;
}

/** An API that a refusal names, by its id or by its identifier. */
export interface DiagnosedApi {
  apiId: string;
  identifierKey: string;
}

export interface DiagnosedSecret {
  clientId: string;
  ownerId: string | null;
  /** Of the application or API that it is a secret of. */
  name: string;
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

/** What was found out about the clues. */
export interface Evidence {
  /** Where it was refused, as diagnostics name it. */
  endpoint: string;
  client: DiagnosedClient;
  secret: DiagnosedSecret | undefined;
  grant: DiagnosedGrant | undefined;
}

/**
 * Decides what a refusal comes down to.
 * @param at when the request was refused
 * @returns the reason; whether the request came from the application; and whether, without proving that, it held a code,
 *   a token or a secret of it: whoever signs in holds a code
 */
export function diagnose(
  refused: Refused,
  evidence: Evidence,
  at: Date,
): { reason: Reason | Notice; authenticated: boolean; held: boolean } {
  const { client, secret, grant } = evidence;
  const authenticated = refused.application?.authenticated === true;
  const { ticket } = refused.clues;
  const holds = [secret, grant, ticket].some((found) => found?.clientId === client.clientId);
  return { reason: decide(refused, evidence, at), authenticated, held: holds && !authenticated };
}

function decide({ reason, clues }: Refused, evidence: Evidence, at: Date): Reason | Notice {
  const { client } = evidence;
  if (reason.kind === 'scope_words_ignored' || reason.kind === 'api_suspended') return reason;
  if (client.type === 'api' && evidence.endpoint !== 'introspect')
    return reason.kind === 'rate_limited' ? reason : { kind: 'api_elsewhere' };
  if (reason.kind.startsWith('secret_')) return secretReason(reason, clues, evidence, at);
  if (client.suspended && client.type !== 'api' && reason.kind !== 'rate_limited')
    return { kind: 'application_suspended' };
  return clues.ticket === undefined
    ? reason
    : ticketReason(reason, clues.ticket, clues.unsettled === true, evidence);
}

function ticketReason(
  reason: Reason,
  ticket: TicketClue,
  unsettled: boolean,
  { client, grant }: Evidence,
): Reason {
  const owner = grant?.clientId ?? ticket.clientId;
  // What a code or token says of its request is for the application that it was given to.
  if (owner !== undefined && owner !== client.clientId) return { kind: 'token_of_other', what: ticket.what };
  if (!unsettled) return reason;
  if (grant === undefined)
    return ticket.what === 'code' ? { kind: 'access_ended' } : { kind: 'token_gone', what: ticket.what };
  if (ticket.what === 'access_token')
    return { kind: grant.valid && !grant.revoked ? 'access_token_expired' : 'access_ended' };
  if (grant.generation > ticket.generation) return { kind: `${ticket.what}_used` };
  return { kind: 'access_ended' };
}

function secretReason(
  reason: Reason,
  { secretHash = null }: Clues,
  { client, secret }: Evidence,
  at: Date,
): Reason {
  if (client.type === 'public')
    return { kind: secretHash === null ? 'application_suspended' : 'secret_not_expected' };
  if (secret?.clientId === client.clientId) {
    const { number, createdAt, expiresAt } = secret;
    if (expiresAt === null || expiresAt > at)
      return client.suspended ? { kind: 'application_suspended' } : reason;
    return {
      kind: 'secret_expired',
      number,
      created: createdAt.toISOString(),
      expired: expiresAt.toISOString(),
    };
  }
  // Whose secret it is, is told to its own owner only.
  if (secret === undefined || secret.ownerId === null || secret.ownerId !== client.ownerId) return reason;
  return client.type === 'api' && !isApiIdShaped(secret.clientId)
    ? reason
    : { kind: 'secret_of_other', holder: secret.name };
}

/** Which fact of a reason is the identifier of an API that the request was about. */
const ABOUT: Readonly<Record<string, string>> = {
  resource_closed: 'sent',
  resource_excluded: 'sent',
  resource_suspended: 'sent',
  resource_beyond_grant: 'sent',
  scope_not_of_api: 'resource',
};

/** The API that a refusal is about, by what identifiers are compared by; undefined where it is about none in particular. */
export function apiKeyOf({ kind, ...facts }: Reason | Notice, { resource }: Clues): string | undefined {
  const fact: unknown = (facts as Record<string, unknown>)[ABOUT[kind] ?? ''] ?? resource;
  return typeof fact === 'string' ? identifierKey(fact) : undefined;
}
