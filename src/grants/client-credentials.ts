// grant_type=client_credentials: access tokens for APIs, without a user (RFC 6749 §4.4).

import { signServiceToken } from '../keys/tokens.ts';
import {
  findAvailabilityError,
  noApiScopeError,
  toIdentifierKey,
  unknownResourceError,
} from '../oauth/api.ts';
import { authenticatedClient, clientAuthenticationError } from '../oauth/client-authentication.ts';
import { serviceTokenDigest } from '../oauth/digests.ts';
import {
  invalidGrant,
  invalidScope,
  invalidTarget,
  unauthorizedClient,
  unsupportedGrantType,
} from '../oauth/errors.ts';
import { redactText } from '../oauth/redaction.ts';
import { findServiceAccess, insertServiceToken, type ServiceAccess } from '../store/service-tokens.ts';
import {
  type GrantServices,
  type TokenRequest,
  type TokenResponse,
  withDiagnosticContext,
} from './issue-tokens.ts';

export async function issueServiceToken(
  { database, keys, config: { baseUrl: issuer } }: GrantServices,
  { form, credentials, now }: TokenRequest,
): Promise<TokenResponse> {
  const scopeParameter = form.get('scope');
  const resources = [...new Set(form.getAll('resource').map(toIdentifierKey))];
  const [resource] = resources;
  const serviceAccess = await findServiceAccess(database, credentials, resource, now);
  if (serviceAccess === undefined) throw clientAuthenticationError(credentials);
  const target = withDiagnosticContext(
    resource === undefined ? {} : { resource },
    () => resolveAudienceAndScopes(serviceAccess, resources, scopeParameter),
    credentials,
  );

  const { clientId } = credentials;
  const { identifier: audience, lifetime, scopes } = target;
  const issuedAt = Math.floor(now.getTime() / 1000);
  const token = signServiceToken(keys, { issuer, clientId, audience, scopes, issuedAt, lifetime });
  const hash = serviceTokenDigest(token);
  const expiresAt = new Date((issuedAt + lifetime) * 1000);
  if (!(await insertServiceToken(database, { hash, clientId, target, expiresAt }, now)))
    throw invalidGrant('Access was revoked.', { kind: 'access_ended' }).withDiagnostics(
      authenticatedClient(credentials),
      {
        isAmbiguous: true,
      },
    );
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: lifetime,
    scope: scopes.join(' '),
  };
}

function resolveAudienceAndScopes(
  { hasAnyAccess, access }: { hasAnyAccess: boolean; access: ServiceAccess | null },
  [resource, secondResource]: string[],
  scopeParameter: string | undefined,
) {
  if (!hasAnyAccess)
    throw unsupportedGrantType(
      'client_credentials is disabled for this application, because no API owner has granted it access.',
      { kind: 'client_credentials_disabled' },
    );
  // The resource is required because several APIs may define the same scopes (RFC 8707).
  if (resource === undefined)
    throw invalidTarget('resource is missing. Send the identifier of an API.', {
      kind: 'parameter_missing',
      parameter: 'resource',
    });
  if (secondResource !== undefined)
    throw invalidTarget('An access token has one audience. Send one resource per token request.', {
      kind: 'resource_ambiguous',
    });
  if (access === null) throw unknownResourceError(resource);
  const { api, granted } = access;
  const refusal = findAvailabilityError(api);
  if (refusal !== undefined) throw refusal;
  if (granted === null)
    throw unauthorizedClient(
      "The API's owner has not granted this application access. Request access in the console.",
      { kind: 'client_credentials_disabled' },
    );
  const available = api.scopes.map(({ name }) => name).filter((scope) => granted.includes(scope));
  const requested = scopeParameter?.split(' ').filter(Boolean) ?? available;
  if (requested.some((scope) => !available.includes(scope)))
    throw invalidScope("The API's owner did not grant all of the requested scopes.", {
      kind: 'scope_beyond_api_grant',
      sent: redactText(scopeParameter ?? ''),
    });
  const scopes = available.filter((scope) => requested.includes(scope));
  if (scopes.length === 0) throw noApiScopeError(api.identifier, scopeParameter);
  return { ...api, scopes };
}
