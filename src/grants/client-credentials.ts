// grant_type=client_credentials: an application on its own account, without a person (RFC 6749 §4.4).

import { signServiceToken } from '../keys/tokens.ts';
import { accepted } from '../oauth/client-authentication.ts';
import { serviceTokenDigest } from '../oauth/digests.ts';
import { invalidScope, invalidTarget, unsupportedGrantType } from '../oauth/errors.ts';
import { unregisteredResource } from '../oauth/scopes.ts';
import { printable } from '../oauth/shown.ts';
import { findServiceRights, insertServiceToken } from '../store/service-tokens.ts';
import type { Grant, Run } from './grant.ts';

export const clientCredentials: Grant = {
  required: [],

  prepare(form) {
    const wanted = form.get('scope')?.split(' ').filter(Boolean);
    const resources = [...new Set(form.all('resource'))];
    const run: Run = async ({ database, keys, config }, credentials, now) => {
      const { baseUrl: issuer, accessTokenTtl: lifetime } = config;
      const rights = await findServiceRights(database, credentials, now);
      if (rights === undefined) return 'unauthenticated';
      if (rights.scopes.length === 0)
        throw unsupportedGrantType(
          'client_credentials is off for this application: its owner has to give it scopes.',
          { kind: 'service_off' },
        ).from(accepted(credentials));
      const scopes = [...new Set(wanted ?? rights.scopes)];
      if (scopes.length === 0 || scopes.some((scope) => !rights.scopes.includes(scope)))
        throw invalidScope(
          `The scope names nothing, or something else than this application may ask for on its own account: ${rights.scopes.join(' ')}`,
          { kind: 'scope_beyond_service', sent: printable(scopes.join(' ')) },
        ).from(accepted(credentials));
      // Its scopes mean something to an API only, and another application may have scopes of the same names: a token that
      // does not say which API it is for could be told from that one's by nobody who looks at aud and scope (RFC 8707).
      if (resources.length === 0)
        throw invalidTarget(
          'resource is missing: name the API that the token is for, as it is registered for this application.',
          { kind: 'parameter_missing', parameter: 'resource' },
        ).from(accepted(credentials));
      const extra = resources.find((resource) => !rights.resources.includes(resource) || resource === issuer);
      if (extra !== undefined) throw unregisteredResource(extra).from(accepted(credentials));

      const { clientId } = credentials;
      const issuedAt = Math.floor(now.getTime() / 1000);
      const expiresAt = issuedAt + lifetime;
      const token = signServiceToken(keys, {
        issuer,
        clientId,
        audience: resources,
        scopes,
        issuedAt,
        lifetime,
      });
      const hash = serviceTokenDigest(token);
      const stored = { hash, clientId, scopes, resources, expiresAt: new Date(expiresAt * 1000) };
      if (!(await insertServiceToken(database, stored))) return 'unauthenticated';
      return {
        access_token: token,
        token_type: 'Bearer',
        expires_in: lifetime,
        scope: scopes.join(' '),
      };
    };
    return { run };
  },
};
