// Uses related database rows to determine why a request was refused.
import { toIdentifierKey } from './api.ts';
import type { ClientType } from './redirect-uri.ts';
import type {
  DiagnosticContext,
  DiagnosticWarning,
  IdentifiedClient,
  RefusalReason,
  TokenContext,
} from './refusal-reason.ts';
import { isWellFormedApiId } from './secrets.ts';

export interface RefusedRequest {
  reason: RefusalReason | DiagnosticWarning;
  /** Undefined if only a code or token identifies the client. */
  client: IdentifiedClient | undefined;
  context: DiagnosticContext;
}

/** A client, or an API that authenticates like a client. */
export interface DiagnosedClient {
  clientId: string;
  ownerId: string | null;
  type: ClientType | 'api';
  suspended: boolean;
}

export interface DiagnosedApi {
  apiId: string;
  identifierKey: string;
}

export interface DiagnosedSecret {
  clientId: string;
  ownerId: string | null;
  name: string;
  hash: Buffer;
  number: number;
  createdAt: Date;
  expiresAt: Date | null;
}

export interface DiagnosedGrant {
  grantId: string;
  clientId: string;
  rotation: number;
  revoked: boolean;
  /** False if a change to the account, client or consent revoked the grant. */
  isValid: boolean;
}

export interface Evidence {
  endpoint: string;
  client: DiagnosedClient;
  secret: DiagnosedSecret | undefined;
  grant: DiagnosedGrant | undefined;
}

export interface Diagnosis {
  reason: RefusalReason | DiagnosticWarning;
  authenticated: boolean;
  /** Whether an unauthenticated request contained a code, token or secret of the client. */
  hasCredential: boolean;
}

export function diagnoseRefusal(refused: RefusedRequest, evidence: Evidence, at: Date): Diagnosis {
  const { client, secret, grant } = evidence;
  const authenticated = refused.client?.authenticated === true;
  const includesCredential = [secret, grant, refused.context.token].some(
    (credential) => credential?.clientId === client.clientId,
  );
  return {
    reason: determineReason(refused, evidence, at),
    authenticated,
    hasCredential: includesCredential && !authenticated,
  };
}

function determineReason(
  { reason, context }: RefusedRequest,
  evidence: Evidence,
  at: Date,
): RefusalReason | DiagnosticWarning {
  const { client } = evidence;
  if (reason.kind === 'scopes_ignored' || reason.kind === 'api_suspended') return reason;
  if (client.type === 'api' && evidence.endpoint !== 'introspect')
    return reason.kind === 'rate_limited' ? reason : { kind: 'api_endpoint_not_allowed' };
  if (reason.kind.startsWith('secret_')) return determineSecretReason(reason, context, evidence, at);
  if (client.suspended && client.type !== 'api' && reason.kind !== 'rate_limited')
    return { kind: 'application_suspended' };
  return context.token === undefined
    ? reason
    : determineTokenReason(reason, context.token, context.isAmbiguous === true, evidence);
}

function determineTokenReason(
  reason: RefusalReason,
  token: TokenContext,
  isAmbiguous: boolean,
  { client, grant }: Evidence,
): RefusalReason {
  const ownerId = grant?.clientId ?? token.clientId;
  // The owner must not see details of another client's code or token.
  if (ownerId !== undefined && ownerId !== client.clientId)
    return { kind: 'token_belongs_to_other_client', what: token.tokenKind };
  if (!isAmbiguous) return reason;
  if (grant === undefined)
    return token.tokenKind === 'code'
      ? { kind: 'access_ended' }
      : { kind: 'token_not_found', what: token.tokenKind };
  if (token.tokenKind === 'access_token')
    return { kind: grant.isValid && !grant.revoked ? 'access_token_expired' : 'access_ended' };
  if (grant.rotation > token.rotation) return { kind: `${token.tokenKind}_used` };
  return { kind: 'access_ended' };
}

function determineSecretReason(
  reason: RefusalReason,
  { secretHash = null }: DiagnosticContext,
  { client, secret }: Evidence,
  at: Date,
): RefusalReason {
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
  // The other client's name may be shown only to its own owner.
  if (secret === undefined || secret.ownerId === null || secret.ownerId !== client.ownerId) return reason;
  return client.type === 'api' && !isWellFormedApiId(secret.clientId)
    ? reason
    : { kind: 'secret_belongs_to_other_client', holder: secret.name };
}

/** Maps each kind of reason to the property that contains an API's identifier. */
const API_IDENTIFIER_PROPERTIES: Readonly<Record<string, string>> = {
  resource_not_open_to_client: 'sent',
  resource_blocks_client: 'sent',
  resource_suspended: 'sent',
  resource_beyond_grant: 'sent',
  scope_not_of_api: 'resource',
};

export function getApiIdentifierKey(
  { kind, ...properties }: RefusalReason | DiagnosticWarning,
  { resource }: DiagnosticContext,
): string | undefined {
  const identifier: unknown =
    (properties as Record<string, unknown>)[API_IDENTIFIER_PROPERTIES[kind] ?? ''] ?? resource;
  return typeof identifier === 'string' ? toIdentifierKey(identifier) : undefined;
}
