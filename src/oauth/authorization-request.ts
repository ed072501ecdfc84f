// Validates authorization requests and builds authorization responses (RFC 6749 §4.1).
import { type ApiGrant, areAllScopeless, type RequestedApi, resolveRequestedApis } from './api.ts';
import type { Client } from './client.ts';
import { unauthenticatedClient } from './client-authentication.ts';
import { invalidRequest, OAuthError, parameterMissing } from './errors.ts';
import { isProviderId } from './identity-provider.ts';
import { findParameterError, type Parameters } from './parameters.ts';
import { checkChallenge } from './pkce.ts';
import { redactText } from './redaction.ts';
import { addQueryParameters, getMatchingRules, matchesRedirectUri } from './redirect-uri.ts';
import { parseRequestedAcr, type RequestedAcr } from './requested-acr.ts';
import { type GrantedScope, parseGrantedScope, parseRequestedScopes } from './scopes.ts';

type Prompt = 'none' | 'login' | 'consent' | 'select_account';
const PROMPTS: readonly string[] = ['none', 'login', 'consent', 'select_account'];

const MAX_NONCE_BYTES = 1024;
/** Maximum size of an id_token's header and claims, excluding `nonce`. */
const MAX_OTHER_CLAIMS_BYTES = 2048;
/** Base64 characters. RS256 signatures are the longest. */
const MAX_SIGNATURE_LENGTH = 512;

/** In bytes. The sealed request must fit into a URL. */
const MAX_LENGTHS = {
  state: 4096,
  nonce: MAX_NONCE_BYTES,
  login_hint: 256,
  ui_locales: 256,
  // The longest id_token of this service. Base64 encodes 3 bytes as 4 characters.
  id_token_hint: Math.ceil(((MAX_NONCE_BYTES + MAX_OTHER_CLAIMS_BYTES) * 4) / 3) + MAX_SIGNATURE_LENGTH,
};

export interface AuthorizationRequest {
  clientId: string;
  redirectUri: string;
  scopes: GrantedScope[];
  apis: ApiGrant[];
  /** True if an agent's request has no `scope`. */
  userSelectsScopes?: true | undefined;
  state: string | undefined;
  nonce: string | undefined;
  codeChallenge: string | undefined;
  prompts: Prompt[];
  /** In seconds. */
  maxAge: number | undefined;
  acr: RequestedAcr;
  uiLocales: string | undefined;
  loginHint: string | undefined;
  idTokenHint: string | undefined;
  /** ID of the identity provider to use for sign-in. Ignored if that provider isn't enabled. */
  providerHint?: string | undefined;
  /** From the verified id_token_hint or from `claims`. The user may only sign in to this account. */
  hintedUserId?: string | undefined;
  responseMode: ResponseMode;
}

export const RESPONSE_MODES = ['query', 'form_post'] as const;
type ResponseMode = (typeof RESPONSE_MODES)[number];

/** The caller must have validated the redirect URI. */
export interface ResponseTarget {
  redirectUri: string;
  responseMode: ResponseMode;
  state: string | undefined;
}

/** An error that is returned to the client's redirect URI (RFC 6749 §4.1.2.1). */
export class AuthorizationError extends Error {
  readonly target: ResponseTarget;
  readonly oauthError: OAuthError;
  constructor(target: ResponseTarget, oauthError: OAuthError) {
    super(oauthError.message);
    this.target = target;
    this.oauthError = oauthError;
  }
}

/**
 * Validates an authorization request from a known client.
 * @param pushed `unknown` if request_uri wasn't issued to this client
 * @returns `unregisteredRedirectUri` if the error must not be sent to the redirect URI (RFC 6749 §4.1.2.1)
 * @throws AuthorizationError for all other errors
 */
export function checkAuthorizationRequest(
  parameters: Parameters,
  client: Client,
  {
    pushed = false,
    apis: registeredApis = [],
  }: { pushed?: boolean | 'unknown'; apis?: readonly RequestedApi[] } = {},
): AuthorizationRequest | 'unregisteredRedirectUri' {
  const redirectUri = parameters.get('redirect_uri') ?? '';
  if (!matchesRedirectUri(redirectUri, client.redirectUris, getMatchingRules(client)))
    return 'unregisteredRedirectUri';

  const requestedMode = parameters.get('response_mode') ?? 'query';
  const responseMode = RESPONSE_MODES.find((mode) => mode === requestedMode) ?? 'query';
  const sentState = parameters.get('state');
  // A state that is too long isn't returned to the client.
  const state = isTooLong('state', sentState) ? undefined : sentState;
  try {
    return validateParameters(
      parameters,
      client,
      { redirectUri, responseMode, state },
      pushed,
      registeredApis,
    );
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    throw new AuthorizationError(
      { redirectUri, responseMode, state },
      error.withDiagnostics(unauthenticatedClient(client.clientId)),
    );
  }
}

function validateParameters(
  parameters: Parameters,
  client: Client,
  { redirectUri, responseMode, state }: ResponseTarget,
  pushed: boolean | 'unknown',
  registeredApis: readonly RequestedApi[],
): AuthorizationRequest {
  const malformed = findParameterError(parameters);
  if (malformed !== undefined) throw malformed;
  if (parameters.get('request') !== undefined)
    throw new OAuthError(
      400,
      'request_not_supported',
      'Request objects are not supported. Send the parameters directly.',
      REQUEST_OBJECT_REASON,
    );
  if (pushed === 'unknown') throw unknownRequestUriError();
  if (parameters.get('request_uri') !== undefined)
    throw new OAuthError(
      400,
      'request_uri_not_supported',
      'The request_uri was not issued by /oauth/par. Send the parameters directly, or push them to /oauth/par.',
      REQUEST_OBJECT_REASON,
    );
  if (client.parRequired && !pushed)
    throw invalidRequest('This application must push its authorization requests to /oauth/par.', {
      kind: 'pushed_request_required',
    });
  const responseType = parameters.get('response_type');
  if (responseType === undefined)
    throw invalidRequest('response_type is missing. Send response_type=code.', {
      kind: 'parameter_missing',
      parameter: 'response_type',
    });
  if (responseType !== 'code')
    throw new OAuthError(400, 'unsupported_response_type', 'response_type must be code.', {
      kind: 'response_type',
      sent: redactText(responseType),
    });
  if (responseMode !== (parameters.get('response_mode') ?? 'query'))
    throw invalidRequest(`response_mode must be one of ${RESPONSE_MODES.join(', ')}.`, {
      kind: 'response_mode',
      sent: redactText(parameters.get('response_mode') ?? ''),
    });
  const scope = parameters.get('scope');
  const resources = parameters.getAll('resource');
  const scopeIsMissing = scope === undefined && !areAllScopeless(resources, registeredApis);
  const userSelectsScopes = scopeIsMissing && client.agent === true;
  if (scopeIsMissing && !userSelectsScopes) throw parameterMissing('scope');
  const apis = resolveRequestedApis(resources, scope, registeredApis);
  const scopes = parseServiceScopes(scope, client, apis);
  if (parameters.get('state') === undefined && !client.standard)
    throw invalidRequest(
      'state is missing. Send a random value, and compare it with the state in the response.',
      {
        kind: 'state_missing',
      },
    );
  checkLengths(parameters);

  const codeChallenge = parameters.get('code_challenge');
  const method = parameters.get('code_challenge_method');
  const pkceRequired = client.type === 'public' || client.pkceRequired === true;
  checkChallenge(codeChallenge, method, pkceRequired);

  const authentication = parseRequestedAcr(parameters);

  return {
    clientId: client.clientId,
    redirectUri,
    scopes,
    apis,
    ...(userSelectsScopes && { userSelectsScopes }),
    state,
    nonce: parameters.get('nonce'),
    codeChallenge,
    prompts: parsePrompts(parameters.get('prompt')),
    maxAge: parseMaxAge(parameters.get('max_age')),
    acr: authentication.acr,
    uiLocales: parameters.get('ui_locales'),
    loginHint: parameters.get('login_hint'),
    idTokenHint: parameters.get('id_token_hint'),
    ...parseProviderHint(parameters.get('provider_hint')),
    hintedUserId: authentication.subject,
    responseMode,
  };
}

const REQUEST_OBJECT_REASON = { kind: 'request_object_unsupported' } as const;

/** The request_uri is malformed or belongs to another client (RFC 9126 §4, RFC 9101 §6.3). */
export const unknownRequestUriError = () =>
  new OAuthError(
    400,
    'invalid_request_uri',
    'The request_uri was not issued to this application by /oauth/par.',
    {
      kind: 'pushed_request_unknown',
    },
  );

/** Requests are sealed as JSON, which escapes some characters. */
const isTooLong = (name: keyof typeof MAX_LENGTHS, value: string | undefined): boolean =>
  value !== undefined && Buffer.byteLength(JSON.stringify(value)) - 2 > MAX_LENGTHS[name];

function checkLengths(parameters: Parameters): void {
  for (const parameter of Object.keys(MAX_LENGTHS) as (keyof typeof MAX_LENGTHS)[])
    if (isTooLong(parameter, parameters.get(parameter)))
      throw invalidRequest(`${parameter} is longer than ${MAX_LENGTHS[parameter]} bytes.`, {
        kind: 'parameter_too_long',
        parameter,
      });
}

function parsePrompts(prompt: string | undefined): Prompt[] {
  // `none` can't be combined with other values (OpenID Connect Core §3.1.2.1).
  const prompts = (prompt ?? '').split(' ').filter((value): value is Prompt => PROMPTS.includes(value));
  if (prompts.includes('none') && prompts.length > 1)
    throw invalidRequest('prompt=none cannot be combined with another prompt value.', {
      kind: 'prompt_conflict',
    });
  return prompts;
}

const parseProviderHint = (hint: string | undefined): { providerHint?: string } =>
  hint !== undefined && isProviderId(hint) ? { providerHint: hint } : {};

/** Without `scope` and `resource`, returns the client's registered scopes. */
function parseServiceScopes(
  scope: string | undefined,
  client: Client,
  apis: readonly ApiGrant[],
): GrantedScope[] {
  if (scope !== undefined) return parseRequestedScopes(scope, client.scopes, apis.length > 0);
  return apis.length > 0 ? [] : parseGrantedScope(client.scopes.join(' '));
}

export const listRequestedScopes = ({
  scopes,
  apis,
}: Pick<AuthorizationRequest, 'scopes' | 'apis'>): string[] => [
  ...new Set([...scopes, ...apis.flatMap((api) => api.scopes)]),
];

function parseMaxAge(maxAge: string | undefined): number | undefined {
  if (maxAge === undefined) return undefined;
  if (!/^\d{1,9}$/.test(maxAge))
    throw invalidRequest('max_age must be a whole number of seconds.', { kind: 'max_age' });
  return Number(maxAge);
}

export const buildResponseParameters = (
  { state }: Pick<ResponseTarget, 'state'>,
  issuer: string,
  response: Record<string, string>,
): Record<string, string> => ({ ...response, ...(state !== undefined && { state }), iss: issuer });

export const buildResponseUrl = (
  target: Omit<ResponseTarget, 'responseMode'>,
  issuer: string,
  response: Record<string, string>,
): string => addQueryParameters(target.redirectUri, buildResponseParameters(target, issuer, response));
