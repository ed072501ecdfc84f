// /signin/provider/:providerId and its callback: signs users in through identity providers.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { reauthenticateWithProvider, signInWithProvider } from '../../credentials/provider-sign-in.ts';
import { PendingMfaSignIn } from '../../credentials/sign-in.ts';
import { withoutSlot } from '../../http/overload.ts';
import { PageError } from '../../http/page-error.ts';
import { readForm, readQuery, requireForm } from '../../http/parameters.ts';
import { clientNetwork } from '../../http/rate-limit.ts';
import { isHeadRequest } from '../../http/request.ts';
import type { Services } from '../../http/services.ts';
import { invalidRequest, notFound, OAuthError } from '../../oauth/errors.ts';
import { type ExternalProfile, type IdentityProvider, isProviderId } from '../../oauth/identity-provider.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import { ProviderError } from '../../providers/provider-error.ts';
import { findProviderForSignIn } from '../../store/identity-providers.ts';
import { recordTokenUseBatched } from '../../store/used-tokens.ts';
import { loadSession } from '../../web/browser.ts';
import { isSameOrigin } from '../../web/csrf.ts';
import { providerDisabledError, sealIdentity } from '../../web/external-identity.ts';
import { notifyNewSignIn, rememberedDeviceHashes } from '../../web/known-browsers.ts';
import { finishLogin, secondFactorUrl, signInContext } from '../../web/login.ts';
import { saveLogoutHint } from '../../web/provider-logout.ts';
import {
  createProviderState,
  openProviderState,
  PROVIDER_PURPOSES,
  type ProviderPurpose,
  type ProviderState,
  providerPath,
  providerRedirectUri,
  providerStateToken,
} from '../../web/provider-state.ts';
import {
  addParameter,
  loginUrl,
  openReturnTo,
  parseReturnTo,
  type ReturnTo,
  returnUrl,
} from '../../web/return-to.ts';

const PATH = '/signin/provider/:providerId';
const CALLBACK_PATH = `${PATH}/callback`;
/** Only Apple sends `user`, which contains the user's name. */
const RESPONSE_PARAMETERS = ['code', 'state', 'iss', 'error', 'user'];
const SECURITY_PATH = '/account/security';

type ProviderRequest = FastifyRequest<{ Params: { providerId: string } }>;

export function providerRoutes(app: FastifyInstance, services: Services): void {
  app.get(PATH, async (request: ProviderRequest, reply) => {
    const returnTo = await parseReturnTo(request, reply, services);
    const purpose = parsePurpose(readQuery(request));
    const provider = await loadProvider(services, request.params.providerId);
    requireEnabled(provider, purpose, returnTo);
    if (purpose !== 'sign-in') {
      // Another site may have signed the browser in to the provider with an attacker's account.
      if (!isSameOrigin(request)) return reply.redirect(returnUrl(returnTo, SECURITY_PATH), 303);
      const session = await loadSession(request, services);
      if (session === undefined) return reply.redirect(loginUrl('/signin', returnTo), 303);
      if (purpose === 'test' && !session.isAdmin) throw notFound();
    }
    const { prompts = [], maxAge } = returnTo.page?.pending.request ?? {};
    const login = purpose === 'reauthenticate' || prompts.includes('login');
    const { providerId } = provider;
    const state = createProviderState(reply, services, { providerId, purpose, login, maxAge }, returnTo);
    const redirectUri = providerRedirectUri(services.config.baseUrl, providerId);
    try {
      const url = await withoutSlot(request, (slotProof) =>
        services.identityProviders.start(provider, { ...state, redirectUri, state: state.sealed }, slotProof),
      );
      return reply.redirect(url.href, 303);
    } catch (error) {
      return respondToError(request, reply, error, { provider, purpose, returnTo });
    }
  });

  app.get(CALLBACK_PATH, async (request: ProviderRequest, reply) => {
    const query = readQuery(request);
    const provider = await loadProvider(services, request.params.providerId);
    const state = openProviderState(request, services, provider, query.get('state'));
    if (state === undefined) throw signInExpiredError(provider);
    const returnTo = await openReturnTo(request, reply, services, state);
    requireEnabled(provider, state.purpose, returnTo);
    // A HEAD request must not redeem the code.
    if (isHeadRequest(request)) return reply.redirect(loginUrl('/signin', returnTo), 303);
    if (
      !(await recordTokenUseBatched(services.database, providerStateToken(query.get('state') ?? '', state)))
    )
      throw signInExpiredError(provider, restartUrlFor(state.purpose, returnTo));
    try {
      const { profile, logoutHint } = await redeemCode(request, provider, state);
      if (state.purpose !== 'test') saveLogoutHint(reply, services, provider, logoutHint);
      return await finishSignIn(request, reply, provider, profile, state, returnTo);
    } catch (error) {
      return respondToError(request, reply, error, { provider, purpose: state.purpose, returnTo });
    }
  });

  // A cross-site POST (OAuth 2.0 Form Post Response Mode) has no Lax cookies. The GET after the redirect has
  // them.
  app.post(CALLBACK_PATH, { preHandler: requireForm }, async (request: ProviderRequest, reply) => {
    const form = readForm(request);
    const query = new URLSearchParams();
    for (const name of RESPONSE_PARAMETERS) {
      const value = form.get(name);
      if (value !== undefined) query.set(name, value);
    }
    return reply.redirect(`${providerPath(request.params.providerId)}/callback?${query}`, 303);
  });

  const redeemCode = (request: FastifyRequest, provider: IdentityProvider, state: ProviderState) => {
    const { nonce, codeVerifier, login, maxAge, at } = state;
    const query = readQuery(request);
    const sent = new URLSearchParams(request.url.slice(request.url.indexOf('?')));
    const redirectUri = providerRedirectUri(services.config.baseUrl, provider.providerId);
    return withoutSlot(request, (slotProof) =>
      services.identityProviders.redeem(
        provider,
        sent,
        {
          redirectUri,
          state: query.get('state') ?? '',
          nonce,
          codeVerifier,
          login,
          maxAge,
          startedAt: new Date(at),
        },
        clientNetwork(request),
        slotProof,
      ),
    );
  };

  async function finishSignIn(
    request: FastifyRequest,
    reply: FastifyReply,
    provider: IdentityProvider,
    profile: ExternalProfile,
    { purpose, login, maxAge }: ProviderState,
    returnTo: ReturnTo,
  ): Promise<FastifyReply> {
    const now = services.now();
    if (purpose === 'sign-in') {
      const devices = rememberedDeviceHashes(request);
      // If the sign-in had to be recent, `authTime` has already been checked.
      const signedInAt = login || maxAge !== undefined ? undefined : profile.authTime;
      const session = await signInWithProvider(
        services,
        provider,
        { ...profile, authTime: signedInAt },
        devices,
        signInContext(request),
        now,
      );
      if (session === 'unknown') return redirectWithIdentity('/signup/provider');
      if (session === 'suspended') throw accountSuspendedError(restartUrlFor(purpose, returnTo));
      // The provider was disabled or the identity unlinked during the sign-in.
      if (session === 'refused') throw providerDisabledError(provider, restartUrlFor(purpose, returnTo));
      if (session instanceof PendingMfaSignIn)
        return reply.redirect(secondFactorUrl(reply, services, session, returnTo), 303);
      await notifyNewSignIn(reply, services, session);
      return finishLogin(reply, session, returnTo);
    }
    if (purpose === 'link') return redirectWithIdentity('/account/security/identities/link');
    if (purpose === 'test')
      return redirectWithIdentity(`/console/operations/providers/${provider.providerId}/test`);
    const session = await loadSession(request, services);
    if (session === undefined) return reply.redirect(loginUrl('/signin', returnTo), 303);
    const outcome = await reauthenticateWithProvider(services, session, provider, profile, now);
    if (outcome === 'mfaRequired') return reply.redirect(loginUrl('/signin/step-up', returnTo), 303);
    const url = returnUrl(returnTo, SECURITY_PATH);
    return reply.redirect(outcome === 'done' ? url : addParameter(url, 'done', outcome), 303);

    function redirectWithIdentity(path: string): FastifyReply {
      const identity = sealIdentity(reply, services, profile, returnTo);
      return reply.redirect(`${path}?identity=${identity}`, 303);
    }
  }
}

const parsePurpose = (query: Parameters): ProviderPurpose =>
  PROVIDER_PURPOSES.find((purpose) => purpose === query.get('purpose')) ?? 'sign-in';

const restartUrlFor = (purpose: ProviderPurpose, returnTo: ReturnTo): string =>
  purpose === 'sign-in' ? loginUrl('/signin', returnTo) : returnUrl(returnTo, SECURITY_PATH);

async function loadProvider({ database }: Services, providerId: string): Promise<IdentityProvider> {
  const provider = isProviderId(providerId) ? await findProviderForSignIn(database, providerId) : undefined;
  if (provider === undefined) throw notFound();
  return provider;
}

/**
 * Administrators can test a disabled provider.
 * @throws PageError for any other use of a disabled provider
 */
function requireEnabled(provider: IdentityProvider, purpose: ProviderPurpose, returnTo: ReturnTo): void {
  if (provider.disabledAt !== null && purpose !== 'test')
    throw providerDisabledError(provider, restartUrlFor(purpose, returnTo));
}

const PAGE_DIAGNOSTIC = { kind: 'page_form_invalid' } as const;

const accountSuspendedError = (restartUrl: string): PageError =>
  new PageError(
    'accountSuspended',
    new OAuthError(403, 'access_denied', 'The account is suspended.', PAGE_DIAGNOSTIC),
    { restartUrl },
  );

/** The `state` is malformed, expired, already used, or from another browser or provider. */
const signInExpiredError = ({ name }: IdentityProvider, restartUrl = '/signin'): PageError =>
  new PageError(
    'providerSignInOver',
    invalidRequest('The sign-in through the identity provider has expired.', PAGE_DIAGNOSTIC),
    { provider: name, restartUrl },
  );

/** Rethrows errors other than `ProviderError`. The client of the pending request gets no response. */
function respondToError(
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  {
    provider,
    purpose,
    returnTo,
  }: { provider: IdentityProvider; purpose: ProviderPurpose; returnTo: ReturnTo },
): FastifyReply {
  if (!(error instanceof ProviderError)) throw error;
  const { step, code, cause, isCancellation } = error;
  const details = { provider: provider.providerId, step, code };
  if (cause === undefined) request.log.info(details, 'sign-in through an identity provider failed');
  else
    request.log.warn({ ...details, err: cause }, 'sign-in through an identity provider failed unexpectedly');
  if (purpose === 'test')
    return reply.redirect(
      `/console/operations/providers/${provider.providerId}/test?step=${step}&code=${encodeURIComponent(code)}`,
      303,
    );
  if (isCancellation) {
    const url = restartUrlFor(purpose, returnTo);
    return reply.redirect(addParameter(url, 'done', 'providerCanceled'), 303);
  }
  throw new PageError(
    'providerFailed',
    new OAuthError(502, 'server_error', 'The sign-in through the identity provider failed.', PAGE_DIAGNOSTIC),
    { provider: provider.name, restartUrl: restartUrlFor(purpose, returnTo) },
  );
}
