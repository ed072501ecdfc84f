// The only mint: codes, and the token response of every grant.
import { randomUUID } from 'node:crypto';
import type { Credentials } from '../oauth/client-authentication.ts';
import type { Scope } from '../oauth/scopes.ts';
import { accessTokenHash } from '../oauth/secrets.ts';
import { sealCode, sealRefreshToken, type Ticket } from '../oauth/tickets.ts';
import { signAccessToken, signIdToken } from '../oauth/tokens.ts';
import { type AdvanceOutcome, advanceGrant, insertGrant } from '../store/grants.ts';
import type { Session } from '../store/sessions.ts';
import type { GrantParts } from './parts.ts';

/** The body of a token response (RFC 6749 §5.1), and id_token where there is one. */
export interface TokenResponse {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  /** Absent where no person stands behind it. */
  refresh_token?: string;
  scope: string;
  id_token?: string;
}

const seconds = (date: Date) => Math.floor(date.getTime() / 1000);

/**
 * Writes a grant and gives its code; undefined when consent, account or application changed since they were read.
 */
export async function issueCode(
  { database, sealer, usage }: GrantParts,
  authorization: {
    clientId: string;
    redirectUri: string;
    scopes: Scope[];
    codeChallenge: string | undefined;
    nonce: string | undefined;
    resources?: string[];
    session: Session;
  },
  now: Date,
): Promise<string | undefined> {
  const { clientId, scopes, session } = authorization;
  const grantId = randomUUID();
  const { userId, userEpoch, sid } = session;
  if (!(await insertGrant(database, { id: grantId, clientId, userId, userEpoch, sid, scopes, now })))
    return undefined;
  usage.consentUsed(userId, clientId, now);
  return sealCode(sealer, {
    grantId,
    generation: 0,
    userId,
    sid,
    authTime: seconds(session.authTime),
    scopes,
    resources: authorization.resources,
    redirectUri: authorization.redirectUri,
    codeChallenge: authorization.codeChallenge,
    nonce: authorization.nonce,
  });
}

/**
 * Takes the grant of a ticket one generation on and gives the tokens of that generation, or the outcome that forbids
 * it. The access token is signed first, so that the one statement that decides can store its hash; nothing leaves
 * before that statement says yes.
 */
export async function issueTokens(
  { database, usage, sealer, keys, issuer, lifetimes }: GrantParts,
  request: {
    credentials: Credentials;
    ticket: Ticket;
    /** Scopes of this access token: those of the ticket, or fewer. */
    scopes: Scope[];
    /** Resource servers that it is for: those of the ticket, or fewer. */
    audience?: string[];
    /** Seconds within which the presented generation had to be used. */
    idleLifetime: number;
    /** Whether an id_token goes with it, once it is known whether the application is in standard mode. */
    withIdToken: (standard: boolean) => boolean;
    nonce: string | undefined;
  },
  now: Date,
): Promise<TokenResponse | Exclude<AdvanceOutcome, 'advanced' | 'repeated'>> {
  const { credentials, ticket, scopes, audience = [] } = request;
  const { clientId } = credentials;
  const { userId, sid, authTime, grantId } = ticket;
  const issuedAt = seconds(now);
  const lifetime = lifetimes.accessToken;
  const accessToken = signAccessToken(keys, {
    issuer,
    userId,
    clientId,
    scopes,
    audience,
    grantId,
    issuedAt,
    lifetime,
  });
  const scope = scopes.join(' ');
  const { outcome, standard, idTokenAlgorithm } = await advanceGrant(database, {
    credentials,
    now,
    grantId,
    generation: ticket.generation,
    advancedAfter: new Date(now.getTime() - request.idleLifetime * 1000),
    createdAfter:
      lifetimes.refreshTokenMax === 0
        ? new Date(0)
        : new Date(now.getTime() - lifetimes.refreshTokenMax * 1000),
    accessTokenHash: accessTokenHash(accessToken, audience.length > 0),
    // The token says its expiry in whole seconds; the row keeps to the same one.
    accessTokenExpiresAt: new Date((issuedAt + lifetime) * 1000),
    scope,
    audience,
  });
  if (outcome !== 'advanced' && outcome !== 'repeated') return outcome;
  usage.secretUsed(clientId, credentials.secretHash, now);
  usage.consentUsed(userId, clientId, now);

  const response: TokenResponse = {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: lifetime,
    refresh_token: sealRefreshToken(sealer, { ...ticket, generation: ticket.generation + 1 }),
    scope,
  };
  if (scopes.includes('openid') && request.withIdToken(standard)) {
    const { nonce } = request;
    usage.disclosed(userId, clientId, 'sub auth_time', now);
    response.id_token = await signIdToken(
      keys,
      {
        issuer,
        userId,
        clientId,
        nonce,
        authTime,
        sid,
        accessToken,
        issuedAt,
        lifetime,
      },
      idTokenAlgorithm,
    );
  }
  return response;
}
