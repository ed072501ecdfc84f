// Reads a refused request once more, for what the request alone shows of the reason: the checks of the addresses again,
// in their order. Nothing here decides about a request; it has been refused already.
import { RESPONSE_MODES } from './authorization-request.ts';
import { differencesOf, withoutCredentials } from './callback-difference.ts';
import { parseBasic } from './client-authentication.ts';
import type { DiagnosisKind, Facts, Suspicion } from './diagnosis.ts';
import { clientSecretHash } from './digests.ts';
import type { OAuthError } from './errors.ts';
import type { Parameters } from './parameters.ts';
import { challengeOf, verifierFault } from './pkce.ts';
import { parseScope } from './scopes.ts';
import type { Sealer } from './seal.ts';
import { isClientIdShaped, isClientSecretShaped } from './secrets.ts';
import { type CodeTicket, openCode, openRefreshToken, type Ticket } from './tickets.ts';

export type RefusedEndpoint = 'authorize' | 'par' | 'device' | 'token' | 'introspect' | 'revoke' | 'userinfo';

/** A refused request as far as it could be read. */
export interface RefusedRequest {
  endpoint: RefusedEndpoint;
  method: string;
  parameters: Parameters;
  authorization: string | undefined;
  error: OAuthError;
  /** Whether it was refused for the callback URL, which is then not redirected to (D1). */
  badCallback: boolean;
  sealer: Sealer;
}

type Finding = Omit<Suspicion, 'clientId' | 'authenticated'> & { authenticated?: boolean };

const plain = (kind: DiagnosisKind, facts: Facts = {}): Finding => ({ kind, facts });

/** A refusal of which nothing more is known than its own words. */
const other = ({ description }: OAuthError): Finding =>
  plain('other', { description: withoutCredentials(description) });

/** What somebody sent where one of a few words belongs: shown only where it looks like a word. */
const printable = (text: string): string => (/^[A-Za-z0-9_:./+ -]{1,40}$/.test(text) ? text : '…');

/** The Client ID that a request names, in its form, its query or its Basic header. */
export function namedClient(parameters: Parameters, authorization: string | undefined): string | undefined {
  const id = parameters.get('client_id') ?? basicOf(authorization)?.id;
  return id !== undefined && isClientIdShaped(id) ? id : undefined;
}

const isBasic = (authorization: string | undefined): authorization is string =>
  authorization !== undefined && /^basic(?: |$)/i.test(authorization);

const basicOf = (authorization: string | undefined) =>
  isBasic(authorization) ? parseBasic(authorization) : undefined;

/** What the request shows; the application may still have to be named by the grant of its token. */
export function suspect(request: RefusedRequest): Suspicion {
  const { endpoint, parameters, authorization } = request;
  const finding =
    ofEveryAddress(request) ??
    (endpoint === 'authorize'
      ? ofAuthorization(request)
      : endpoint === 'userinfo'
        ? undefined
        : ofMachine(request, endpoint)) ??
    other(request.error);
  return { authenticated: false, ...finding, clientId: namedClient(parameters, authorization) };
}

function ofEveryAddress(request: RefusedRequest): Finding | undefined {
  const { error, method, endpoint, parameters } = request;
  if (error.status === 429) return plain('rate_limited');
  if (error.status === 405) return plain('method', { sent: printable(method), endpoint });
  if (error.status >= 500) return plain('service_failed');
  if (endpoint === 'userinfo') return undefined;
  if (endpoint === 'authorize' && error.error === 'invalid_client') return plain('application_suspended');
  // D1: at the authorize address a bad callback comes before everything else.
  const callback = parameters.get('redirect_uri');
  if (endpoint === 'authorize' && error.error === 'invalid_request' && parameters.get('request_uri'))
    return other(error); // what was pushed is not here to be read again
  if (endpoint === 'authorize' && error.error === 'invalid_request' && callback === undefined)
    return plain('callback_missing');
  if (request.badCallback && callback !== undefined)
    return {
      ...plain('callback_unregistered'),
      callback: withoutCredentials(callback),
      authenticated: endpoint === 'par', // a pushed request is checked after its application
    };
  return undefined;
}

/** A parameter that was sent twice, or that cannot be read. Its name is shown only where it looks like one. */
function parameterFault({ parameters }: RefusedRequest): Finding | undefined {
  const name = (text: string) => ({ parameter: /^[a-z_]{1,40}$/.test(text) ? text : '…' });
  for (const parameter of parameters.repeated) return plain('parameter_repeated', name(parameter));
  for (const parameter of parameters.malformed) return plain('parameter_malformed', name(parameter));
  return undefined;
}

const missing = (parameter: string): Finding => plain('parameter_missing', { parameter });

/** In the order of `checkAuthorizationRequest`. */
function ofAuthorization(request: RefusedRequest): Finding | undefined {
  const { parameters, error } = request;
  const get = (name: string) => parameters.get(name);
  switch (error.error) {
    case 'login_required':
      return plain('not_signed_in');
    case 'consent_required':
      return plain('consent_needed');
    case 'access_denied':
      return plain('person_refused');
    case 'unsupported_response_type':
      return plain('response_type', { sent: printable(get('response_type') ?? '') });
    case 'request_not_supported':
    case 'request_uri_not_supported':
      return plain('request_object');
    case 'invalid_scope': {
      const scope = get('scope') ?? '';
      if (parseScope(scope).length === 0) return plain('scope_unknown', { sent: printable(scope) });
      return { ...plain('scope_not_registered', { scope: '' }), scope };
    }
    case 'invalid_request':
      return parameterFault(request) ?? ofAuthorizationParameters(parameters, error.description);
  }
  return undefined;
}

function ofAuthorizationParameters(parameters: Parameters, description: string): Finding | undefined {
  const get = (name: string) => parameters.get(name);
  if (get('response_type') === undefined) return missing('response_type');
  const mode = get('response_mode');
  if (mode !== undefined && !RESPONSE_MODES.some((known) => known === mode))
    return plain('response_mode', { sent: printable(mode) });
  if (get('scope') === undefined) return missing('scope');
  // What depends on the application's settings is told by the words of the refusal.
  if (description.startsWith('state is missing')) return plain('state_missing');
  const long = /^([a-z_]+) is longer than/.exec(description)?.[1];
  if (long !== undefined) return plain('parameter_too_long', { parameter: long });
  if (description.startsWith('This application must send code_challenge')) return plain('challenge_missing');
  if (description.includes('/oauth/par')) return plain('push_required');
  if (description.startsWith('id_token_hint')) return plain('id_token_hint');
  return challengeFinding(get('code_challenge'), get('code_challenge_method')) ?? ofPrompt(parameters);
}

function challengeFinding(challenge: string | undefined, method: string | undefined): Finding | undefined {
  if (method === undefined) return challenge === undefined ? undefined : plain('challenge_method_missing');
  if (method !== 'S256') return plain('challenge_method', { sent: printable(method) });
  if (challenge === undefined) return plain('challenge_alone_missing');
  return /^[A-Za-z0-9_-]{43}$/.test(challenge)
    ? undefined
    : plain('challenge_malformed', { length: challenge.length });
}

function ofPrompt(parameters: Parameters): Finding | undefined {
  const prompts = (parameters.get('prompt') ?? '').split(' ');
  if (prompts.includes('none') && prompts.length > 1) return plain('prompt_conflict');
  const maxAge = parameters.get('max_age');
  if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge)) return plain('max_age');
  return undefined;
}

const REQUIRED = new Map<string | undefined, readonly string[]>([
  ['authorization_code', ['code', 'redirect_uri']],
  ['refresh_token', ['refresh_token']],
]);

/** Token and revocation address, in the order of D10. */
function ofMachine(
  request: RefusedRequest,
  endpoint: Exclude<RefusedEndpoint, 'authorize' | 'userinfo'>,
): Finding | undefined {
  const { parameters, error } = request;
  const fault = parameterFault(request);
  if (fault !== undefined) return fault;
  const grantType = parameters.get('grant_type');
  const required =
    endpoint === 'token'
      ? ['grant_type', ...(REQUIRED.get(grantType) ?? [])]
      : endpoint === 'revoke'
        ? ['token']
        : [];
  for (const name of required) if (parameters.get(name) === undefined) return missing(name);
  const credentials = credentialsFinding(request);
  if (credentials !== undefined) return { ...credentials, ...presentedTicket(request) };
  if (endpoint === 'par') {
    if (parameters.get('redirect_uri') === undefined)
      return { ...plain('callback_missing'), authenticated: true };
    const finding = ofAuthorization(request);
    return finding && { ...finding, authenticated: true };
  }
  if (endpoint === 'device' || endpoint === 'introspect') return { ...other(error), authenticated: true };
  if (endpoint === 'revoke') return { ...plain('token_of_other'), authenticated: true };
  const finding =
    error.error === 'unsupported_grant_type'
      ? plain('grant_type_unsupported', { sent: printable(grantType ?? '') })
      : grantType === 'authorization_code'
        ? codeFinding(request)
        : grantType === 'refresh_token'
          ? refreshFinding(request)
          : other(error);
  return { ...finding, authenticated: true };
}

function credentialsFinding({ parameters, authorization, error }: RefusedRequest): Finding | undefined {
  const id = parameters.get('client_id');
  const basic = basicOf(authorization);
  if (isBasic(authorization)) {
    if (parameters.get('client_secret') !== undefined) return plain('credentials_twice');
    if (basic === undefined) return plain('basic_unreadable');
    if (id !== undefined && id !== basic.id) return plain('client_ids_differ');
  }
  if (error.error !== 'invalid_client') return undefined;
  if (parameters.get('client_assertion') !== undefined) return plain('assertion_refused');
  const secret = isBasic(authorization) ? basic?.secret : parameters.get('client_secret');
  return {
    ...plain(secretKind(secret, id ?? basic?.id), secret === undefined ? {} : { length: secret.length }),
    secretHash: secret === undefined ? null : clientSecretHash(secret),
  };
}

/** What a wrong secret looks like. */
function secretKind(secret: string | undefined, clientId: string | undefined): DiagnosisKind {
  if (secret === undefined) return 'secret_missing';
  if (/\s/.test(secret)) return 'secret_white_space';
  if (secret.includes('%')) return 'secret_encoded';
  if (secret === clientId) return 'secret_is_client_id';
  if (isClientSecretShaped(secret)) return 'secret_unknown';
  if (!secret.startsWith('sesame_secret_')) return 'secret_not_ours';
  return secret.length < 'sesame_secret_'.length + 49 ? 'secret_shortened' : 'secret_altered';
}

const refreshTicketOf = ({ grantId, generation }: Ticket) => ({
  ticket: { what: 'refresh_token' as const, grantId, generation },
});

const codeTicketOf = ({
  grantId,
  generation,
  clientId,
  userId,
  sessionHash,
  epoch,
  issuedAt,
}: CodeTicket) => ({
  ticket: {
    what: 'code' as const,
    grantId,
    generation,
    promise: { clientId, userId, sessionHash, epoch, issuedAt },
  },
});

/** The code or refresh token that came along: whoever holds one of the application's is not just anybody. */
function presentedTicket({ parameters, sealer }: RefusedRequest): Pick<Suspicion, 'ticket'> {
  const code = openCode(sealer, parameters.get('code') ?? '');
  if (code !== undefined) return codeTicketOf(code);
  const refresh = openRefreshToken(sealer, parameters.get('refresh_token') ?? parameters.get('token') ?? '');
  return refresh === undefined ? {} : refreshTicketOf(refresh);
}

/** In the order of grants/authorization-code.ts. */
function codeFinding({ parameters, sealer }: RefusedRequest): Finding {
  const verifier = parameters.get('code_verifier');
  if (verifierFault(verifier) !== undefined)
    return plain('verifier_malformed', { length: verifier?.length ?? 0 });
  const text = parameters.get('code') ?? '';
  const code = openCode(sealer, text);
  if (code === undefined) {
    const refresh = openRefreshToken(sealer, text);
    if (refresh !== undefined) return { ...plain('code_is_refresh_token'), ...refreshTicketOf(refresh) };
    return plain(text.startsWith('sesame_ac_') ? 'code_altered' : 'code_unreadable');
  }
  const finding = exchangeFinding(parameters.get('redirect_uri') ?? '', verifier, code);
  return { ...(finding ?? { ...plain('code_expired'), dependsOnGrant: true }), ...codeTicketOf(code) };
}

function exchangeFinding(callback: string, verifier: string | undefined, code: CodeTicket) {
  if (callback !== code.redirectUri) {
    const sent = withoutCredentials(callback);
    const nearest = withoutCredentials(code.redirectUri);
    return plain('exchange_callback', { sent, nearest, differences: differencesOf(sent, nearest) });
  }
  if (code.codeChallenge === undefined)
    return verifier === undefined ? undefined : plain('verifier_not_expected');
  if (verifier === undefined) return plain('verifier_missing');
  if (verifier === code.codeChallenge) return plain('verifier_is_challenge');
  return challengeOf(verifier) === code.codeChallenge ? undefined : plain('verifier_mismatch');
}

/** In the order of grants/refresh-token.ts. */
function refreshFinding({ parameters, sealer }: RefusedRequest): Finding {
  const text = parameters.get('refresh_token') ?? '';
  const ticket = openRefreshToken(sealer, text);
  if (ticket === undefined) {
    const code = openCode(sealer, text);
    if (code !== undefined) return { ...plain('refresh_token_is_code'), ...codeTicketOf(code) };
    return plain(text.startsWith('sesame_rt_') ? 'refresh_token_altered' : 'refresh_token_unreadable');
  }
  const finding = scopeFinding(parameters.get('scope'), ticket);
  return {
    ...(finding ?? { ...plain('refresh_token_expired'), dependsOnGrant: true }),
    ...refreshTicketOf(ticket),
  };
}

function scopeFinding(scope: string | undefined, ticket: Ticket): Finding | undefined {
  if (scope === undefined) return undefined;
  const scopes = parseScope(scope);
  const extra = scopes.find((one) => !ticket.scopes.includes(one));
  if (extra !== undefined) return plain('scope_beyond_grant', { scope: extra });
  return scopes.length > 0 ? undefined : plain('scope_nothing_granted');
}

/**
 * What a bearer token that userinfo refused shows.
 * @param opened what it says, if this service signed it as an access token
 */
export function suspectBearer(
  token: string,
  error: OAuthError,
  opened: { grantId: string; clientId: string } | undefined,
  sealer: Sealer,
): Suspicion | undefined {
  const common = { clientId: opened?.clientId, authenticated: false };
  if (opened !== undefined) {
    const ticket = { what: 'access_token', grantId: opened.grantId, generation: 0 } as const;
    if (error.error === 'insufficient_scope') return { ...common, ...plain('profile_scope_missing'), ticket };
    if (error.error === 'invalid_request') return { ...common, ...plain('token_sent_twice'), ticket };
    return { ...common, ...plain('access_token_expired'), ticket, dependsOnGrant: true };
  }
  const refresh = openRefreshToken(sealer, token);
  if (refresh !== undefined)
    return { ...common, ...plain('access_token_is_refresh_token'), ...refreshTicketOf(refresh) };
  const code = openCode(sealer, token);
  if (code !== undefined) return { ...common, ...plain('access_token_is_code'), ...codeTicketOf(code) };
  return undefined;
}
