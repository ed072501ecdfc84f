// Opens the sealed identity in a URL, to create an account with it or to link it.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PageError } from '../http/page-error.ts';
import { parametersOf } from '../http/parameters.ts';
import type { Services } from '../http/services.ts';
import { invalidRequest, OAuthError } from '../oauth/errors.ts';
import type { ExternalProfile, IdentityProvider } from '../oauth/identity-provider.ts';
import { findProvider } from '../store/identity-providers.ts';
import { openIdentity } from './external-identity.ts';
import { parseReturnTo, type ReturnFields, type ReturnTo } from './return-to.ts';

export interface OpenedIdentity {
  /** The sealed identity, as in the URL. */
  sealed: string;
  profile: ExternalProfile;
  provider: IdentityProvider;
  returnTo: ReturnTo;
}

/**
 * Opens the sealed identity in the parameter `identity`.
 * @throws PageError if the identity has expired or belongs to another browser, or if the provider has been disabled
 */
export async function loadIdentity(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
): Promise<OpenedIdentity> {
  const sealed = parametersOf(request).get('identity') ?? '';
  const opened = openIdentity(request, services, sealed);
  if (typeof opened === 'string') throw identityExpired();
  const { profile, returnTo } = opened;
  const provider = await findProvider(services.database, profile.providerId);
  if (provider === undefined) throw identityExpired();
  if (provider.disabledAt !== null) throw providerDisabled(provider);
  return { sealed, profile, provider, returnTo: await openReturnTo(request, reply, services, returnTo) };
}

/** Parses a return target that was sealed. @throws PageError if its authorization request has expired */
function openReturnTo(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  fields: ReturnFields,
): Promise<ReturnTo> {
  const values = new Map(Object.entries(fields));
  return parseReturnTo(request, reply, services, { get: (name) => values.get(name) });
}

const identityExpired = (): PageError =>
  new PageError(
    'identityExpired',
    invalidRequest('The identity has expired. The user must sign in again.', { kind: 'page_form_invalid' }),
    { restartUrl: '/signin' },
  );

export const providerDisabled = ({ name }: IdentityProvider): PageError =>
  new PageError(
    'providerDisabled',
    new OAuthError(403, 'access_denied', 'The identity provider is disabled.', { kind: 'page_form_invalid' }),
    { provider: name, restartUrl: '/signin' },
  );
