// The grant types of the token endpoint.
import { unsupportedGrantType } from '../oauth/errors.ts';
import type { Parameters } from '../oauth/parameters.ts';
import { printable } from '../oauth/shown.ts';
import { redeemAuthorizationCode } from './authorization-code.ts';
import { grantServiceToken } from './client-credentials.ts';
import { redeemDevice } from './device-code.ts';
import type { GrantServices, TokenRequest, TokenResponse } from './issue.ts';
import { refreshTokens } from './refresh-token.ts';

interface Grant {
  /** Required parameters besides grant_type and client_id. */
  required: readonly string[];
  /** @throws OAuthError for every refusal */
  exchange(services: GrantServices, request: TokenRequest): Promise<TokenResponse>;
}

const GRANTS: Readonly<Record<string, Grant>> = {
  authorization_code: { required: ['code', 'redirect_uri'], exchange: redeemAuthorizationCode },
  refresh_token: { required: ['refresh_token'], exchange: refreshTokens },
  client_credentials: { required: [], exchange: grantServiceToken },
  'urn:ietf:params:oauth:grant-type:device_code': { required: ['device_code'], exchange: redeemDevice },
};

/** The supported grant types, for the discovery document. */
export const GRANT_TYPES = Object.keys(GRANTS);

const grantOf = (grantType: string): Grant | undefined =>
  Object.hasOwn(GRANTS, grantType) ? GRANTS[grantType] : undefined;

/** The parameters that a token request has to have. */
export const requiredParameters = (form: Parameters): readonly string[] => [
  'grant_type',
  ...(grantOf(form.get('grant_type') ?? '')?.required ?? []),
];

/** Answers a complete token request (RFC 6749 §3.2). @throws OAuthError for every refusal */
export async function exchange(services: GrantServices, request: TokenRequest): Promise<TokenResponse> {
  const grantType = request.form.get('grant_type') ?? '';
  const grant = grantOf(grantType);
  if (grant === undefined)
    throw unsupportedGrantType(
      'The grant_type is not supported; the discovery document names those that are.',
      {
        kind: 'grant_type_unsupported',
        sent: printable(grantType),
      },
    );
  return grant.exchange(services, request);
}
