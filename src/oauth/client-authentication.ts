// How an application says who it is at the token and revocation endpoints (D11, D12; RFC 6749 §2.3.1).
import { clientSecretHash } from './digests.ts';
import { invalidClient, invalidRequest } from './errors.ts';
import type { Parameters } from './parameters.ts';
import { isClientIdShaped } from './secrets.ts';

/** What was sent, ready for the database, which alone decides. */
export interface Credentials {
  clientId: string;
  /** The hash of a secret, or the digest of an assertion that has just been accepted; null when neither was sent. */
  proof: Buffer | null;
  triedBasic: boolean;
}

/**
 * Reads the credentials of a request: `client_id` and `client_secret` in the form, or HTTP Basic; never the query.
 * @throws OAuthError `invalid_request` without a client_id or with both methods at once, `invalid_client` for a Basic
 *   header that cannot be read.
 */
export function readCredentials(form: Parameters, authorization: string | undefined): Credentials {
  const formId = form.get('client_id');
  const formSecret = form.get('client_secret');
  if (authorization === undefined || !/^basic(?: |$)/i.test(authorization)) {
    if (formId === undefined) throw invalidRequest('client_id is missing.');
    return credentials(formId, formSecret, false);
  }
  const basic = parseBasic(authorization);
  if (formSecret !== undefined)
    throw invalidRequest('Send client_secret in the form or as HTTP Basic, not both.');
  if (basic === undefined) throw invalidClient(true);
  if (formId !== undefined && formId !== basic.id)
    throw invalidRequest('The client_id of the form is not the one of the HTTP Basic header.');
  return credentials(basic.id, basic.secret, true);
}

function credentials(clientId: string, secret: string | undefined, triedBasic: boolean): Credentials {
  if (!isClientIdShaped(clientId)) throw invalidClient(triedBasic);
  return { clientId, proof: secret === undefined ? null : clientSecretHash(secret), triedBasic };
}

/** Both halves of an HTTP Basic header, or undefined when it cannot be read. */
export function parseBasic(authorization: string): { id: string; secret: string | undefined } | undefined {
  const text = Buffer.from(authorization.slice(5).trim(), 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  try {
    // Both halves are form-encoded before they are joined (RFC 6749 §2.3.1).
    const [id, secret] = [text.slice(0, colon), text.slice(colon + 1)].map((half) =>
      decodeURIComponent(half.replaceAll('+', ' ')),
    ) as [string, string];
    return { id, secret: secret || undefined };
  } catch {
    return undefined;
  }
}
