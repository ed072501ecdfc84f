// grant_type=client_credentials: an application on its own account, without a person, for an API whose owner granted it
// (RFC 6749 §4.4).

import { signServiceToken } from '../keys/tokens.ts';
import { identifierKey, noScopeOf, standingRefusal, unknownResource } from '../oauth/api.ts';
import { accepted, notAccepted } from '../oauth/client-authentication.ts';
import { serviceTokenDigest } from '../oauth/digests.ts';
import {
  invalidGrant,
  invalidScope,
  invalidTarget,
  unauthorizedClient,
  unsupportedGrantType,
} from '../oauth/errors.ts';
import { printable } from '../oauth/shown.ts';
import { findServiceAccess, insertServiceToken, type ServiceAccess } from '../store/service-tokens.ts';
import { checkedWith, type GrantServices, type TokenRequest, type TokenResponse } from './issue.ts';

/** Issues an access token to the client itself. @throws OAuthError for every refusal */
export async function grantServiceToken(
  { database, keys, config: { baseUrl: issuer } }: GrantServices,
  { form, credentials, now }: TokenRequest,
): Promise<TokenResponse> {
  const wanted = form.get('scope');
  const resources = [...new Set(form.all('resource').map(identifierKey))];
  const [resource] = resources;
  const found = await findServiceAccess(database, credentials, resource, now);
  if (found === undefined) throw notAccepted(credentials);
  const target = checkedWith(
    resource === undefined ? {} : { resource },
    () => targetOf(found, resources, wanted),
    credentials,
  );

  const { clientId } = credentials;
  const { identifier: audience, lifetime, scopes } = target;
  const issuedAt = Math.floor(now.getTime() / 1000);
  const token = signServiceToken(keys, { issuer, clientId, audience, scopes, issuedAt, lifetime });
  const hash = serviceTokenDigest(token);
  const expiresAt = new Date((issuedAt + lifetime) * 1000);
  if (!(await insertServiceToken(database, { hash, clientId, target, expiresAt }, now)))
    throw invalidGrant('Access has ended.', { kind: 'access_ended' }).from(accepted(credentials), {
      unsettled: true,
    });
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: lifetime,
    scope: scopes.join(' '),
  };
}

/** What a token is for: the granted scopes that the API still has, or those of them that the request names. */
function targetOf(
  { on, access }: { on: boolean; access: ServiceAccess | null },
  [resource, another]: string[],
  wanted: string | undefined,
) {
  if (!on)
    throw unsupportedGrantType(
      'client_credentials is off for this application: no owner of an API has granted it anything on its own account.',
      { kind: 'service_off' },
    );
  // Which API the token is for has to be said: another one may have scopes of the same names (RFC 8707).
  if (resource === undefined)
    throw invalidTarget('resource is missing: name the API that the token is for.', {
      kind: 'parameter_missing',
      parameter: 'resource',
    });
  if (another !== undefined)
    throw invalidTarget('An access token is for one API: name one resource at a time.', {
      kind: 'resource_ambiguous',
    });
  if (access === null) throw unknownResource(resource);
  const { api, granted } = access;
  const refusal = standingRefusal(api);
  if (refusal !== undefined) throw refusal;
  if (granted === null)
    throw unauthorizedClient(
      'The owner of the API has not granted this application anything on its own account: ask for it in the console.',
      { kind: 'service_off' },
    );
  const there = api.scopes.map(({ name }) => name).filter((scope) => granted.includes(scope));
  const words = wanted?.split(' ').filter(Boolean) ?? there;
  if (words.some((word) => !there.includes(word)))
    throw invalidScope('The scope goes beyond what the owner of the API granted.', {
      kind: 'scope_beyond_service',
      sent: printable(wanted ?? ''),
    });
  const scopes = there.filter((scope) => words.includes(scope));
  if (scopes.length === 0) throw noScopeOf(api.identifier, wanted);
  return { ...api, scopes };
}
