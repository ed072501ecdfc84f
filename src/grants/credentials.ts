// How an application says who it is at the addresses for machines: by its secret, or by a key of its own.
import { createLocalJWKSet } from 'jose/jwks/local';
import { decodeJwt } from 'jose/jwt/decode';
import { jwtVerify } from 'jose/jwt/verify';
import { named, type PresentedCredentials, readCredentials } from '../oauth/client-authentication.ts';
import { assertionDigest } from '../oauth/digests.ts';
import { invalidClient, invalidRequest, type OAuthError, parameterMissing } from '../oauth/errors.ts';
import type { Parameters } from '../oauth/parameters.ts';
import type { Sealer } from '../oauth/seal.ts';
import { isClientIdShaped } from '../oauth/secrets.ts';
import { findClientKeys, useAssertion } from '../store/client-assertions.ts';
import type { Database } from '../store/database.ts';

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
/** How the assertion may be signed: never with anything that this service knows too. */
export const ASSERTION_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];
/** An assertion may live so many seconds at most: that long it has to be remembered. */
const LONGEST = 3600;

interface AuthenticationParts {
  database: Database;
  sealer: Sealer;
}

/**
 * Reads the credentials of a request: a secret for the deciding statement to check, or an assertion (RFC 7523 §2.2,
 * OpenID Connect Core §9 `private_key_jwt`), which is checked here and counts once.
 * @param issuer this service, for which an assertion has to be made
 * @throws OAuthError `invalid_request` for a mix of methods, `invalid_client` for an assertion that is not good
 */
export async function credentialsOf(
  parts: AuthenticationParts,
  issuer: string,
  form: Parameters,
  authorization: string | undefined,
  now: Date,
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
  const { jti, exp } = await verified(parts.database, issuer, clientId, assertion, now);
  const expiresAt = new Date(exp * 1000);
  if (exp * 1000 > now.getTime() + LONGEST * 1000) throw refusedAssertion(clientId);
  const jtiHash = assertionDigest(clientId, jti);
  if (!(await useAssertion(parts.database, { clientId, jtiHash, expiresAt })))
    throw refusedAssertion(clientId);
  return { clientId, proof: jtiHash, triedBasic: false, fault: () => ASSERTION_REFUSED };
}

const ASSERTION_REFUSED = { kind: 'assertion_refused' } as const;

const refusedAssertion = (clientId: string | undefined): OAuthError =>
  invalidClient(ASSERTION_REFUSED).from(named(clientId));

function subjectOf(assertion: string): string | undefined {
  try {
    return decodeJwt(assertion).sub;
  } catch {
    return undefined;
  }
}

/** @throws OAuthError `invalid_client`, the same for every reason */
async function verified(
  database: Database,
  issuer: string,
  clientId: string,
  assertion: string,
  now: Date,
): Promise<{ jti: string; exp: number }> {
  const keys = await findClientKeys(database, clientId);
  if (keys === undefined) throw refusedAssertion(clientId);
  try {
    const { payload } = await jwtVerify(assertion, createLocalJWKSet(keys), {
      issuer: clientId,
      subject: clientId,
      audience: [issuer, `${issuer}/oauth/token`, `${issuer}/oauth/par`], // RFC 7523 §3, RFC 9126 §2
      algorithms: ASSERTION_ALGORITHMS,
      requiredClaims: ['exp', 'jti'],
      clockTolerance: 5,
      currentDate: now,
    });
    return { jti: String(payload.jti), exp: Number(payload.exp) };
  } catch {
    throw refusedAssertion(clientId);
  }
}
