// Issues the tokens of every grant that a user gave.
import type { Config } from '../config.ts';
import { type SigningKeys, signAccessToken, signIdToken } from '../keys/tokens.ts';
import { type ApiGrant, noScopeOf, standingRefusal, unknownResource } from '../oauth/api.ts';
import { personClaims } from '../oauth/claims.ts';
import { accepted, notAccepted, type PresentedCredentials } from '../oauth/client-authentication.ts';
import { accessTokenDigest, foreignAccessTokenDigest } from '../oauth/digests.ts';
import { invalidGrant, OAuthError } from '../oauth/errors.ts';
import type { Parameters } from '../oauth/parameters.ts';
import type { Clues, Reason, TicketClue } from '../oauth/reason.ts';
import { dataScopes, type GrantedScope, OFFLINE_ACCESS } from '../oauth/scopes.ts';
import type { Sealer } from '../oauth/seal.ts';
import {
  codeClue,
  openCode,
  openRefreshToken,
  sealRefreshToken,
  type Ticket,
  ticketClue,
} from '../oauth/tickets.ts';
import { findNamedApi } from '../store/apis.ts';
import type { Database } from '../store/database.ts';
import type { Decision, SignedToken } from '../store/grants.ts';
import { avatarAddress } from '../web/html/pictures.ts';

/** The services that grants use. */
export interface GrantServices {
  database: Database;
  usage: {
    disclosed(userId: string, clientId: string, fields: string, at: Date): void;
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
    | 'secondFactor'
  >;
}

/** A complete token request, with credentials that the grant's statement checks. */
export interface TokenRequest {
  form: Parameters;
  credentials: PresentedCredentials;
  now: Date;
}

/** The body of a token response (RFC 6749 §5.1), and id_token where there is one. */
export interface TokenResponse {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  /** Absent where no person stands behind it. */
  refresh_token?: string;
  /** Absent where there is none: the token is for an API without scopes. */
  scope?: string;
  id_token?: string;
}

const seconds = (date: Date) => Math.floor(date.getTime() / 1000);

type Yes = 'redeemed' | 'advanced' | 'repeated';
type No = 'reused' | 'tooLittle' | 'expired' | 'otherTerms' | 'unauthenticated' | null;

/** Description and reason of `invalid_grant` for each outcome of the deciding statement. */
export type Refusals = Partial<
  Record<'expired' | 'reused' | 'tooLittle' | 'gone', readonly [description: string, reason: Reason]>
>;

/** What a grant wants issued. */
interface Issue {
  ticket: Ticket;
  /** Scopes of this service that the tokens are for: those of the ticket, or fewer. */
  scopes: GrantedScope[];
  /** The API that the access token is for, with its scopes of the ticket or fewer; null: this service itself (D47). */
  api?: ApiGrant | null;
  /** The one statement. */
  decide: (token: SignedToken) => Promise<Decision<Yes | No>>;
  /** Whether an id_token goes with it, once it is known whether the application is in standard mode. */
  withIdToken: (standard: boolean) => boolean;
  /** Whether a refresh token goes with it. */
  renewable?: boolean;
  nonce: string | undefined;
  refusals: Refusals;
  /** The presented code or token, for diagnostics. */
  clue?: TicketClue;
}

/**
 * Issues the tokens of the generation after a ticket's. The access token is signed first, because the statement that
 * decides stores its hash. If the API's owner has changed its terms meanwhile, a second attempt uses the current ones.
 * @throws OAuthError for every refusal
 */
export async function issueTokens(
  services: GrantServices,
  { credentials, now }: Pick<TokenRequest, 'credentials' | 'now'>,
  issue: Issue,
): Promise<TokenResponse> {
  const { refusals, clue } = issue;
  let issued = await issueOnce(services, credentials, issue, now);
  if (issued === 'otherTerms')
    issued = await issueOnce(services, credentials, await onPresentTerms(services, credentials, issue), now);
  if (issued !== null && typeof issued !== 'string') return issued;
  const clues = clue && { ticket: clue };
  if (issued === 'unauthenticated') throw notAccepted(credentials, clues);
  // Terms that changed twice mean that the client lost access and got it back: grants from before stay dead.
  const outcome = issued === null || issued === 'otherTerms' ? 'gone' : issued;
  const [description, reason] = refusals[outcome] ?? ENDED;
  throw invalidGrant(description, reason).from(accepted(credentials), {
    ...clues,
    unsettled: outcome === 'gone',
  });
}

/** Runs checks, and adds what was presented to their refusals, for diagnostics. @param credentials if they are accepted */
export function checkedWith<Result>(
  clues: Clues,
  check: () => Result,
  credentials?: PresentedCredentials,
): Result {
  try {
    return check();
  } catch (error) {
    throw error instanceof OAuthError ? error.from(credentials && accepted(credentials), clues) : error;
  }
}

/** The refusal of a text that is no code or refresh token, with the reason that can be told from it. */
export function unreadable(what: 'code' | 'refresh_token', text: string, sealer: Sealer): OAuthError {
  const [code, refreshToken] = [openCode(sealer, text), openRefreshToken(sealer, text)];
  const isIntact = code !== undefined || refreshToken !== undefined;
  const prefix = what === 'code' ? 'sesame_ac_' : 'sesame_rt_';
  const reason: Reason = isIntact
    ? { kind: 'token_mixed_up', sent: code ? 'code' : 'refresh_token', expected: what }
    : { kind: text.startsWith(prefix) ? 'token_altered' : 'token_unreadable', what };
  const ticket = (code && codeClue(code)) ?? (refreshToken && ticketClue(refreshToken));
  return invalidGrant(`The ${what === 'code' ? 'code' : 'refresh token'} is unknown.`, reason).from(
    undefined,
    ticket && { ticket },
  );
}

const ENDED = ['Access has ended.', { kind: 'access_ended' }] as const;

async function onPresentTerms(
  { database }: GrantServices,
  credentials: PresentedCredentials,
  issue: Issue,
): Promise<Issue> {
  const { ticket, api } = issue;
  const { apiId, identifier, scopes } = api as ApiGrant;
  const named = await findNamedApi(database, apiId, credentials.clientId);
  if (named === undefined) throw unknownResource(identifier);
  const refusal = standingRefusal(named);
  if (refusal !== undefined) throw refusal;
  const { lifetime } = named;
  const left = named.scopes.map(({ name }) => name);
  const terms = (grant: ApiGrant): ApiGrant => ({
    ...grant,
    lifetime,
    scopes: grant.scopes.filter((scope) => left.includes(scope)),
  });
  const present = terms({ apiId, identifier, lifetime, scopes });
  if (scopes.length > 0 && present.scopes.length === 0) throw noScopeOf(identifier);
  const apis = ticket.apis?.map((grant) => (grant.apiId === apiId ? terms(grant) : grant));
  return { ...issue, ticket: { ...ticket, apis }, api: present };
}

async function issueOnce(
  { usage, sealer, keys, config: { baseUrl: issuer, accessTokenTtl } }: GrantServices,
  { clientId }: PresentedCredentials,
  request: Issue,
  now: Date,
): Promise<TokenResponse | No> {
  const { ticket, scopes, api = null, renewable = true } = request;
  const { userId, sid, authTime, methods, acr, grantId } = ticket;
  const issuedAt = seconds(now);
  const lifetime = api?.lifetime ?? accessTokenTtl;
  const words: readonly string[] = api?.scopes ?? scopes;
  const accessToken = signAccessToken(keys, {
    issuer,
    userId,
    clientId,
    scopes: words,
    audience: api?.identifier,
    grantId,
    issuedAt,
    lifetime,
  });
  const { outcome, standard, idTokenAlgorithm, person } = await request.decide({
    hash: api === null ? accessTokenDigest(accessToken) : foreignAccessTokenDigest(accessToken),
    // The token says its expiry in whole seconds; the row keeps to the same one.
    expiresAt: new Date((issuedAt + lifetime) * 1000),
    scope: words.join(' '),
    target: api,
  });
  if (!isYes(outcome)) return outcome;

  // offline_access names no data; it is echoed beside the API's scopes.
  const echoed = [...words, ...(api !== null && scopes.includes(OFFLINE_ACCESS) ? [OFFLINE_ACCESS] : [])];
  const response: TokenResponse = {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: lifetime,
    ...(renewable && {
      refresh_token: sealRefreshToken(sealer, { ...ticket, generation: ticket.generation + 1 }),
    }),
    ...(echoed.length > 0 && { scope: echoed.join(' ') }),
  };
  if (scopes.includes('openid') && request.withIdToken(standard)) {
    const { nonce } = request;
    const told =
      person === null
        ? {}
        : personClaims(person, dataScopes(scopes), standard, avatarAddress(issuer, person));
    // What goes into the ledger is what goes into the token (D57).
    usage.disclosed(
      userId,
      clientId,
      Object.keys({ sub: userId, auth_time: authTime, ...told }).join(' '),
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
        person: told,
      },
      idTokenAlgorithm,
    );
  }
  return response;
}

const isYes = (outcome: Yes | No): outcome is Yes =>
  outcome === 'redeemed' || outcome === 'advanced' || outcome === 'repeated';
