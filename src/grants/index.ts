// Grant types of the token endpoint and their required parameters.
import { unsupportedGrantType } from '../oauth/errors.ts';
import type { Parameters } from '../oauth/parameters.ts';
import { redactText } from '../oauth/redaction.ts';
import { exchangeAuthorizationCode } from './authorization-code.ts';
import { issueServiceToken } from './client-credentials.ts';
import { exchangeDeviceCode } from './device-code.ts';
import type { GrantServices, TokenRequest, TokenResponse } from './issue-tokens.ts';
import { exchangeRefreshToken } from './refresh-token.ts';

interface GrantHandler {
  /** Besides grant_type and client_id. */
  required: readonly string[];
  exchange(services: GrantServices, request: TokenRequest): Promise<TokenResponse>;
}

const GRANT_HANDLERS: Readonly<Record<string, GrantHandler>> = {
  authorization_code: { required: ['code', 'redirect_uri'], exchange: exchangeAuthorizationCode },
  refresh_token: { required: ['refresh_token'], exchange: exchangeRefreshToken },
  client_credentials: { required: [], exchange: issueServiceToken },
  'urn:ietf:params:oauth:grant-type:device_code': { required: ['device_code'], exchange: exchangeDeviceCode },
};

export const GRANT_TYPES = Object.keys(GRANT_HANDLERS);

const findGrantHandler = (grantType: string): GrantHandler | undefined =>
  Object.hasOwn(GRANT_HANDLERS, grantType) ? GRANT_HANDLERS[grantType] : undefined;

export const listRequiredParameters = (form: Parameters): readonly string[] => [
  'grant_type',
  ...(findGrantHandler(form.get('grant_type') ?? '')?.required ?? []),
];

export async function handleTokenRequest(
  services: GrantServices,
  request: TokenRequest,
): Promise<TokenResponse> {
  const grantType = request.form.get('grant_type') ?? '';
  const handler = findGrantHandler(grantType);
  if (handler === undefined)
    throw unsupportedGrantType(
      'The grant_type is not supported. See grant_types_supported in the discovery document.',
      {
        kind: 'grant_type_unsupported',
        sent: redactText(grantType),
      },
    );
  return handler.exchange(services, request);
}
