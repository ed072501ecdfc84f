// Ends the session at an identity provider after a sign-out (RP-Initiated Logout 1.0).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { decodeJwt } from 'jose';
import { withoutSlot } from '../http/overload.ts';
import type { Services } from '../http/services.ts';
import type { IdentityProvider } from '../oauth/identity-provider.ts';
import { PROVIDER_SIGN_IN_TTL } from '../oauth/lifetimes.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { isLinkedTo } from '../store/external-identities.ts';
import { clearCookie, readCookie, writeCookie } from './cookies.ts';
import { ensureBrowserHolderId, isBoundToBrowser } from './csrf.ts';
import { findEnabledProvider } from './identity-providers.ts';

/** Redirects to the provider's logout endpoint. The provider redirects back to this path. */
export const PROVIDER_LOGOUT_PATH = '/signout/provider';

const HINT_PURPOSE = 'provider-logout-hint';
const STATE_PURPOSE = 'provider-logout-state';
/** Maximum length of the cookie. nginx limits response headers to 4 kB by default. */
const MAX_HINT_LENGTH = 2500;
/** Limited because the provider's logout URL also contains the id_token. */
const MAX_STATE_LENGTH = 2000;

interface LogoutHint {
  providerId: string;
  idToken: string;
}

interface LogoutState {
  holder: string;
  url: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** Saves an id_token in a cookie unless it is too large. */
export function saveLogoutHint(
  reply: FastifyReply,
  { sealer }: Services,
  { providerId }: IdentityProvider,
  idToken: string | undefined,
): void {
  if (idToken === undefined) return;
  const sealed = sealer.sealJson(HINT_PURPOSE, { providerId, idToken } satisfies LogoutHint);
  if (sealed.length <= MAX_HINT_LENGTH) writeCookie(reply, 'logout-hint', sealed);
}

const openLogoutHint = (request: FastifyRequest, { sealer }: Services): LogoutHint | undefined =>
  sealer.openJson(HINT_PURPOSE, readCookie(request, 'logout-hint'));

/** Returns `url`, or the provider logout page if one of the accounts has a session at a provider. */
export async function withProviderLogout(
  reply: FastifyReply,
  services: Services,
  accounts: readonly { userId: string }[],
  url: string,
): Promise<string> {
  const hint = openLogoutHint(reply.request, services);
  if (hint === undefined) return url;
  const { iss: issuer = '', sub: subject = '' } = decodeJwt(hint.idToken);
  for (const { userId } of accounts) {
    if (!(await isLinkedTo(services.database, userId, { issuer, subject }))) continue;
    const holder = ensureBrowserHolderId(reply, services);
    const at = services.now().getTime();
    const state = services.sealer.sealJson(STATE_PURPOSE, { holder, url, at } satisfies LogoutState);
    if (state.length <= MAX_STATE_LENGTH) return `${PROVIDER_LOGOUT_PATH}?state=${state}`;
  }
  return url;
}

/** Returns undefined if the state has expired or belongs to another browser. */
export function openLogoutState(
  request: FastifyRequest,
  services: Services,
  sealed: string | undefined,
): string | undefined {
  const state = services.sealer.openJson<LogoutState>(STATE_PURPOSE, sealed);
  if (state === undefined || !isBoundToBrowser(request, services, state.holder)) return undefined;
  return state.at + PROVIDER_SIGN_IN_TTL * 1000 < services.now().getTime() ? undefined : state.url;
}

/**
 * Moves the saved id_token from the cookie to the provider's logout URL.
 * @returns undefined if there is no id_token or no usable provider
 */
export async function startProviderLogout(
  reply: FastifyReply,
  services: Services,
  state: string,
): Promise<{ name: string; url: URL } | undefined> {
  const { request } = reply;
  const hint = openLogoutHint(request, services);
  if (hint === undefined) return undefined;
  clearCookie(reply, 'logout-hint');
  const provider = await findEnabledProvider(services, hint.providerId);
  if (provider === undefined) return undefined;
  const redirectUri = `${services.config.baseUrl}${PROVIDER_LOGOUT_PATH}`;
  try {
    const url = await withoutSlot(request, (slotProof) =>
      services.identityProviders.buildLogoutUrl(
        provider,
        { idToken: hint.idToken, redirectUri, state },
        slotProof,
      ),
    );
    return url && { name: provider.name, url };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const { step, code, cause } = error;
    request.log.warn(
      { provider: provider.providerId, step, code, err: cause },
      'logout at the identity provider failed',
    );
    return undefined;
  }
}
