// The token endpoint's grants: grant_type → what is its own. Everything shared happens here, once, in order.
import { accepted, notAccepted } from '../oauth/client-authentication.ts';
import { invalidGrant, OAuthError, parameterMissing, unsupportedGrantType } from '../oauth/errors.ts';
import { faultOf, type Parameters } from '../oauth/parameters.ts';
import { printable } from '../oauth/shown.ts';
import { authenticateClient } from '../store/clients.ts';
import { authorizationCode } from './authorization-code.ts';
import { clientCredentials } from './client-credentials.ts';
import { credentialsOf } from './credentials.ts';
import { deviceCode } from './device-code.ts';
import type { Grant, Words } from './grant.ts';
import type { TokenResponse } from './issue.ts';
import type { GrantParts } from './parts.ts';
import { refreshToken } from './refresh-token.ts';

const GRANTS: Readonly<Record<string, Grant>> = {
  authorization_code: authorizationCode,
  refresh_token: refreshToken,
  client_credentials: clientCredentials,
  'urn:ietf:params:oauth:grant-type:device_code': deviceCode,
};

const ENDED: Words = ['Access has ended.', { kind: 'access_ended' }];

/** Stands for any other grant_type: it is refused where the others are prepared. */
const unknownGrant: Grant = {
  required: [],
  prepare: (form) =>
    unsupportedGrantType('The grant_type is not supported; the discovery document names those that are.', {
      kind: 'grant_type_unsupported',
      sent: printable(form.get('grant_type') ?? ''),
    }),
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
  if (fault !== undefined) throw fault;
  const grantType = form.get('grant_type');
  if (grantType === undefined) throw parameterMissing('grant_type');
  const grant = (Object.hasOwn(GRANTS, grantType) ? GRANTS[grantType] : undefined) ?? unknownGrant;
  for (const name of grant.required) if (form.get(name) === undefined) throw parameterMissing(name);
  const credentials = await credentialsOf(parts, parts.issuer, form, authorization, now);

  const prepared = grant.prepare(form, parts);
  if (prepared instanceof OAuthError) {
    // A refused request costs a statement of its own: nothing about a grant is told to who is not its application.
    if (!(await authenticateClient(parts.database, credentials, now)))
      throw notAccepted(credentials, prepared.clues);
    throw prepared.from(accepted(credentials));
  }
  const result = await prepared.run(parts, credentials, now);
  if (result !== null && typeof result !== 'string') return result;
  const ticket = prepared.clue?.();
  const clues = ticket === undefined ? {} : { ticket };
  if (result === 'unauthenticated') throw notAccepted(credentials, clues);
  const [description, reason] = grant.refusals?.[result ?? 'gone'] ?? ENDED;
  throw invalidGrant(description, reason).from(accepted(credentials), {
    ...clues,
    unsettled: result === null,
  });
}
