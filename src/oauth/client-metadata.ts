// Validates client IDs and metadata documents (draft-ietf-oauth-client-id-metadata-document).
import { isIP } from 'node:net';
import type { Client } from './client.ts';
import { hasPrivateMembers } from './client-assertion.ts';
import { buildTestClientId } from './connection-test-client.ts';
import { normalizeText } from './email.ts';
import { parseJsonObject } from './parse-json.ts';
import { redactParameterName } from './redaction.ts';
import { getRedirectUriHost, type RedirectUriError, validateRedirectUri } from './redirect-uri.ts';
import type { Scope } from './scopes.ts';
import { isDynamicClientId, isMetadataClientId } from './secrets.ts';

export const AGENT_SCOPES: Scope[] = ['openid', 'profile', 'email'];

export const MAX_DOCUMENT_BYTES = 5 * 1024;
/** In milliseconds. */
export const DOCUMENT_TIMEOUT = 3000;

const MAX_NAME_LENGTH = 80;
const MAX_REDIRECT_URIS = 20;

export interface AgentPolicy {
  baseUrl: string;
  production: boolean;
  /** Origins of accepted metadata documents. `*` allows all origins. */
  agents: readonly string[];
  agentsRegistration: boolean;
}

export const areAgentsEnabled = ({
  agents,
  agentsRegistration,
}: Pick<AgentPolicy, 'agents' | 'agentsRegistration'>): boolean => agents.length > 0 || agentsRegistration;

/** @returns an error message for the client's developer, or undefined for an allowed URL */
export function validateClientIdUrl(clientId: string, policy: AgentPolicy): string | undefined {
  if (clientId === buildTestClientId(policy.baseUrl)) return undefined;
  if (policy.agents.length === 0) return 'This service does not accept a URL as client_id.';
  const url = URL.canParse(clientId) ? new URL(clientId) : undefined;
  if (url === undefined || !isMetadataClientId(clientId)) return 'client_id is not a valid URL.';
  if (url.username !== '' || url.password !== '' || /[?#\\]/.test(clientId))
    return 'client_id must be a URL without query, fragment, user name or backslash.';
  if (url.href !== clientId || url.pathname === '/')
    return 'client_id must be a normalized URL with a path: lower-case host, no port 443, no dot segments.';
  if (isLocalDocument(clientId, policy)) return undefined;
  if (url.protocol !== 'https:' || url.port !== '' || !isPublicHostName(url.hostname))
    return 'client_id must be an https URL with a public host name and no port.';
  const isListed = policy.agents.includes('*') || policy.agents.includes(url.origin);
  return isListed ? undefined : 'This service does not allow clients of this origin.';
}

/**
 * Whether the document may be on a loopback address. Never true in production. If AGENTS is `*`, true only for
 * http://localhost.
 */
export function isLocalDocument(
  clientId: string,
  { production, agents }: Pick<AgentPolicy, 'production' | 'agents'>,
): boolean {
  const { origin, protocol, hostname } = new URL(clientId);
  const isLocalhost = protocol === 'http:' && hostname === 'localhost';
  return !production && (agents.includes(origin) || (agents.includes('*') && isLocalhost));
}

/** Returns undefined if the client is allowed or isn't an agent. */
export function findAgentPolicyError(clientId: string, policy: AgentPolicy): string | undefined {
  if (isMetadataClientId(clientId)) return validateClientIdUrl(clientId, policy);
  return isDynamicClientId(clientId) && !areAgentsEnabled(policy)
    ? 'This service does not allow agents.'
    : undefined;
}

/** Checks only the syntax. The host's IP addresses are checked when the document is fetched. */
const isPublicHostName = (host: string): boolean =>
  isIP(host) === 0 && /^([a-z0-9_-]+\.)+[a-z][a-z0-9-]*$/.test(host) && !/(^|\.)localhost$/.test(host);

export interface ClientMetadata {
  name: string;
  redirectUris: string[];
  jwks: object | undefined;
}

/** The message is shown to the client's developer. */
export class ClientMetadataError extends Error {}

export function parseMetadataDocument(json: string, clientId: string): ClientMetadata {
  const document = parseMetadataJson(json);
  if (document.client_id !== clientId)
    throw new ClientMetadataError('client_id must be the URL of the metadata document.');
  return validateClientMetadata(document);
}

export function parseMetadataJson(json: string): Record<string, unknown> {
  const metadata = parseJsonObject(json);
  if (metadata === undefined) throw new ClientMetadataError('The metadata is not a JSON object.');
  return metadata;
}

/** Validates client metadata (RFC 7591 §2). */
export function validateClientMetadata(metadata: Record<string, unknown>): ClientMetadata {
  const secret = Object.keys(metadata).find((name) => name.startsWith('client_secret'));
  if (secret !== undefined)
    throw new ClientMetadataError(
      `${redactParameterName(secret)} is not allowed because agents have no secret.`,
    );
  const { token_endpoint_auth_method: method = 'none', jwks } = metadata;
  if (method !== 'none' && method !== 'private_key_jwt')
    throw new ClientMetadataError('token_endpoint_auth_method must be none or private_key_jwt.');
  if (listKeys(jwks).some(hasPrivateMembers))
    throw new ClientMetadataError(
      'jwks must contain only public keys. A private key would let anyone impersonate this client.',
    );
  if (method === 'private_key_jwt' && (typeof jwks !== 'object' || jwks === null))
    throw new ClientMetadataError(
      'private_key_jwt requires the public keys in jwks. jwks_uri is not supported.',
    );
  return {
    name: validateName(metadata.client_name),
    redirectUris: validateRedirectUris(metadata.redirect_uris),
    jwks: method === 'private_key_jwt' ? (jwks as object) : undefined,
  };
}

function listKeys(jwks: unknown): object[] {
  const { keys } = (jwks ?? {}) as { keys?: unknown };
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'object' && key !== null) : [];
}

// Control characters and text-direction marks could make a name look like another name.
const INVISIBLE_PATTERN = /[\p{C}\p{Zl}\p{Zp}]/u;
const BLANK_PATTERN = /^[\p{Default_Ignorable_Code_Point}\p{M}\u2800\s]*$/u;

function validateName(value: unknown): string {
  if (typeof value !== 'string') throw new ClientMetadataError('client_name is missing.');
  const name = normalizeText(value).trim();
  if (BLANK_PATTERN.test(name) || INVISIBLE_PATTERN.test(name) || [...name].length > MAX_NAME_LENGTH)
    throw new ClientMetadataError(
      `client_name must have 1 to ${MAX_NAME_LENGTH} printable characters and no text-direction marks.`,
    );
  return name;
}

/** RFC 7591 §3.2.2 defines a separate error code for redirect URIs. */
export class RedirectUrisError extends ClientMetadataError {}

function validateRedirectUris(value: unknown): string[] {
  const isList = Array.isArray(value) && value.every((uri) => typeof uri === 'string');
  if (!isList || value.length === 0 || value.length > MAX_REDIRECT_URIS)
    throw new RedirectUrisError(`redirect_uris must be a list of 1 to ${MAX_REDIRECT_URIS} URLs.`);
  for (const uri of value) {
    const error = validateRedirectUri(uri, 'public', true);
    if (error !== undefined) throw new RedirectUrisError(`redirect_uris: ${REDIRECT_URI_MESSAGES[error]}`);
  }
  // Sorted so that a document with reordered URIs counts as unchanged.
  return [...new Set<string>(value)].sort();
}

const REDIRECT_URI_MESSAGES: Record<RedirectUriError, string> = {
  uriTooLong: 'a URL is longer than 2000 characters.',
  uriCharacters: 'a URL contains characters that are not allowed in URLs.',
  uriWildcard: 'a URL contains * or a backslash.',
  uriFragment: 'a URL has a fragment.',
  uriNotAbsolute: 'a URL is not absolute.',
  uriUserInfo: 'a URL contains a user name or a password.',
  uriReservedParameter: 'a URL has code, state, iss or error in its query.',
  uriNotHttps: 'a URL uses http, but its host is not localhost, 127.0.0.1 or [::1].',
  uriScheme: 'a custom URL scheme is not a reversed domain name.',
};

export const getMetadataHost = (clientId: string): string | undefined =>
  isMetadataClientId(clientId) ? new URL(clientId).host : undefined;

/** An agent could choose a misleading name, so the agent's host is shown instead. */
export const getDisplayName = (
  { clientId, name, agent }: Pick<Client, 'clientId' | 'name' | 'agent'>,
  redirectUris: readonly string[],
): string =>
  agent ? (getMetadataHost(clientId) ?? [...new Set(redirectUris.map(getRedirectUriHost))].join(', ')) : name;
