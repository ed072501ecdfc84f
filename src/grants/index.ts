// The token endpoint's grants: grant_type → what is its own. Everything shared happens here, once, in order.
import type { Credentials } from '../oauth/client-authentication.ts';
import {
  invalidClient,
  invalidGrant,
  invalidRequest,
  OAuthError,
  unsupportedGrantType,
} from '../oauth/errors.ts';
import { faultOf, type Parameters } from '../oauth/parameters.ts';
import { authenticateClient } from '../store/clients.ts';
import { authorizationCode } from './authorization-code.ts';
import { clientCredentials } from './client-credentials.ts';
import { credentialsOf } from './credentials.ts';
import { deviceCode } from './device-code.ts';
import type { issueTokens, TokenResponse } from './issue.ts';
import type { GrantParts } from './parts.ts';
import { refreshToken } from './refresh-token.ts';

type Run = (parts: GrantParts, credentials: Credentials, now: Date) => ReturnType<typeof issueTokens>;

/** What a grant states of its own. */
export interface Grant {
  /** Parameters besides grant_type and client_id without which nothing is looked at. */
  required: readonly string[];
  /**
   * Reads the presented code or token, without the database.
   * @returns what to run, or the refusal to give once the application is known to be authentic
   */
  prepare(form: Parameters, parts: GrantParts): Run | OAuthError;
  /** What `invalid_grant` says for each outcome of the deciding statement. */
  refusals: { expired: string; reused: string; gone: string };
}

const GRANTS: Readonly<Record<string, Grant>> = {
  authorization_code: authorizationCode,
  refresh_token: refreshToken,
  client_credentials: clientCredentials,
  'urn:ietf:params:oauth:grant-type:device_code': deviceCode,
};

/** The grant types of this service, as discovery names them. */
export const GRANT_TYPES = Object.keys(GRANTS);

/**
 * Answers a token request (RFC 6749 §3.2), in the order of D10: repeated parameters, missing parameters, application,
 * grant type, grant.
 * @throws OAuthError for every refusal
 */
export async function exchange(
  parts: GrantParts,
  form: Parameters,
  authorization: string | undefined,
  now: Date,
): Promise<TokenResponse> {
  const fault = faultOf(form);
  if (fault !== undefined) throw invalidRequest(fault);
  const grantType = form.get('grant_type');
  if (grantType === undefined) throw invalidRequest('grant_type is missing.');
  const grant = Object.hasOwn(GRANTS, grantType) ? GRANTS[grantType] : undefined;
  for (const name of grant?.required ?? [])
    if (form.get(name) === undefined) throw invalidRequest(`${name} is missing.`);
  const credentials = await credentialsOf(parts, parts.issuer, form, authorization, now);

  const prepared = grant === undefined ? unsupportedGrantType() : grant.prepare(form, parts);
  if (grant === undefined || prepared instanceof OAuthError) {
    // A refused request costs a statement of its own: nothing about a grant is told to who is not its application.
    if (!(await authenticateClient(parts.database, credentials, now)))
      throw invalidClient(credentials.triedBasic);
    throw prepared;
  }
  const result = await prepared(parts, credentials, now);
  if (result === 'unauthenticated') throw invalidClient(credentials.triedBasic);
  if (result === null || typeof result === 'string') throw invalidGrant(grant.refusals[result ?? 'gone']);
  return result;
}
