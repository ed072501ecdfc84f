// How an application says who it is at the addresses for machines, or an API at introspection: by its secret, or by a key of
// its own.
import { decodeJwt } from 'jose';
import { verifyAssertion } from '../oauth/client-assertion.ts';
import {
  named,
  notAccepted,
  type PresentedCredentials,
  readCredentials,
} from '../oauth/client-authentication.ts';
import { assertionDigest } from '../oauth/digests.ts';
import { invalidClient, invalidRequest, type OAuthError, parameterMissing } from '../oauth/errors.ts';
import type { Parameters } from '../oauth/parameters.ts';
import type { Clues, Reason } from '../oauth/reason.ts';
import { isApiIdShaped, isClientIdShaped } from '../oauth/secrets.ts';
import { apiAssertions, clientAssertions } from '../store/assertions.ts';
import { authenticateClient } from '../store/clients.ts';
import type { Database } from '../store/database.ts';

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * Reads the credentials of a request: a secret for the deciding statement to check, or an assertion (RFC 7523 §2.2,
 * OpenID Connect Core §9 `private_key_jwt`), which is checked here and counts once.
 * @param issuer this service, for which an assertion has to be made
 * @param apis whether APIs may authenticate here, too; their identifiers are no application's (D56)
 * @throws OAuthError `invalid_request` for a mix of methods, `invalid_client` for an assertion that is not good
 */
export async function credentialsOf(
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
  const assertions = apis && isApiIdShaped(clientId) ? apiAssertions : clientAssertions;
  const keys = await assertions.findKeys(database, clientId);
  if (keys === undefined) throw refusedAssertion(clientId);
  const verified = await verifyAssertion(assertion, keys, { clientId, issuer, now });
  if ('kind' in verified) throw refusedAssertion(clientId, verified);
  const proof = assertionDigest(clientId, verified.jti);
  if (!(await assertions.use(database, clientId, { jtiHash: proof, expiresAt: verified.rememberUntil })))
    throw refusedAssertion(clientId, { kind: 'assertion_used' });
  return { clientId, proof, triedBasic: false, fault: () => ASSERTION_REFUSED };
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
