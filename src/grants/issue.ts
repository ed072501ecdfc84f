// Makes codes, and the token response of every grant in which a person takes part.
import { randomUUID } from 'node:crypto';
import { signAccessToken, signIdToken } from '../keys/tokens.ts';
import type { AskedAcr } from '../oauth/asked-acr.ts';
import { acrOf } from '../oauth/authentication-methods.ts';
import { personClaims } from '../oauth/claims.ts';
import type { Client } from '../oauth/client.ts';
import type { Credentials } from '../oauth/client-authentication.ts';
import { accessTokenDigest, foreignAccessTokenDigest } from '../oauth/digests.ts';
import { dataScopes, type GrantedScope } from '../oauth/scopes.ts';
import { sealCode, sealRefreshToken, type Ticket } from '../oauth/tickets.ts';
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
  scope: string;
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
    codeChallenge: string | undefined;
    nonce: string | undefined;
    resources?: string[];
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
  const { clientId, session, epoch, scopes, resources, grantId = randomUUID() } = authorization;
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
    resources,
    sessionHash: session.originHash,
    clientId,
    issuedAt: issuedAt.getTime(),
    epoch,
    redirectUri,
    codeChallenge,
    nonce,
    tells: client.claimsInIdToken === true,
  });
}

type Yes = 'redeemed' | 'advanced' | 'repeated';
type No = 'reused' | 'tooLittle' | 'expired' | 'unauthenticated' | null;

/**
 * Gives the tokens of the generation after a ticket's, or the outcome that forbids it. The access token is signed
 * first, so that the one statement that decides can store its hash; nothing leaves before that statement says yes.
 */
export async function issueTokens(
  { usage, sealer, keys, config: { baseUrl: issuer, accessTokenTtl: lifetime } }: GrantParts,
  request: {
    credentials: Credentials;
    ticket: Ticket;
    /** Scopes of this access token: those of the ticket, or fewer. */
    scopes: GrantedScope[];
    /** Resource servers that it is for: those of the ticket, or fewer. */
    audience?: string[];
    /** The one statement. */
    decide: (token: SignedToken) => Promise<Decision<Yes | No>>;
    /** Whether an id_token goes with it, once it is known whether the application is in standard mode. */
    withIdToken: (standard: boolean) => boolean;
    nonce: string | undefined;
  },
  now: Date,
): Promise<TokenResponse | No> {
  const { credentials, ticket, scopes, audience = [] } = request;
  const { clientId } = credentials;
  const { userId, sid, authTime, methods, acr, grantId } = ticket;
  const issuedAt = seconds(now);
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
  const { outcome, standard, idTokenAlgorithm, person } = await request.decide({
    hash: audience.length > 0 ? foreignAccessTokenDigest(accessToken) : accessTokenDigest(accessToken),
    // The token says its expiry in whole seconds; the row keeps to the same one.
    expiresAt: new Date((issuedAt + lifetime) * 1000),
    scope,
    audience,
  });
  if (!isYes(outcome)) return outcome;

  const response: TokenResponse = {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: lifetime,
    refresh_token: sealRefreshToken(sealer, { ...ticket, generation: ticket.generation + 1 }),
    scope,
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
        lifetime,
        person: told,
      },
      idTokenAlgorithm,
    );
  } else usage.consentUsed(userId, clientId, now);
  return response;
}

const isYes = (outcome: Yes | No): outcome is Yes =>
  outcome === 'redeemed' || outcome === 'advanced' || outcome === 'repeated';
