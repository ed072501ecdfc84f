// Registers OAuth endpoints: checks the form, authenticates the client and sends the response.
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import { decodeJwt } from 'jose';
import { verifyAssertion } from '../oauth/client-assertion.ts';
import {
  authenticatedClient,
  clientAuthenticationError,
  type PresentedCredentials,
  readCredentials,
  unauthenticatedClient,
} from '../oauth/client-authentication.ts';
import { findAgentPolicyError } from '../oauth/client-metadata.ts';
import { assertionDigest } from '../oauth/digests.ts';
import { invalidClient, invalidRequest, OAuthError, parameterMissing } from '../oauth/errors.ts';
import { findParameterError, type Parameters } from '../oauth/parameters.ts';
import type { DiagnosticContext, RefusalReason } from '../oauth/refusal-reason.ts';
import { isWellFormedApiId, isWellFormedClientId } from '../oauth/secrets.ts';
import { findAssertionKeys, recordAssertionUse } from '../store/assertions.ts';
import { authenticateClient } from '../store/clients.ts';
import type { Database } from '../store/database.ts';
import { readForm, requireForm } from './parameters.ts';
import type { Services } from './services.ts';

interface EndpointRequest<Name extends string> {
  request: FastifyRequest;
  form: Parameters;
  required: Readonly<Record<Name, string>>;
  credentials: PresentedCredentials;
  now: Date;
}

interface OAuthEndpoint<Name extends string> extends Pick<FastifyContextConfig, 'cors' | 'diagnostics'> {
  /** Returns the required parameters in the order in which they are checked. */
  required?: (form: Parameters) => readonly Name[];
  /**
   * `first`: the client is authenticated before `handle`. `within`: a SQL statement in `handle` authenticates the
   * client.
   */
  authentication: 'first' | 'within';
  allowsApis?: boolean;
  /** Runs after the parameters are checked and before the client is authenticated. */
  before?: (form: Parameters, request: FastifyRequest) => Promise<void>;
  status?: 200 | 201;
  /**
   * @returns the JSON response, or undefined for an empty body
   * @throws OAuthError. If the error has no `client`, the client is authenticated before the error is sent.
   */
  handle(sent: EndpointRequest<Name>): Promise<object | undefined>;
}

/** Recorded if a stored agent sends a request while agents are disabled. */
const AGENTS_DISABLED_REASON = { kind: 'client_metadata_invalid' } as const;

export function registerOAuthEndpoint<Name extends string>(
  app: FastifyInstance,
  { config, database, usage, now: clock }: Services,
  url: string,
  {
    required = () => [],
    authentication,
    allowsApis,
    status = 200,
    before,
    handle,
    ...routeConfig
  }: OAuthEndpoint<Name>,
): void {
  const options = { preHandler: requireForm, config: { caller: 'client', ...routeConfig } } as const;
  app.post(url, options, async (request, reply) => {
    const form = readForm(request);
    const error = findParameterError(form);
    if (error !== undefined) throw error;
    const values = {} as Record<Name, string>;
    for (const name of required(form)) {
      const value = form.get(name);
      if (value === undefined) throw parameterMissing(name);
      values[name] = value;
    }
    await before?.(form, request);
    const now = clock();
    const { authorization } = request.headers;
    const credentials = await readOrVerifyCredentials(database, config.baseUrl, form, authorization, {
      now,
      allowsApis,
    });
    const agentError = findAgentPolicyError(credentials.clientId, config);
    if (agentError !== undefined)
      throw invalidClient(AGENTS_DISABLED_REASON, credentials.triedBasic, agentError);
    if (authentication === 'first') await requireClient(database, credentials, now);
    const sent = { request, form, required: values, credentials, now };
    const content = await handle(sent).catch(async (error) => {
      if (!(error instanceof OAuthError) || error.client !== undefined) throw error;
      // Only an authenticated client may learn details about a grant.
      if (authentication === 'within') await requireClient(database, credentials, now, error.context);
      throw error.withDiagnostics(authenticatedClient(credentials));
    });
    usage.recordSecretUse(credentials.clientId, credentials.secretHash, now);
    reply.code(status).header('pragma', 'no-cache');
    if (content === undefined) return reply.send();
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(content));
  });
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * Verifies an assertion (RFC 7523 §2.2), which can be used only once. A secret is checked later, in SQL.
 * @param issuer the required audience of assertions
 * @throws OAuthError `invalid_request` for invalid or conflicting parameters, `invalid_client` for an invalid assertion
 */
async function readOrVerifyCredentials(
  database: Database,
  issuer: string,
  form: Parameters,
  authorization: string | undefined,
  { now, allowsApis = false }: { now: Date; allowsApis?: boolean | undefined },
): Promise<PresentedCredentials> {
  const assertion = form.get('client_assertion');
  if (assertion === undefined && form.get('client_assertion_type') === undefined)
    return readCredentials(form, authorization);
  if (assertion === undefined)
    throw parameterMissing('client_assertion').withDiagnostics(unauthenticatedClient(form.get('client_id')));
  if (form.get('client_assertion_type') !== ASSERTION_TYPE)
    throw invalidRequest(`client_assertion_type must be ${ASSERTION_TYPE}.`, {
      kind: 'assertion_type_unsupported',
    }).withDiagnostics(unauthenticatedClient(form.get('client_id')));
  if (authorization !== undefined || form.get('client_secret') !== undefined)
    throw invalidRequest('Send client_assertion or a secret, not both.', {
      kind: 'multiple_credentials',
    }).withDiagnostics(unauthenticatedClient(form.get('client_id')));

  const clientId = form.get('client_id') ?? readSubject(assertion);
  if (clientId === undefined || !isWellFormedClientId(clientId)) throw createAssertionError(undefined);
  const keys =
    isWellFormedApiId(clientId) && !allowsApis ? undefined : await findAssertionKeys(database, clientId);
  if (keys === undefined) throw createAssertionError(clientId);
  const verified = await verifyAssertion(assertion, keys, { clientId, issuer, now });
  if ('kind' in verified) throw createAssertionError(clientId, verified);
  const jtiHash = assertionDigest(clientId, verified.jti);
  if (!(await recordAssertionUse(database, clientId, { jtiHash, expiresAt: verified.rememberUntil })))
    throw createAssertionError(clientId, { kind: 'assertion_replayed' });
  return {
    clientId,
    secretHash: null,
    asserted: true,
    triedBasic: false,
    explainFailure: () => INVALID_ASSERTION_REASON,
  };
}

/** @throws OAuthError `invalid_client`, with `context` for diagnostics */
export async function requireClient(
  database: Database,
  credentials: PresentedCredentials,
  now: Date,
  context?: DiagnosticContext,
): Promise<void> {
  if (!(await authenticateClient(database, credentials, now)))
    throw clientAuthenticationError(credentials, context);
}

const INVALID_ASSERTION_REASON = { kind: 'assertion_invalid' } as const;

/** Only the client's owner sees the reason. */
const createAssertionError = (
  clientId: string | undefined,
  reason: RefusalReason = INVALID_ASSERTION_REASON,
): OAuthError => invalidClient(reason).withDiagnostics(unauthenticatedClient(clientId));

/** Reads the unverified `sub` claim. */
function readSubject(assertion: string): string | undefined {
  try {
    const { sub } = decodeJwt<{ sub?: unknown }>(assertion);
    return typeof sub === 'string' ? sub : undefined;
  } catch {
    return undefined;
  }
}
