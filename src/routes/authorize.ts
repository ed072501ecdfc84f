// GET and POST /oauth/authorize (RFC 6749 §3.1): validates the request and decides the next step.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { issueCode } from '../grants/authorization-code.ts';
import { recordAuthorization, recordIgnoredScopes, recordRefusal } from '../http/diagnostics.ts';
import { PageError } from '../http/page-error.ts';
import { readForm, readQuery, requireForm } from '../http/parameters.ts';
import { isHeadRequest } from '../http/request.ts';
import type { Services } from '../http/services.ts';
import { readSignedIdToken } from '../keys/tokens.ts';
import {
  AuthorizationError,
  type AuthorizationRequest,
  checkAuthorizationRequest,
  type ResponseTarget,
  unknownRequestUriError,
} from '../oauth/authorization-request.ts';
import { unauthenticatedClient } from '../oauth/client-authentication.ts';
import { findAgentPolicyError } from '../oauth/client-metadata.ts';
import { buildTestClientId } from '../oauth/connection-test-client.ts';
import { invalidRequest, OAuthError } from '../oauth/errors.ts';
import type { Parameters } from '../oauth/parameters.ts';
import {
  isPushedRequestUri,
  openPushedRequest,
  type PendingRequest,
  sealPendingRequest,
} from '../oauth/pending-request.ts';
import { isLocalRedirectUri } from '../oauth/redirect-uri.ts';
import { isMetadataClientId, isWellFormedClientId } from '../oauth/secrets.ts';
import type { AuthorizationContext } from '../store/authorization-context.ts';
import { findProviderForSignIn } from '../store/identity-providers.ts';
import type { Session } from '../store/sessions.ts';
import { sendAuthorizationResponse } from '../web/authorization-response.ts';
import { ensureCrossSiteId, otherSessionIds, presentedSessionKey, recordSessionUse } from '../web/browser.ts';
import { buildAuthorizeUrl, ensureClientMetadata } from '../web/metadata-clients.ts';
import {
  type BrowserContext,
  findBrowserContext,
  loadPendingRequest,
  nextStepOf,
  pendingUrl,
  pushedRequestExpiredError,
  sealForBrowser,
  switchToNamedAccount,
  unregisteredRedirectUriError,
} from '../web/pending-requests.ts';
import { providerPath } from '../web/provider-state.ts';
import { mfaEnrollmentPath } from '../web/session-guard.ts';

export function authorizeRoute(app: FastifyInstance, services: Services): void {
  const refuse = (
    request: FastifyRequest,
    reply: FastifyReply,
    target: ResponseTarget,
    refusal: OAuthError,
    context: AuthorizationContext,
  ): FastifyReply => {
    if (!mayRedirectError(target, context, services.config))
      throw refusal.withDiagnostics(unauthenticatedClient(context.client.clientId));
    request.oauthError = refusal;
    recordRefusal(request, refusal, services);
    const { error, description } = refusal;
    return sendAuthorizationResponse(reply, target, { error, error_description: description });
  };

  app.get('/oauth/authorize', async (request, reply) => {
    const query = readQuery(request);
    const sealed = query.get('pending');
    // With a client_id, `pending` is an unknown parameter and is ignored (RFC 6749 §3.1).
    if (sealed !== undefined && query.get('client_id') === undefined) {
      const { pending, context } = await loadPendingRequest(request, reply, services, sealed);
      return proceedToNextStep(request, reply, pending, context);
    }
    const startedAt = services.now().getTime();
    const validated = await validateRequest(request, reply, query);
    if (validated === undefined) return reply;
    const pending = { request: validated.request, startedAt, consentUserId: undefined };
    return proceedToNextStep(
      request,
      reply,
      pending,
      await switchToNamedAccount(services, pending, validated.context),
    );
  });

  // A cross-site POST (OpenID Connect Core §3.1.2.1) has no CSRF token and no Lax cookie. It redirects
  // to a GET, with the request sealed for this browser.
  app.post('/oauth/authorize', { preHandler: requireForm }, async (request, reply) => {
    const form = readForm(request);
    const startedAt = services.now().getTime();
    // Metadata documents are fetched only for signed-in users. Only the GET has a session cookie.
    if (isMetadataClientId(form.get('client_id') ?? '')) return reply.redirect(buildAuthorizeUrl(form), 303);
    const validated = await validateRequest(request, reply, form);
    if (validated === undefined) return reply;
    const pending = { request: validated.request, startedAt, consentUserId: undefined };
    const sealed = sealPendingRequest(services.sealer, pending, ensureCrossSiteId(reply));
    return reply.redirect(pendingUrl('/oauth/authorize', sealed), 303);
  });

  /** Returns undefined if a response has already been sent. */
  async function validateRequest(
    request: FastifyRequest,
    reply: FastifyReply,
    sent: Parameters,
  ): Promise<{ request: AuthorizationRequest; context: BrowserContext } | undefined> {
    const clientId = sent.get('client_id');
    if (clientId === undefined) throw missingParameterError('client_id', undefined);
    if (
      isMetadataClientId(clientId) &&
      !(await ensureClientMetadata(request, reply, services, clientId, sent))
    )
      return undefined;
    const pushed = readPushedParameters(sent, clientId);
    const parameters = typeof pushed === 'object' ? pushed : sent;
    const context = isWellFormedClientId(clientId)
      ? await findBrowserContext(request, services, clientId, parameters.getAll('resource'))
      : undefined;
    if (context === undefined || findAgentPolicyError(clientId, services.config) !== undefined)
      throw new PageError(
        'unknownApplication',
        new OAuthError(401, 'invalid_client', 'No application has this client_id.', {
          kind: 'client_unknown',
        }).withDiagnostics(unauthenticatedClient(clientId)),
        { showDescription: true },
      );
    if (pushed === 'expired')
      throw await pushedRequestExpiredError(
        services.database,
        context.client,
        'The pushed request has expired.',
        {
          kind: 'pushed_request_expired',
        },
      );
    const redirectUri = parameters.get('redirect_uri');
    if (redirectUri === undefined)
      throw pushed === 'unknown'
        ? unknownRequestUriError().withDiagnostics(unauthenticatedClient(clientId))
        : missingParameterError('redirect_uri', clientId);
    try {
      const checked = checkAuthorizationRequest(parameters, context.client, {
        pushed: typeof pushed === 'object' || (pushed ?? false),
        apis: context.apis,
      });
      if (checked === 'unregisteredRedirectUri')
        throw unregisteredRedirectUriError(redirectUri, context.client);
      await resolveIdTokenHint(checked, context);
      recordIgnoredScopes(request, checked, parameters.get('scope'), services);
      return { request: checked, context };
    } catch (error) {
      if (!(error instanceof AuthorizationError)) throw error;
      refuse(request, reply, error.target, error.oauthError, context);
      return undefined;
    }
  }

  /** Pushed parameters replace all others in the URL (RFC 9101 §5). */
  function readPushedParameters(
    sent: Parameters,
    clientId: string,
  ): Parameters | 'unknown' | 'expired' | undefined {
    const requestUri = sent.get('request_uri');
    if (requestUri === undefined || !isPushedRequestUri(requestUri)) return undefined;
    return openPushedRequest(services.sealer, requestUri, clientId, services.now());
  }

  /**
   * Sets `hintedUserId` (OpenID Connect Core §3.1.2.1). The hint may be expired.
   * @throws AuthorizationError if the hint isn't an id_token of this client
   */
  async function resolveIdTokenHint(
    checked: AuthorizationRequest,
    { client }: AuthorizationContext,
  ): Promise<void> {
    if (checked.idTokenHint === undefined) return;
    const hint = await readSignedIdToken(services.keys, services.config.baseUrl, checked.idTokenHint);
    if (hint === undefined || hint.clientId !== client.clientId)
      throw new AuthorizationError(
        checked,
        invalidRequest('id_token_hint is not an id_token that this service issued to this application.', {
          kind: 'id_token_hint',
        }).withDiagnostics(unauthenticatedClient(client.clientId)),
      );
    const { userId } = hint;
    if (checked.hintedUserId !== undefined && checked.hintedUserId !== userId)
      throw new AuthorizationError(
        checked,
        invalidRequest('id_token_hint and the claims parameter identify different users.', {
          kind: 'id_token_hint',
        }).withDiagnostics(unauthenticatedClient(client.clientId)),
      );
    checked.hintedUserId = userId;
    // With the id_token, the sealed request would be too long.
    checked.idTokenHint = undefined;
  }

  async function proceedToNextStep(
    request: FastifyRequest,
    reply: FastifyReply,
    pending: PendingRequest,
    context: BrowserContext,
  ): Promise<FastifyReply> {
    const now = services.now();
    const { session, epoch } = context;
    if (session !== undefined) recordSessionUse(request, services, session);
    const step = nextStepOf(services, { pending, context });
    if (step.next === 'refuse')
      return refuse(
        request,
        reply,
        pending.request,
        step.refusal.withDiagnostics(unauthenticatedClient(pending.request.clientId)),
        context,
      );
    if (step.next === 'issue' && session !== undefined && epoch !== null) {
      // The code in a HEAD response has already expired, so it can't be used.
      const issuedAt = isHeadRequest(request) ? new Date(0) : now;
      const { client } = context;
      const code = issueCode(services, { ...pending.request, client, session, epoch }, issuedAt);
      if (!isHeadRequest(request) && !pending.isTestSignIn) recordAuthorization(pending.request, services);
      return sendAuthorizationResponse(reply, pending.request, { code });
    }
    const path = selectPage(request, step, pending, context);
    const hinted = path === '/signin' && (await findHintedProvider(pending.request));
    return reply.redirect(
      pendingUrl(hinted ? providerPath(hinted) : path, sealForBrowser(reply, services, pending)),
      303,
    );
  }

  async function findHintedProvider({ providerHint }: AuthorizationRequest): Promise<string | undefined> {
    const provider = providerHint && (await findProviderForSignIn(services.database, providerHint));
    return provider && provider.disabledAt === null ? provider.providerId : undefined;
  }

  /**
   * Returns the account chooser if another session may belong to the hinted user, or if MFA must be set up for
   * an account that isn't the active one.
   */
  function selectPage(
    request: FastifyRequest,
    step: { next: string },
    { request: { hintedUserId } }: PendingRequest,
    { session }: AuthorizationContext,
  ): '/accounts' | '/signin' | '/signin/step-up' | '/consent' | ReturnType<typeof mfaEnrollmentPath> {
    if (step.next === 'consent') return '/consent';
    if (step.next === 'step-up') return '/signin/step-up';
    if (step.next === 'enroll' && session !== undefined)
      return isActiveSession(request, session) ? mfaEnrollmentPath(session) : '/accounts';
    const isHinted = session !== undefined && (hintedUserId ?? session.userId) === session.userId;
    const hasOthers = !isHinted && otherSessionIds(request).length > 0;
    return step.next === 'choose' || hasOthers ? '/accounts' : '/signin';
  }
}

const isActiveSession = (request: FastifyRequest, { idHash }: Session): boolean =>
  presentedSessionKey(request)?.idHash.equals(idHash) === true;

/**
 * Anyone can register an agent, so errors are redirected to an agent only after consent (ADR 3). Otherwise,
 * the service would be an open redirector (RFC 9700 §4.11.2). The exceptions are local redirect URIs, the
 * connection tester, and metadata documents on origins that AGENTS lists.
 */
const mayRedirectError = (
  { redirectUri }: ResponseTarget,
  { client: { agent, clientId }, epoch }: AuthorizationContext,
  { baseUrl, agents }: Services['config'],
): boolean =>
  agent !== true ||
  epoch !== null ||
  isLocalRedirectUri(redirectUri) ||
  (isMetadataClientId(clientId) && !agents.includes('*')) ||
  clientId === buildTestClientId(baseUrl);

const missingParameterError = (name: string, clientId: string | undefined): PageError =>
  new PageError(
    'missingParameter',
    invalidRequest(`${name} is missing or was sent more than once.`, {
      kind: 'parameter_missing',
      parameter: name,
    }).withDiagnostics(unauthenticatedClient(clientId)),
    { showDescription: true },
  );
