// Authenticates clients (RFC 6749 §2.3.1), and APIs at the introspection endpoint.
import { clientSecretHash } from './digests.ts';
import { invalidClient, invalidRequest, type OAuthError, parameterMissing } from './errors.ts';
import type { Parameters } from './parameters.ts';
import type { DiagnosticContext, IdentifiedClient, RefusalReason } from './refusal-reason.ts';
import {
  API_SECRET_PREFIX,
  CLIENT_SECRET_PREFIX,
  isWellFormedApiId,
  isWellFormedApiSecret,
  isWellFormedClientId,
  isWellFormedClientSecret,
} from './secrets.ts';

/** The SQL statement that handles the request checks the credentials. */
export interface ClientCredentials {
  clientId: string;
  /** SHA-256 hash, or null if no secret was sent. */
  secretHash: Buffer | null;
  /** Set only after an assertion was verified and recorded as used. SQL statements trust this flag. */
  asserted: boolean;
  triedBasic: boolean;
}

export interface PresentedCredentials extends ClientCredentials {
  /** Call this only after the credentials were rejected. */
  explainFailure: () => RefusalReason;
}

/**
 * Reads client_id and client_secret from the form or the HTTP Basic header.
 * @throws OAuthError `invalid_request`, `invalid_client`
 */
export function readCredentials(form: Parameters, authorization: string | undefined): PresentedCredentials {
  const formId = form.get('client_id');
  const formSecret = form.get('client_secret');
  if (authorization === undefined || !/^basic(?: |$)/i.test(authorization)) {
    if (formId === undefined) throw parameterMissing('client_id');
    return toCredentials(formId, formSecret, false);
  }
  const basic = parseBasicHeader(authorization);
  if (formSecret !== undefined)
    throw invalidRequest('Send client_secret in the form or in an HTTP Basic header, not both.', {
      kind: 'multiple_credentials',
    }).withDiagnostics(unauthenticatedClient(formId ?? basic?.id));
  if (basic === undefined)
    throw invalidClient({ kind: 'basic_header_invalid' }, true).withDiagnostics(
      unauthenticatedClient(formId),
    );
  if (formId !== undefined && formId !== basic.id)
    throw invalidRequest('The client_id in the form differs from the one in the HTTP Basic header.', {
      kind: 'client_id_mismatch',
    }).withDiagnostics(unauthenticatedClient(formId));
  return toCredentials(basic.id, basic.secret, true);
}

function toCredentials(
  clientId: string,
  secret: string | undefined,
  triedBasic: boolean,
): PresentedCredentials {
  if (!isWellFormedClientId(clientId)) throw invalidClient({ kind: 'client_unknown' }, triedBasic);
  return secret === undefined
    ? { clientId, secretHash: null, asserted: false, triedBasic, explainFailure: explainMissingSecret }
    : {
        clientId,
        secretHash: clientSecretHash(secret),
        asserted: false,
        triedBasic,
        explainFailure: () => explainWrongSecret(secret, clientId),
      };
}

const explainMissingSecret = (): RefusalReason => ({ kind: 'secret_missing' });

function explainWrongSecret(secret: string, clientId: string): RefusalReason {
  if (/\s/.test(secret)) return { kind: 'secret_has_whitespace' };
  if (secret.includes('%')) return { kind: 'secret_percent_encoded' };
  if (secret === clientId) return { kind: 'secret_is_client_id' };
  const isApi = isWellFormedApiId(clientId);
  const [prefix, otherPrefix] = isApi
    ? [API_SECRET_PREFIX, CLIENT_SECRET_PREFIX]
    : [CLIENT_SECRET_PREFIX, API_SECRET_PREFIX];
  if (isApi ? isWellFormedApiSecret(secret) : isWellFormedClientSecret(secret))
    return { kind: 'secret_unknown' };
  if (secret.startsWith(otherPrefix))
    return { kind: isApi ? 'secret_belongs_to_client' : 'secret_belongs_to_api' };
  if (!secret.startsWith(prefix)) return { kind: 'secret_prefix_invalid' };
  const { length } = secret;
  return length < prefix.length + 49
    ? { kind: 'secret_truncated', length }
    : { kind: 'secret_checksum_invalid' };
}

export const unauthenticatedClient = (clientId: string | undefined): IdentifiedClient | undefined =>
  clientId !== undefined && isWellFormedClientId(clientId) ? { clientId, authenticated: false } : undefined;

/** Public clients count as unauthenticated because they have no credentials. */
export const authenticatedClient = ({
  clientId,
  secretHash,
  asserted,
}: ClientCredentials): IdentifiedClient => ({
  clientId,
  authenticated: secretHash !== null || asserted,
});

export const clientAuthenticationError = (
  credentials: PresentedCredentials,
  context: DiagnosticContext = {},
): OAuthError =>
  invalidClient(credentials.explainFailure(), credentials.triedBasic).withDiagnostics(
    unauthenticatedClient(credentials.clientId),
    {
      ...context,
      secretHash: credentials.secretHash,
    },
  );

export function parseBasicHeader(
  authorization: string,
): { id: string; secret: string | undefined } | undefined {
  const decoded = Buffer.from(authorization.slice(5).trim(), 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 1) return undefined;
  try {
    // The client_id and the secret are form-encoded (RFC 6749 §2.3.1).
    const [id, secret] = [decoded.slice(0, colon), decoded.slice(colon + 1)].map((part) =>
      decodeURIComponent(part.replaceAll('+', ' ')),
    ) as [string, string];
    return { id, secret: secret || undefined };
  } catch {
    return undefined;
  }
}
