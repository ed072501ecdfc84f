// OAuth endpoints that clients POST forms to: parsing, client authentication and response.
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import { decodeJwt } from 'jose';
import { agentRefusal } from '../oauth/agent-document.ts';
import { verifyAssertion } from '../oauth/client-assertion.ts';
import {
  accepted,
  named,
  notAccepted,
  type PresentedCredentials,
  readCredentials,
} from '../oauth/client-authentication.ts';
import { assertionDigest } from '../oauth/digests.ts';
import { invalidClient, invalidRequest, OAuthError, parameterMissing } from '../oauth/errors.ts';
import { faultOf, type Parameters } from '../oauth/parameters.ts';
import type { Clues, Reason } from '../oauth/reason.ts';
import { isApiIdShaped, isClientIdShaped } from '../oauth/secrets.ts';
import { findKeys, useAssertion } from '../store/assertions.ts';
import { authenticateClient } from '../store/clients.ts';
import type { Database } from '../store/database.ts';
import { formOf, requireForm } from './parameters.ts';
import type { Parts } from './parts.ts';

interface EndpointRequest<Name extends string> {
  request: FastifyRequest;
  form: Parameters;
  required: Readonly<Record<Name, string>>;
  credentials: PresentedCredentials;
  now: Date;
}

interface OAuthEndpoint<Name extends string> extends Pick<FastifyContextConfig, 'cors' | 'diagnostics'> {
  /** What has to be sent, in the order in which it is missed; it may depend on what else is sent. */
  required?: (form: Parameters) => readonly Name[];
  /** `first`: by a statement of its own, before `answer`. `within`: by the statement that decides, which `answer` runs. */
  authentication: 'first' | 'within';
  /** APIs may authenticate here, too. */
  apis?: boolean;
  /** What has to be seen to before anybody can be authenticated. */
  before?: (form: Parameters, request: FastifyRequest) => Promise<void>;
  status?: 200 | 201;
  /**
   * What is answered as JSON; undefined for an empty body. A refusal that doesn't name the client costs a statement more,
   * which authenticates it first. @throws OAuthError for every refusal
   */
  answer(sent: EndpointRequest<Name>): Promise<object | undefined>;
}

/** Its operator has closed the service to the agent since it got what it brings. */
const UNWANTED = { kind: 'agent_unreadable' } as const;

export function oauthEndpoint<Name extends string>(
  app: FastifyInstance,
  { config, database, usage, now: clock }: Parts,
  url: string,
  {
    required = () => [],
    authentication,
    apis,
    status = 200,
    before,
    answer,
    ...declared
  }: OAuthEndpoint<Name>,
): void {
  const options = { preHandler: requireForm, config: { caller: 'application', ...declared } } as const;
  app.post(url, options, async (request, reply) => {
    const form = formOf(request);
    const fault = faultOf(form);
    if (fault !== undefined) throw fault;
    const values = {} as Record<Name, string>;
    for (const name of required(form)) {
      const value = form.get(name);
      if (value === undefined) throw parameterMissing(name);
      values[name] = value;
    }
    await before?.(form, request);
    const now = clock();
    const { authorization } = request.headers;
    const credentials = await credentialsOf(database, config.baseUrl, form, authorization, { now, apis });
    const unwanted = agentRefusal(credentials.clientId, config);
    if (unwanted !== undefined) throw invalidClient(UNWANTED, credentials.triedBasic, unwanted);
    if (authentication === 'first') await requireClient(database, credentials, now);
    const sent = { request, form, required: values, credentials, now };
    const content = await answer(sent).catch(async (error) => {
      if (!(error instanceof OAuthError) || error.application !== undefined) throw error;
      // Nothing about a grant is said to a client that isn't authenticated.
      if (authentication === 'within') await requireClient(database, credentials, now, error.clues);
      throw error.from(accepted(credentials));
    });
    usage.secretUsed(credentials.clientId, credentials.secretHash, now); // whichever statement accepted it
    reply.code(status).header('pragma', 'no-cache');
    if (content === undefined) return reply.send();
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(content));
  });
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * Reads the credentials of a request: a secret for the deciding statement to check, or an assertion (RFC 7523 §2.2,
 * OpenID Connect Core §9 `private_key_jwt`), which is checked here and counts once.
 * @param issuer this service, for which an assertion has to be made
 * @param apis whether APIs may authenticate here, too; their identifiers are no application's (D56)
 * @throws OAuthError `invalid_request` for a mix of methods, `invalid_client` for an assertion that is not good
 */
async function credentialsOf(
  database: Database,
  issuer: string,
  form: Parameters,
  authorization: string | undefined,
  { now, apis = false }: { now: Date; apis?: boolean | undefined },
): Promise<PresentedCredentials> {
  const assertion = form.get('client_assertion');
  if (assertion === undefined && form.get('client_assertion_type') === undefined)
    return readCredentials(form, authorization);
  if (assertion === undefined) throw parameterMissing('client_assertion').from(named(form.get('client_id')));
  if (form.get('client_assertion_type') !== ASSERTION_TYPE)
    throw invalidRequest(`client_assertion_type must be ${ASSERTION_TYPE}.`, {
      kind: 'assertion_type',
    }).from(named(form.get('client_id')));
  if (authorization !== undefined || form.get('client_secret') !== undefined)
    throw invalidRequest('Send client_assertion or a secret, not both.', {
      kind: 'credentials_twice',
    }).from(named(form.get('client_id')));

  const clientId = form.get('client_id') ?? subjectOf(assertion);
  if (clientId === undefined || !isClientIdShaped(clientId)) throw refusedAssertion(undefined);
  const keys = isApiIdShaped(clientId) && !apis ? undefined : await findKeys(database, clientId);
  if (keys === undefined) throw refusedAssertion(clientId);
  const verified = await verifyAssertion(assertion, keys, { clientId, issuer, now });
  if ('kind' in verified) throw refusedAssertion(clientId, verified);
  const jtiHash = assertionDigest(clientId, verified.jti);
  if (!(await useAssertion(database, clientId, { jtiHash, expiresAt: verified.rememberUntil })))
    throw refusedAssertion(clientId, { kind: 'assertion_used' });
  return { clientId, secretHash: null, asserted: true, triedBasic: false, fault: () => ASSERTION_REFUSED };
}

/**
 * Authenticates an application by a statement of its own, where no other does it or a refusal must not come first.
 * @throws OAuthError `invalid_client`, with these clues
 */
export async function requireClient(
  database: Database,
  credentials: PresentedCredentials,
  now: Date,
  clues?: Clues,
): Promise<void> {
  if (!(await authenticateClient(database, credentials, now))) throw notAccepted(credentials, clues);
}

const ASSERTION_REFUSED = { kind: 'assertion_refused' } as const;

/** The same words for every reason (D11); which it was, is for the owner. */
const refusedAssertion = (clientId: string | undefined, reason: Reason = ASSERTION_REFUSED): OAuthError =>
  invalidClient(reason).from(named(clientId));

/** Nobody has signed for it yet: it may be anything that JSON can say. */
function subjectOf(assertion: string): string | undefined {
  try {
    const { sub } = decodeJwt<{ sub?: unknown }>(assertion);
    return typeof sub === 'string' ? sub : undefined;
  } catch {
    return undefined;
  }
}
