// The token endpoint's grants: grant_type → what is its own. Everything shared happens here, once, in order.
import { accepted, notAccepted, type PresentedCredentials } from '../oauth/client-authentication.ts';
import { invalidGrant, OAuthError, unsupportedGrantType } from '../oauth/errors.ts';
import type { Parameters } from '../oauth/parameters.ts';
import { printable } from '../oauth/shown.ts';
import { authorizationCode } from './authorization-code.ts';
import { clientCredentials } from './client-credentials.ts';
import { requireClient } from './credentials.ts';
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

function grantOf(form: Parameters): Grant {
  const grantType = form.get('grant_type') ?? '';
  return (Object.hasOwn(GRANTS, grantType) ? GRANTS[grantType] : undefined) ?? unknownGrant;
}

/** What a token request has to bring before anything of it is looked into. */
export const requiredParameters = (form: Parameters): readonly string[] => [
  'grant_type',
  ...grantOf(form).required,
];

/**
 * Answers a token request that is complete (RFC 6749 §3.2), in the order of D10: application, grant type, grant.
 * @throws OAuthError for every refusal
 */
export async function exchange(
  parts: GrantParts,
  form: Parameters,
  credentials: PresentedCredentials,
  now: Date,
): Promise<TokenResponse> {
  const grant = grantOf(form);
  const prepared = grant.prepare(form, parts);
  if (prepared instanceof OAuthError) {
    // A refused request costs a statement of its own: nothing about a grant is told to who is not its application.
    await requireClient(parts.database, credentials, now, prepared.clues);
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
