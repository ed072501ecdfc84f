// The authorization request: its checks in order, and what remains of it once it is good (D1 to D6).
import { type ApiGrant, areScopeless, askedApis, type NamedApi } from './api.ts';
import { type AskedAcr, askedOf } from './asked-acr.ts';
import type { Client } from './client.ts';
import { named } from './client-authentication.ts';
import { invalidRequest, OAuthError, parameterMissing } from './errors.ts';
import { faultOf, type Parameters } from './parameters.ts';
import { checkChallenge } from './pkce.ts';
import { callbackRulesOf, matchesRedirectUri, withParameters } from './redirect-uri.ts';
import { type GrantedScope, parseGrantedScope, requestedScopes } from './scopes.ts';
import { printable } from './shown.ts';

type Prompt = 'none' | 'login' | 'consent' | 'select_account';
const PROMPTS: readonly string[] = ['none', 'login', 'consent', 'select_account'];

/** Maximum size of the nonce in bytes. */
const MAX_NONCE = 1024;
/** Room for the header and the other claims of an id_token: a name has 400 bytes at most, an email address 254. */
const OTHER_CLAIMS = 2048;
/** RS256 with a key of 2,048 bits has the longest signature. */
const SIGNATURE = 512;

/** Maximum sizes in bytes. What travels from page to page has to fit into a URL. */
const LONGEST = {
  state: 4096,
  nonce: MAX_NONCE,
  login_hint: 256,
  ui_locales: 256,
  // Every id_token of this service is accepted. Base64 takes four bytes for three.
  id_token_hint: Math.ceil(((MAX_NONCE + OTHER_CLAIMS) * 4) / 3) + SIGNATURE,
};

/** A checked authorization request. */
export interface AuthorizationRequest {
  clientId: string;
  redirectUri: string;
  /** Those of this service. */
  scopes: GrantedScope[];
  /** APIs that access tokens may be for beside this service, with what is asked of each (RFC 8707, D46). */
  apis: ApiGrant[];
  /** No scope was named: the person picks among all that is on offer, and until then `apis` have no scopes (D51). */
  picks?: true | undefined;
  state: string | undefined;
  nonce: string | undefined;
  codeChallenge: string | undefined;
  prompts: Prompt[];
  /** Seconds since the last sign-in that the application accepts. */
  maxAge: number | undefined;
  /** How the person should, or has to, get in. */
  acr: AskedAcr;
  uiLocales: string | undefined;
  loginHint: string | undefined;
  idTokenHint: string | undefined;
  /** The account that an earlier id_token names, once it has been verified, or `claims`: nobody else may sign in. */
  hintedUserId?: string | undefined;
  /** How the answer travels: in the callback's query, or in a form that the browser posts there. */
  responseMode: ResponseMode;
}

/** OAuth 2.0 Multiple Response Types §2.1, OAuth 2.0 Form Post Response Mode. A fragment is only for other flows. */
export const RESPONSE_MODES = ['query', 'form_post'] as const;
type ResponseMode = (typeof RESPONSE_MODES)[number];

/** Where an answer goes and how: the callback and the state, as far as they are known to be good. */
export interface Callback {
  redirectUri: string;
  responseMode: ResponseMode;
  state: string | undefined;
}

/** A fault of the request that may be told to the application by redirect (RFC 6749 §4.1.2.1, D2). */
export class AuthorizationError extends Error {
  readonly callback: Callback;
  readonly refusal: OAuthError;
  constructor(callback: Callback, refusal: OAuthError) {
    super(refusal.message);
    this.callback = callback;
    this.refusal = refusal;
  }
}

/**
 * Checks a request of a known application, in the order of RFC 6749 §4.1.1 and its extensions.
 * @param named those of its resources that are APIs, as they stand for this application
 * @param pushed whether it was pushed to the service by the application itself (RFC 9126); `unknown` when its request_uri
 *   looks like one from there, and is none of this application's
 * @returns the request, or `unregisteredCallback`, which must never be redirected to (D1)
 * @throws AuthorizationError for what the application is told at its callback
 */
export function checkAuthorizationRequest(
  parameters: Parameters,
  client: Client,
  {
    pushed = false,
    named: namedApis = [],
  }: { pushed?: boolean | 'unknown'; named?: readonly NamedApi[] } = {},
): AuthorizationRequest | 'unregisteredCallback' {
  const redirectUri = parameters.get('redirect_uri') ?? '';
  if (!matchesRedirectUri(redirectUri, client.redirectUris, callbackRulesOf(client)))
    return 'unregisteredCallback';

  const wantedMode = parameters.get('response_mode') ?? 'query';
  const responseMode = RESPONSE_MODES.find((mode) => mode === wantedMode) ?? 'query';
  const sent = parameters.get('state');
  const state = isTooLong('state', sent) ? undefined : sent; // what we cannot carry we do not echo either
  try {
    return checkedParameters(parameters, client, { redirectUri, responseMode, state }, pushed, namedApis);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    throw new AuthorizationError({ redirectUri, responseMode, state }, error.from(named(client.clientId)));
  }
}

/** @throws OAuthError for the first fault */
function checkedParameters(
  parameters: Parameters,
  client: Client,
  { redirectUri, responseMode, state }: Callback,
  pushed: boolean | 'unknown',
  namedApis: readonly NamedApi[],
): AuthorizationRequest {
  const fault = faultOf(parameters);
  if (fault !== undefined) throw fault;
  if (parameters.get('request') !== undefined)
    throw new OAuthError(
      400,
      'request_not_supported',
      'Send the parameters themselves, not a request object.',
      REQUEST_OBJECT,
    );
  if (pushed === 'unknown') throw unknownRequestUri();
  if (parameters.get('request_uri') !== undefined)
    throw new OAuthError(
      400,
      'request_uri_not_supported',
      'Send the parameters themselves, or push them to /oauth/par and send the request_uri from there.',
      REQUEST_OBJECT,
    );
  if (client.parRequired && !pushed)
    throw invalidRequest('This application has to push its requests to /oauth/par.', {
      kind: 'push_required',
    });
  const responseType = parameters.get('response_type');
  if (responseType === undefined)
    throw invalidRequest('response_type=code is missing.', {
      kind: 'parameter_missing',
      parameter: 'response_type',
    });
  if (responseType !== 'code')
    throw new OAuthError(400, 'unsupported_response_type', 'response_type must be code.', {
      kind: 'response_type',
      sent: printable(responseType),
    });
  if (responseMode !== (parameters.get('response_mode') ?? 'query'))
    throw invalidRequest(`response_mode must be one of ${RESPONSE_MODES.join(', ')}.`, {
      kind: 'response_mode',
      sent: printable(parameters.get('response_mode') ?? ''),
    });
  const scope = parameters.get('scope');
  const resources = parameters.all('resource');
  const namesNoScope = scope === undefined && !areScopeless(resources, namedApis);
  const picks = namesNoScope && client.agent === true;
  if (namesNoScope && !picks) throw parameterMissing('scope');
  const apis = askedApis(resources, scope, namedApis);
  const scopes = scopesOf(scope, client, apis);
  if (parameters.get('state') === undefined && !client.standard)
    throw invalidRequest('state is missing: send a random value and compare it on return.', {
      kind: 'state_missing',
    });
  checkLengths(parameters);

  const codeChallenge = parameters.get('code_challenge');
  const method = parameters.get('code_challenge_method');
  const pkceRequired = client.type === 'public' || client.pkceRequired === true;
  checkChallenge(codeChallenge, method, pkceRequired);

  const asked = askedOf(parameters);

  return {
    clientId: client.clientId,
    redirectUri,
    scopes,
    apis,
    ...(picks && { picks }),
    state,
    nonce: parameters.get('nonce'),
    codeChallenge,
    prompts: promptsOf(parameters.get('prompt')),
    maxAge: maxAgeOf(parameters.get('max_age')),
    acr: asked.acr,
    uiLocales: parameters.get('ui_locales'),
    loginHint: parameters.get('login_hint'),
    idTokenHint: parameters.get('id_token_hint'),
    hintedUserId: asked.subject,
    responseMode,
  };
}

const REQUEST_OBJECT = { kind: 'request_object' } as const;

/** RFC 9126 §4, RFC 9101 §6.3: never said whether it is altered, nobody's or another application's. */
export const unknownRequestUri = () =>
  new OAuthError(
    400,
    'invalid_request_uri',
    'The request_uri is not one that this application got from /oauth/par.',
    {
      kind: 'pushed_request_unknown',
    },
  );

/** Measured as it is carried: in JSON, where a quotation mark takes two bytes. */
const isTooLong = (name: keyof typeof LONGEST, value: string | undefined): boolean =>
  value !== undefined && Buffer.byteLength(JSON.stringify(value)) - 2 > LONGEST[name];

function checkLengths(parameters: Parameters): void {
  for (const parameter of Object.keys(LONGEST) as (keyof typeof LONGEST)[])
    if (isTooLong(parameter, parameters.get(parameter)))
      throw invalidRequest(`${parameter} is longer than ${LONGEST[parameter]} bytes.`, {
        kind: 'parameter_too_long',
        parameter,
      });
}

function promptsOf(text: string | undefined): Prompt[] {
  // OpenID Connect Core §3.1.2.1: words that are not known are ignored, `none` stands alone.
  const prompts = (text ?? '').split(' ').filter((word): word is Prompt => PROMPTS.includes(word));
  if (prompts.includes('none') && prompts.length > 1)
    throw invalidRequest('prompt=none cannot be combined with another prompt.', { kind: 'prompt_conflict' });
  return prompts;
}

/** What is asked of this service itself. Where nothing is named and no API either, all that an agent may have is on offer. */
function scopesOf(scope: string | undefined, client: Client, apis: readonly ApiGrant[]): GrantedScope[] {
  if (scope !== undefined) return requestedScopes(scope, client.scopes, apis.length > 0);
  return apis.length > 0 ? [] : parseGrantedScope(client.scopes.join(' '));
}

/** Every word that a request is for, of whatever it is: once each. */
export const wordsOf = ({ scopes, apis }: Pick<AuthorizationRequest, 'scopes' | 'apis'>): string[] => [
  ...new Set([...scopes, ...apis.flatMap((api) => api.scopes)]),
];

function maxAgeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text))
    throw invalidRequest('max_age must be a number of seconds.', { kind: 'max_age' });
  return Number(text);
}

/** All that an answer says: its own parameters, the application's `state`, and `iss` (RFC 9207). */
export const answerParameters = (
  { state }: Pick<Callback, 'state'>,
  issuer: string,
  answer: Record<string, string>,
): Record<string, string> => ({ ...answer, ...(state !== undefined && { state }), iss: issuer });

/** The address of an answer: the callback with the answer's parameters. */
export const callbackAddress = (
  callback: Omit<Callback, 'responseMode'>,
  issuer: string,
  answer: Record<string, string>,
): string => withParameters(callback.redirectUri, answerParameters(callback, issuer, answer));
