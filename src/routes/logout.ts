// GET and POST /oauth/logout (OpenID Connect RP-Initiated Logout 1.0).
import type { FastifyInstance, FastifyReply } from 'fastify';
import { recordRefusal } from '../http/diagnostics.ts';
import { PageError } from '../http/page-error.ts';
import { readForm, readQuery, requireForm } from '../http/parameters.ts';
import { isHeadRequest } from '../http/request.ts';
import type { Services } from '../http/services.ts';
import { readSignedIdToken } from '../keys/tokens.ts';
import { unauthenticatedClient } from '../oauth/client-authentication.ts';
import { invalidRequest, type OAuthError } from '../oauth/errors.ts';
import {
  buildLogoutRedirectUrl,
  type LogoutTarget,
  MAX_LOGOUT_STATE_BYTES,
  sealLogoutTarget,
} from '../oauth/logout-request.ts';
import { findParameterError, type Parameters } from '../oauth/parameters.ts';
import { redactUrl } from '../oauth/redaction.ts';
import { isWellFormedClientId } from '../oauth/secrets.ts';
import { findPostLogoutClient } from '../store/clients.ts';
import { isKnownBrowser } from '../web/known-browsers.ts';
import { withProviderLogout } from '../web/provider-logout.ts';
import { signedOutUrl } from '../web/sign-out-redirects.ts';
import { findSignedInAccounts, signOutAccounts } from '../web/signed-in-accounts.ts';

const LOGOUT_PARAMETERS = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state', 'ui_locales'];

interface LogoutRequest {
  hint: { sid: string; userId: string } | undefined;
  target: LogoutTarget | PageError | undefined;
}

export function logoutRoute(app: FastifyInstance, services: Services): void {
  const { config, database, keys, sealer } = services;

  app.get('/oauth/logout', async (request, reply) => {
    const parameters = readQuery(request);
    const { target, hint } = await validateLogoutRequest(parameters);
    const accounts = await findSignedInAccounts(request, services);
    const signedIn = accounts.length > 0;
    if (target instanceof PageError) {
      // An unregistered redirect URI prevents only the redirect (§3). A signed-in user may still sign out.
      if (!signedIn) throw target;
      request.oauthError = target.oauthError;
      recordRefusal(request, target.oauthError, services);
      return redirectToConfirmation(reply, parameters, undefined);
    }
    // Attackers could use their own client and id_token in a logout URL (RFC 9700 §4.11). Anonymous users must
    // confirm the redirect unless the hinted user has signed in from this browser before.
    const isKnown = hint !== undefined && isKnownBrowser(request, services, hint.userId);
    if (!signedIn && target !== undefined && !isKnown)
      return redirectToConfirmation(reply, parameters, target);
    if (!signedIn) return reply.redirect(getUrlAfterSignOut(target), 303);
    // Without this session's id_token, the request could come from any site, so the user must confirm it. Other
    // accounts stay signed in.
    const ended = accounts.filter(({ sid }) => sid === hint?.sid);
    if (ended.length === 0) return redirectToConfirmation(reply, parameters, target);
    if (isHeadRequest(request)) return reply.redirect(getUrlAfterSignOut(target), 303);
    const remaining = await signOutAccounts(reply, services, { accounts, ended });
    const url = getUrlAfterSignOut(target, remaining);
    return reply.redirect(await withProviderLogout(reply, services, ended, url), 303);
  });

  // A cross-site POST has no session cookie. The GET after the redirect has one.
  app.post('/oauth/logout', { preHandler: requireForm }, async (request, reply) => {
    const form = readForm(request);
    await validateLogoutRequest(form);
    const supported = form.entries.filter(([name]) => LOGOUT_PARAMETERS.includes(name));
    return reply.redirect(`/oauth/logout?${new URLSearchParams(supported)}`, 303);
  });

  /** @throws PageError for all errors except an unregistered redirect URI */
  async function validateLogoutRequest(parameters: Parameters): Promise<LogoutRequest> {
    const error = findParameterError(parameters);
    if (error !== undefined) throw logoutError(error, parameters.get('client_id'));
    const idToken = parameters.get('id_token_hint');
    const hint = idToken === undefined ? undefined : await readSignedIdToken(keys, config.baseUrl, idToken);
    if (idToken !== undefined && hint === undefined)
      throw logoutError(
        invalidRequest('id_token_hint is not an id_token that this service issued.', { kind: 'logout_hint' }),
        parameters.get('client_id'),
      );
    const clientId = parameters.get('client_id') ?? hint?.clientId;
    if (hint !== undefined && clientId !== hint.clientId)
      throw logoutError(
        invalidRequest('client_id and id_token_hint belong to different applications.', {
          kind: 'token_belongs_to_other_client',
          what: 'id_token',
        }),
        clientId,
      );
    const state = parameters.get('state');
    if (state !== undefined && Buffer.byteLength(state) > MAX_LOGOUT_STATE_BYTES)
      throw logoutError(
        invalidRequest(`state is longer than ${MAX_LOGOUT_STATE_BYTES} bytes.`, {
          kind: 'parameter_too_long',
          parameter: 'state',
        }),
        clientId,
      );
    return { hint, target: await findLogoutTarget(parameters, clientId) };
  }

  async function findLogoutTarget(
    parameters: Parameters,
    clientId: string | undefined,
  ): Promise<LogoutTarget | PageError | undefined> {
    const redirectUri = parameters.get('post_logout_redirect_uri');
    // Without a client, the redirect URI can't be checked, so it is ignored.
    if (redirectUri === undefined || clientId === undefined) return undefined;
    const registered =
      isWellFormedClientId(clientId) && (await findPostLogoutClient(database, clientId, redirectUri));
    return registered
      ? { clientId, redirectUri, state: parameters.get('state') }
      : logoutError(
          invalidRequest(
            'post_logout_redirect_uri is not registered for this application. URIs are compared character by character.',
            { kind: 'logout_redirect_uri_unregistered', sent: redactUrl(redirectUri) },
          ),
          clientId,
        );
  }

  function redirectToConfirmation(
    reply: FastifyReply,
    parameters: Parameters,
    target: LogoutTarget | undefined,
  ): FastifyReply {
    const query = new URLSearchParams();
    if (target !== undefined) query.set('logout', sealLogoutTarget(sealer, target));
    const uiLocales = parameters.get('ui_locales');
    if (uiLocales !== undefined) query.set('ui_locales', uiLocales);
    return reply.redirect(query.size === 0 ? '/signout' : `/signout?${query}`, 303);
  }
}

const getUrlAfterSignOut = (
  target: LogoutTarget | undefined,
  remaining: readonly { active: boolean }[] = [],
): string => (target === undefined ? signedOutUrl(remaining) : buildLogoutRedirectUrl(target));

const logoutError = (refusal: OAuthError, clientId: string | undefined): PageError =>
  new PageError('invalidLogout', refusal.withDiagnostics(unauthenticatedClient(clientId)));
