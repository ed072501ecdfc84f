// Makes codes, and the token response of every grant in which a person takes part: what is in it, and who gets a refresh token
// (offline_access).
import { randomUUID } from 'node:crypto';
import { signAccessToken, signIdToken } from '../keys/tokens.ts';
import { type ApiGrant, noScopeOf, standingRefusal, unknownResource } from '../oauth/api.ts';
import type { AskedAcr } from '../oauth/asked-acr.ts';
import { acrOf } from '../oauth/authentication-methods.ts';
import { personClaims } from '../oauth/claims.ts';
import type { Client } from '../oauth/client.ts';
import { accepted, type Credentials } from '../oauth/client-authentication.ts';
import { accessTokenDigest, foreignAccessTokenDigest } from '../oauth/digests.ts';
import { dataScopes, type GrantedScope, OFFLINE_ACCESS } from '../oauth/scopes.ts';
import { sealCode, sealRefreshToken, type Ticket } from '../oauth/tickets.ts';
import { findNamedApi } from '../store/apis.ts';
import type { Decision, SignedToken } from '../store/grants.ts';
import type { Session } from '../store/sessions.ts';
import { avatarAddress } from '../web/html/picture-address.ts';
import type { GrantParts } from './parts.ts';

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

/** Gives a code. Nothing is written: what it rests on is looked at when it is redeemed. */
export function issueCode(
  { sealer }: Pick<GrantParts, 'sealer'>,
  authorization: {
    clientId: string;
    redirectUri: string;
    scopes: GrantedScope[];
    apis: ApiGrant[];
    codeChallenge: string | undefined;
    nonce: string | undefined;
    /** What is asked of how the person gets in. */
    acr: AskedAcr;
    session: Session;
    /** What account, application and consent say together, as they were read for this authorization. */
    epoch: number;
    /** The grant that the code becomes, where a form of ours decided on it. */
    grantId?: string;
    client: Client;
  },
  issuedAt: Date,
): string {
  const { clientId, session, epoch, scopes, apis, grantId = randomUUID() } = authorization;
  const { redirectUri, codeChallenge, nonce, client, acr } = authorization;
  const { userId, sid } = session;
  return sealCode(sealer, {
    grantId,
    generation: 0,
    userId,
    sid,
    authTime: seconds(session.authTime),
    methods: session.methods,
    acr: acrOf(session.methods, acr.values),
    scopes,
    apis,
    sessionHash: session.originHash,
    clientId,
    issuedAt: issuedAt.getTime(),
    epoch,
    redirectUri,
    codeChallenge,
    nonce,
    // Applications get a refresh token anyway, as the contract has it; agents where they asked for it (D52).
    renewable: client.agent !== true || scopes.includes(OFFLINE_ACCESS),
  });
}

type Yes = 'redeemed' | 'advanced' | 'repeated';
type No = 'reused' | 'tooLittle' | 'expired' | 'otherTerms' | 'unauthenticated' | null;

/** What a grant wants issued. */
interface Issue {
  credentials: Credentials;
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
}

/**
 * Gives the tokens of the generation after a ticket's, or the outcome that forbids it. The access token is signed
 * first, so that the one statement that decides can store its hash; nothing leaves before that statement says yes. Where
 * the owner of an API has changed its terms meanwhile, it is done again on those that hold now.
 * @throws OAuthError when the API is not open to the application any more, or has nothing left of what was granted
 */
export async function issueTokens(
  parts: GrantParts,
  request: Issue,
  now: Date,
): Promise<TokenResponse | Exclude<No, 'otherTerms'>> {
  const first = await issueOnce(parts, request, now);
  if (first !== 'otherTerms') return first;
  const again = await issueOnce(parts, { ...request, ...(await onPresentTerms(parts, request)) }, now);
  // They changed yet again, or the application was cut off since and let in again: what is from before stays dead.
  return again === 'otherTerms' ? null : again;
}

async function onPresentTerms(
  { database }: GrantParts,
  { credentials, ticket, api }: Issue,
): Promise<Pick<Issue, 'ticket' | 'api'>> {
  const { apiId, identifier, scopes } = api as ApiGrant;
  const named = await findNamedApi(database, apiId, credentials.clientId);
  const refusal = named === undefined ? unknownResource(identifier) : standingRefusal(named);
  if (named === undefined || refusal !== undefined) throw refusal?.from(accepted(credentials));
  const { lifetime } = named;
  const left = named.scopes.map(({ name }) => name);
  const terms = (grant: ApiGrant): ApiGrant => ({
    ...grant,
    lifetime,
    scopes: grant.scopes.filter((scope) => left.includes(scope)),
  });
  const present = terms({ apiId, identifier, lifetime, scopes });
  if (scopes.length > 0 && present.scopes.length === 0)
    throw noScopeOf(identifier).from(accepted(credentials));
  const apis = ticket.apis?.map((grant) => (grant.apiId === apiId ? terms(grant) : grant));
  return { ticket: { ...ticket, apis }, api: present };
}

async function issueOnce(
  { usage, sealer, keys, config: { baseUrl: issuer, accessTokenTtl } }: GrantParts,
  request: Issue,
  now: Date,
): Promise<TokenResponse | No> {
  const { credentials, ticket, scopes, api = null, renewable = true } = request;
  const { clientId } = credentials;
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
    // What goes into the ledger is what goes into the token (D57), and is a use of the consent, too.
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
  } else usage.consentUsed(userId, clientId, now);
  return response;
}

const isYes = (outcome: Yes | No): outcome is Yes =>
  outcome === 'redeemed' || outcome === 'advanced' || outcome === 'repeated';
