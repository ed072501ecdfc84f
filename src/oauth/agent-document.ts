// Agents: applications that nobody registered here, and that identify themselves by a document at their own address
// (draft-ietf-oauth-client-id-metadata-document; D49, D50, D53). What its address and the document must be like, with the words for developers.
import { isIP } from 'node:net';
import type { Client } from './client.ts';
import { isPrivateKey } from './client-assertion.ts';
import { testerAddress } from './connection-tester.ts';
import { normalized } from './email.ts';
import { objectIn } from './json.ts';
import { callbackHost, type RedirectUriFault, redirectUriFault } from './redirect-uri.ts';
import type { Scope } from './scopes.ts';
import { isAgentAddress, isAgentId } from './secrets.ts';
import { parameterName } from './shown.ts';

/** All of this service that an agent may be given (D53). */
export const AGENT_SCOPES: Scope[] = ['openid', 'profile', 'email'];

/** Bytes of a document, and milliseconds that reading it may take. */
export const DOCUMENT_SIZE = 5 * 1024;
export const DOCUMENT_TIME = 3000;

const LONGEST_NAME = 80;
const MOST_CALLBACKS = 20;

/** Which agents an operator lets in. */
export interface AgentPolicy {
  /** This service's own address, below which the connection tester's document is. */
  baseUrl: string;
  production: boolean;
  /** Origins whose documents are read; `*` stands for all. */
  agents: readonly string[];
  agentsRegistration: boolean;
}

/** Whether there can be agents at all. */
export const areAgentsPossible = ({
  agents,
  agentsRegistration,
}: Pick<AgentPolicy, 'agents' | 'agentsRegistration'>): boolean => agents.length > 0 || agentsRegistration;

/** Why no document is read from an address, in words for the agent's developer; undefined where it may be. */
export function agentAddressFault(clientId: string, policy: AgentPolicy): string | undefined {
  if (clientId === testerAddress(policy.baseUrl)) return undefined;
  if (policy.agents.length === 0) return 'This service takes no client_id that is an address.';
  const url = URL.canParse(clientId) ? new URL(clientId) : undefined;
  if (url === undefined || !isAgentAddress(clientId)) return 'client_id is not an address.';
  if (url.username !== '' || url.password !== '' || /[?#\\]/.test(clientId))
    return 'client_id must be an address without query, fragment, user name or backslash.';
  if (url.href !== clientId || url.pathname === '/')
    return 'client_id must be an address with a path, spelled as browsers spell it: host in lower case, no port 443, no dot segments.';
  if (isLocalDocument(clientId, policy)) return undefined;
  if (url.protocol !== 'https:' || url.port !== '' || !isPublicName(url.hostname))
    return 'client_id must be an https address of a public host name, without a port.';
  const listed = policy.agents.includes('*') || policy.agents.includes(url.origin);
  return listed ? undefined : 'This service lets no agents of this origin in.';
}

/**
 * Whether a document may be on this machine. Outside production only: where the administrator listed its origin, or admits
 * any agent and it is on http://localhost.
 */
export function isLocalDocument(
  clientId: string,
  { production, agents }: Pick<AgentPolicy, 'production' | 'agents'>,
): boolean {
  const { origin, protocol, hostname } = new URL(clientId);
  const isLocalhost = protocol === 'http:' && hostname === 'localhost';
  return !production && (agents.includes(origin) || (agents.includes('*') && isLocalhost));
}

/** Why an agent that is known already is let in no more, in words for its developer; undefined for one that is, and any application. */
export function agentRefusal(clientId: string, policy: AgentPolicy): string | undefined {
  if (isAgentAddress(clientId)) return agentAddressFault(clientId, policy);
  return isAgentId(clientId) && !areAgentsPossible(policy) ? 'This service lets no agents in.' : undefined;
}

/** A name of the public internet by its looks; what it stands for is checked where it is called. */
const isPublicName = (host: string): boolean =>
  isIP(host) === 0 && /^([a-z0-9_-]+\.)+[a-z][a-z0-9-]*$/.test(host) && !/(^|\.)localhost$/.test(host);

/** What a document says that counts; all else in it is ignored. */
export interface AgentDocument {
  name: string;
  redirectUris: string[];
  /** Public keys, as they stand there, of an agent that authenticates with them. */
  jwks: object | undefined;
}

/** A document is not to be used, in words for the agent's developer. */
export class AgentFault extends Error {}

/** Reads a document. @throws AgentFault */
export function readAgentDocument(text: string, clientId: string): AgentDocument {
  const document = metadataIn(text);
  if (document.client_id !== clientId)
    throw new AgentFault('client_id in the document is not the address that it was read from.');
  return readAgentMetadata(document);
}

/** What a text says in JSON of an agent. @throws AgentFault */
export function metadataIn(text: string): Record<string, unknown> {
  const metadata = objectIn(text);
  if (metadata === undefined) throw new AgentFault('It is not a JSON object.');
  return metadata;
}

/** What an agent says of itself, wherever it says so (RFC 7591 §2). @throws AgentFault */
export function readAgentMetadata(metadata: Record<string, unknown>): AgentDocument {
  const secret = Object.keys(metadata).find((name) => name.startsWith('client_secret'));
  if (secret !== undefined)
    throw new AgentFault(`${parameterName(secret)} must not be there: an agent has no secret.`);
  const { token_endpoint_auth_method: method = 'none', jwks } = metadata;
  if (method !== 'none' && method !== 'private_key_jwt')
    throw new AgentFault('token_endpoint_auth_method must be none or private_key_jwt.');
  if (keysIn(jwks).some(isPrivateKey))
    throw new AgentFault('jwks must hold public keys alone: whoever reads a private one can be this agent.');
  if (method === 'private_key_jwt' && (typeof jwks !== 'object' || jwks === null))
    throw new AgentFault('private_key_jwt needs the public keys in jwks: jwks_uri is never fetched.');
  return {
    name: nameOf(metadata.client_name),
    redirectUris: callbacksOf(metadata.redirect_uris),
    jwks: method === 'private_key_jwt' ? (jwks as object) : undefined,
  };
}

function keysIn(jwks: unknown): object[] {
  const { keys } = (jwks ?? {}) as { keys?: unknown };
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'object' && key !== null) : [];
}

// Control and direction characters would let a name pretend to be something else on a page.
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/u;
const BLANK = /^[\p{Default_Ignorable_Code_Point}\p{M}\u2800\s]*$/u;

function nameOf(sent: unknown): string {
  if (typeof sent !== 'string') throw new AgentFault('client_name is missing.');
  const name = normalized(sent).trim();
  if (BLANK.test(name) || INVISIBLE.test(name) || [...name].length > LONGEST_NAME)
    throw new AgentFault(
      `client_name must be 1 to ${LONGEST_NAME} printable characters, without direction marks.`,
    );
  return name;
}

/** A fault of redirect_uris, which RFC 7591 tells apart. */
export class AgentCallbackFault extends AgentFault {}

function callbacksOf(sent: unknown): string[] {
  const isList = Array.isArray(sent) && sent.every((uri) => typeof uri === 'string');
  if (!isList || sent.length === 0 || sent.length > MOST_CALLBACKS)
    throw new AgentCallbackFault(`redirect_uris must be a list of 1 to ${MOST_CALLBACKS} URLs.`);
  for (const uri of sent) {
    const fault = redirectUriFault(uri, 'public', true);
    if (fault !== undefined) throw new AgentCallbackFault(`redirect_uris: ${CALLBACK_FAULTS[fault]}`);
  }
  // In an order of their own: another one is no other document.
  return [...new Set<string>(sent)].sort();
}

const CALLBACK_FAULTS: Record<RedirectUriFault, string> = {
  uriTooLong: 'one is longer than 2000 characters.',
  uriCharacters: 'one holds characters that URLs do not have.',
  uriWildcard: 'one holds a * or a backslash.',
  uriFragment: 'one has a fragment.',
  uriNotAbsolute: 'one is not an absolute URL.',
  uriUserInfo: 'one holds a user name or a password.',
  uriOwnParameter: 'one has a query with code, state, iss or error in it.',
  uriNotHttps: 'one is http and not of this machine (localhost, 127.0.0.1, [::1]).',
  uriScheme: 'one has a scheme of its own that does not look like a reversed domain name.',
};

/** What a person recognises an agent by; undefined where it says nothing of where it is from. */
export const agentHost = (clientId: string): string | undefined =>
  isAgentAddress(clientId) ? new URL(clientId).host : undefined;

/**
 * What an application is called on pages: its name, unless nobody registered it, for then that could be anybody's. An agent is
 * called by its document's host, one without a document by where its answers go.
 */
export const calledOnPages = (
  { clientId, name, agent }: Pick<Client, 'clientId' | 'name' | 'agent'>,
  redirectUris: readonly string[],
): string =>
  agent ? (agentHost(clientId) ?? [...new Set(redirectUris.map(callbackHost))].join(', ')) : name;
