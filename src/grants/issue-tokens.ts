// Issues tokens on behalf of users.
import type { Config } from '../config.ts';
import { type SigningKeys, signAccessToken, signIdToken } from '../keys/tokens.ts';
import { type ApiGrant, findAvailabilityError, noApiScopeError, unknownResourceError } from '../oauth/api.ts';
import { buildUserClaims } from '../oauth/claims.ts';
import {
  authenticatedClient,
  clientAuthenticationError,
  type PresentedCredentials,
} from '../oauth/client-authentication.ts';
import { accessTokenDigest, apiAccessTokenDigest } from '../oauth/digests.ts';
import { invalidGrant, OAuthError } from '../oauth/errors.ts';
import type { Parameters } from '../oauth/parameters.ts';
import type { DiagnosticContext, RefusalReason, TokenContext } from '../oauth/refusal-reason.ts';
import { type GrantedScope, OFFLINE_ACCESS, removeOfflineAccess } from '../oauth/scopes.ts';
import type { Sealer } from '../oauth/seal.ts';
import {
  openCode,
  openRefreshToken,
  sealRefreshToken,
  type TokenPayload,
  toCodeContext,
  toRefreshTokenContext,
} from '../oauth/token-payload.ts';
import { findApiForClient } from '../store/apis.ts';
import type { Database } from '../store/database.ts';
import type { GrantOutcome, SignedToken } from '../store/grants.ts';
import { avatarUrl } from '../web/html/pictures.ts';

export interface GrantServices {
  database: Database;
  usage: {
    recordDisclosure(userId: string, clientId: string, fields: string, at: Date): void;
  };
  sealer: Sealer;
  keys: SigningKeys;
  config: Pick<
    Config,
    | 'baseUrl'
    | 'authorizationCodeTtl'
    | 'accessTokenTtl'
    | 'refreshTokenIdleTtl'
    | 'refreshTokenMaxTtl'
    | 'mfaPolicy'
  >;
}

/** The SQL statement that stores the tokens checks `credentials`. */
export interface TokenRequest {
  form: Parameters;
  credentials: PresentedCredentials;
  now: Date;
}

export interface TokenResponse {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  /** Absent for client_credentials and for agents without offline_access. */
  refresh_token?: string;
  /** Absent for an API without scopes. */
  scope?: string;
  id_token?: string;
}

const toUnixTime = (date: Date) => Math.floor(date.getTime() / 1000);

type AcceptedOutcome = 'redeemed' | 'rotated' | 'repeated';
type RejectedOutcome = 'reused' | 'mfaMissing' | 'expired' | 'apiChanged' | 'unauthenticated' | null;

export type InvalidGrantErrors = Partial<
  Record<
    'expired' | 'reused' | 'mfaMissing' | 'notFound',
    readonly [description: string, reason: RefusalReason]
  >
>;

interface Issuance {
  payload: TokenPayload;
  scopes: GrantedScope[];
  /** Null if the audience is this service. */
  api?: ApiGrant | null;
  decide: (token: SignedToken) => Promise<GrantOutcome<AcceptedOutcome | RejectedOutcome>>;
  includesIdToken: (standard: boolean) => boolean;
  hasRefreshToken?: boolean;
  nonce: string | undefined;
  invalidGrantErrors: InvalidGrantErrors;
  context?: TokenContext;
}

/**
 * Signs the access token first because the SQL statement stores its digest. Retries once if the API's settings
 * have changed.
 */
export async function issueTokens(
  services: GrantServices,
  { credentials, now }: Pick<TokenRequest, 'credentials' | 'now'>,
  issuance: Issuance,
): Promise<TokenResponse> {
  const { invalidGrantErrors, context } = issuance;
  let issued = await issueOnce(services, credentials, issuance, now);
  if (issued === 'apiChanged')
    issued = await issueOnce(
      services,
      credentials,
      await withCurrentApiSettings(services, credentials, issuance),
      now,
    );
  if (issued !== null && typeof issued !== 'string') return issued;
  const diagnostics: DiagnosticContext | undefined = context && { token: context };
  if (issued === 'unauthenticated') throw clientAuthenticationError(credentials, diagnostics);
  // If the retry returns `apiChanged` too, access to the API was revoked and restored. Restoring access doesn't
  // restore earlier grants.
  const outcome = issued === null || issued === 'apiChanged' ? 'notFound' : issued;
  const [description, reason] = invalidGrantErrors[outcome] ?? ACCESS_REVOKED;
  throw invalidGrant(description, reason).withDiagnostics(authenticatedClient(credentials), {
    ...diagnostics,
    isAmbiguous: outcome === 'notFound',
  });
}

export function withDiagnosticContext<Result>(
  context: DiagnosticContext,
  check: () => Result,
  credentials?: PresentedCredentials,
): Result {
  try {
    return check();
  } catch (error) {
    throw error instanceof OAuthError
      ? error.withDiagnostics(credentials && authenticatedClient(credentials), context)
      : error;
  }
}

export function unreadableTokenError(
  what: 'code' | 'refresh_token',
  token: string,
  sealer: Sealer,
): OAuthError {
  const [code, refreshToken] = [openCode(sealer, token), openRefreshToken(sealer, token)];
  const isIntact = code !== undefined || refreshToken !== undefined;
  const prefix = what === 'code' ? 'sesame_ac_' : 'sesame_rt_';
  const reason: RefusalReason = isIntact
    ? { kind: 'token_kind_mismatch', sent: code ? 'code' : 'refresh_token', expected: what }
    : { kind: token.startsWith(prefix) ? 'token_altered' : 'token_malformed', what };
  const context = (code && toCodeContext(code)) ?? (refreshToken && toRefreshTokenContext(refreshToken));
  return invalidGrant(
    `The ${what === 'code' ? 'code' : 'refresh token'} is unknown.`,
    reason,
  ).withDiagnostics(undefined, context && { token: context });
}

const ACCESS_REVOKED = ['Access was revoked.', { kind: 'access_ended' }] as const;

async function withCurrentApiSettings(
  { database }: GrantServices,
  credentials: PresentedCredentials,
  issuance: Issuance,
): Promise<Issuance> {
  const { payload, api } = issuance;
  const { apiId, identifier, scopes } = api as ApiGrant;
  const currentApi = await findApiForClient(database, apiId, credentials.clientId);
  if (currentApi === undefined) throw unknownResourceError(identifier);
  const refusal = findAvailabilityError(currentApi);
  if (refusal !== undefined) throw refusal;
  const { lifetime } = currentApi;
  const available = currentApi.scopes.map(({ name }) => name);
  const withCurrentSettings = (grant: ApiGrant): ApiGrant => ({
    ...grant,
    lifetime,
    scopes: grant.scopes.filter((scope) => available.includes(scope)),
  });
  const updatedApi = withCurrentSettings({ apiId, identifier, lifetime, scopes });
  if (scopes.length > 0 && updatedApi.scopes.length === 0) throw noApiScopeError(identifier);
  const apis = payload.apis?.map((grant) => (grant.apiId === apiId ? withCurrentSettings(grant) : grant));
  return { ...issuance, payload: { ...payload, apis }, api: updatedApi };
}

async function issueOnce(
  { usage, sealer, keys, config: { baseUrl: issuer, accessTokenTtl } }: GrantServices,
  { clientId }: PresentedCredentials,
  issuance: Issuance,
  now: Date,
): Promise<TokenResponse | RejectedOutcome> {
  const { payload, scopes, api = null, hasRefreshToken = true } = issuance;
  const { userId, sid, authTime, methods, acr, grantId } = payload;
  const issuedAt = toUnixTime(now);
  const lifetime = api?.lifetime ?? accessTokenTtl;
  const scopeNames: readonly string[] = api?.scopes ?? scopes;
  const accessToken = signAccessToken(keys, {
    issuer,
    userId,
    clientId,
    scopes: scopeNames,
    audience: api?.identifier,
    grantId,
    issuedAt,
    lifetime,
  });
  const { outcome, standard, idTokenAlgorithm, claimsSubject } = await issuance.decide({
    hash: api === null ? accessTokenDigest(accessToken) : apiAccessTokenDigest(accessToken),
    expiresAt: new Date((issuedAt + lifetime) * 1000),
    scope: scopeNames.join(' '),
    target: api,
  });
  if (!isAccepted(outcome)) return outcome;

  // The API's scopes don't include offline_access, so it is added if granted.
  const returnedScopes = [
    ...scopeNames,
    ...(api !== null && scopes.includes(OFFLINE_ACCESS) ? [OFFLINE_ACCESS] : []),
  ];
  const response: TokenResponse = {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: lifetime,
    ...(hasRefreshToken && {
      refresh_token: sealRefreshToken(sealer, { ...payload, rotation: payload.rotation + 1 }),
    }),
    ...(returnedScopes.length > 0 && { scope: returnedScopes.join(' ') }),
  };
  if (scopes.includes('openid') && issuance.includesIdToken(standard)) {
    const { nonce } = issuance;
    const userClaims =
      claimsSubject === null
        ? {}
        : buildUserClaims(
            claimsSubject,
            removeOfflineAccess(scopes),
            standard,
            avatarUrl(issuer, claimsSubject),
          );
    usage.recordDisclosure(
      userId,
      clientId,
      Object.keys({ sub: userId, auth_time: authTime, ...userClaims }).join(' '),
      now,
    );
    response.id_token = await signIdToken(
      keys,
      {
        issuer,
        userId,
        clientId,
        nonce,
        authTime,
        methods,
        acr,
        sid,
        accessToken,
        issuedAt,
        lifetime: accessTokenTtl,
        userClaims,
      },
      idTokenAlgorithm,
    );
  }
  return response;
}

const isAccepted = (outcome: AcceptedOutcome | RejectedOutcome): outcome is AcceptedOutcome =>
  outcome === 'redeemed' || outcome === 'rotated' || outcome === 'repeated';
