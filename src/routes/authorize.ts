// GET and POST /oauth/authorize (RFC 6749 §3.1): checks the request and decides its one next step.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { issueCode } from '../grants/authorization-code.ts';
import { noteAuthorization, noteIgnoredWords, noteRefusedRequest } from '../http/diagnostics.ts';
import { PageFault } from '../http/failures.ts';
import { formOf, queryOf, requireForm } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { isTraceless } from '../http/request.ts';
import { openIdToken } from '../keys/tokens.ts';
import { agentRefusal } from '../oauth/agent-document.ts';
import {
  AuthorizationError,
  type AuthorizationRequest,
  type Callback,
  checkAuthorizationRequest,
  unknownRequestUri,
} from '../oauth/authorization-request.ts';
import { named } from '../oauth/client-authentication.ts';
import { testerAddress } from '../oauth/connection-tester.ts';
import { invalidRequest, OAuthError } from '../oauth/errors.ts';
import type { Parameters } from '../oauth/parameters.ts';
import { isPushed, openPushed, type PendingRequest, sealPending } from '../oauth/pending-request.ts';
import { isLocalCallback } from '../oauth/redirect-uri.ts';
import { isAgentAddress, isClientIdShaped } from '../oauth/secrets.ts';
import type { AuthorizationFacts } from '../store/authorizations.ts';
import { authorizeUrlOf, isAgentKnown } from '../web/arriving-agent.ts';
import { arrivalId, noteSession, otherSessionIdsOf } from '../web/browser.ts';
import { answerCallback } from '../web/callback.ts';
import { enrolmentPath } from '../web/member.ts';
import {
  type BrowserFacts,
  findBrowserFacts,
  lapsed,
  pendingAddress,
  pendingPage,
  seal,
  stepOf,
  unregisteredCallback,
} from '../web/pending.ts';

export function authorizeRoute(app: FastifyInstance, parts: Parts): void {
  const refuse = (
    request: FastifyRequest,
    reply: FastifyReply,
    callback: Callback,
    refusal: OAuthError,
    facts: AuthorizationFacts,
  ): FastifyReply => {
    if (!mayBeLedTo(callback, facts, parts.config)) throw refusal.from(named(facts.client.clientId));
    request.refusal = refusal;
    noteRefusedRequest(request, refusal, parts);
    const { error, description } = refusal;
    return answerCallback(reply, callback, { error, error_description: description });
  };

  app.get('/oauth/authorize', async (request, reply) => {
    const query = queryOf(request);
    const carried = query.get('pending');
    // An application's own parameter of that name is one we do not know (RFC 6749 §3.1).
    if (carried !== undefined && query.get('client_id') === undefined) {
      const { pending, facts } = await pendingPage(request, reply, parts, carried);
      return proceed(request, reply, pending, facts);
    }
    const startedAt = parts.now().getTime();
    const admitted = await admit(request, reply, query);
    if (admitted === undefined) return reply;
    const pending = { request: admitted.request, startedAt, shownTo: undefined };
    return proceed(request, reply, pending, admitted.facts);
  });

  // OpenID Connect Core §3.1.2.1 allows POST. It comes from another site, so it carries no CSRF token and no Lax
  // cookie: the request is sealed for this browser and decided by the GET that follows (D6).
  app.post('/oauth/authorize', { preHandler: requireForm }, async (request, reply) => {
    const form = formOf(request);
    const startedAt = parts.now().getTime();
    // Whether somebody is signed in, for whom its document may be read, shows in the GET that follows.
    if (isAgentAddress(form.get('client_id') ?? '')) return reply.redirect(authorizeUrlOf(form), 303);
    const admitted = await admit(request, reply, form);
    if (admitted === undefined) return reply;
    const pending = { request: admitted.request, startedAt, shownTo: undefined };
    const sealed = sealPending(parts.sealer, pending, arrivalId(reply));
    return reply.redirect(pendingAddress('/oauth/authorize', sealed), 303);
  });

  /** Checks a request that just arrived; undefined when it has been answered: the application told of a fault, or a stranger led on. */
  async function admit(
    request: FastifyRequest,
    reply: FastifyReply,
    sent: Parameters,
  ): Promise<{ request: AuthorizationRequest; facts: BrowserFacts } | undefined> {
    const clientId = sent.get('client_id');
    if (clientId === undefined) throw missing('client_id', undefined);
    if (isAgentAddress(clientId) && !(await isAgentKnown(request, reply, parts, clientId, sent)))
      return undefined;
    const pushed = pushedRequest(sent, clientId);
    const parameters = typeof pushed === 'object' ? pushed : sent;
    const facts = isClientIdShaped(clientId)
      ? await findBrowserFacts(request, parts, clientId, parameters.all('resource'))
      : undefined;
    if (facts === undefined || agentRefusal(clientId, parts.config) !== undefined)
      throw new PageFault(
        'unknownApplication',
        new OAuthError(401, 'invalid_client', 'No application has this client_id.', {
          kind: 'application_unknown',
        }).from(named(clientId)),
      );
    if (pushed === 'expired')
      throw await lapsed(parts.database, facts.client, 'The pushed request has expired.', {
        kind: 'pushed_request_expired',
      });
    const callback = parameters.get('redirect_uri');
    if (callback === undefined)
      throw pushed === 'unknown'
        ? unknownRequestUri().from(named(clientId))
        : missing('redirect_uri', clientId);
    try {
      const checked = checkAuthorizationRequest(parameters, facts.client, {
        pushed: typeof pushed === 'object' || (pushed ?? false),
        named: facts.apis,
      });
      if (checked === 'unregisteredCallback') throw unregisteredCallback(callback, facts.client);
      await nameHinted(checked, facts);
      noteIgnoredWords(request, checked, parameters.get('scope'), parts);
      return { request: checked, facts };
    } catch (error) {
      if (!(error instanceof AuthorizationError)) throw error;
      refuse(request, reply, error.callback, error.refusal, facts);
      return undefined;
    }
  }

  /** The request that was pushed before (RFC 9126 §4), alone: what else the address holds does not count (RFC 9101 §5). */
  function pushedRequest(sent: Parameters, clientId: string): Parameters | 'unknown' | 'expired' | undefined {
    const requestUri = sent.get('request_uri');
    if (requestUri === undefined || !isPushed(requestUri)) return undefined;
    return openPushed(parts.sealer, requestUri, clientId, parts.now());
  }

  /**
   * Reads whom id_token_hint names (OpenID Connect Core §3.1.2.1): it has to be an id_token that this service gave to
   * this very application, however long ago.
   */
  async function nameHinted(checked: AuthorizationRequest, { client }: AuthorizationFacts): Promise<void> {
    if (checked.idTokenHint === undefined) return;
    const hint = await openIdToken(parts.keys, parts.config.baseUrl, checked.idTokenHint);
    if (hint === undefined || hint.clientId !== client.clientId)
      throw new AuthorizationError(
        checked,
        invalidRequest('id_token_hint is not an id_token that this service gave to this application.', {
          kind: 'id_token_hint',
        }).from(named(client.clientId)),
      );
    const { userId } = hint;
    if (checked.hintedUserId !== undefined && checked.hintedUserId !== userId)
      throw new AuthorizationError(
        checked,
        invalidRequest('id_token_hint and claims name two different people.', {
          kind: 'id_token_hint',
        }).from(named(client.clientId)),
      );
    checked.hintedUserId = userId;
    checked.idTokenHint = undefined; // it is too long to travel along
  }

  async function proceed(
    request: FastifyRequest,
    reply: FastifyReply,
    pending: PendingRequest,
    facts: BrowserFacts,
  ): Promise<FastifyReply> {
    const now = parts.now();
    const { session, epoch } = facts;
    if (session !== undefined) noteSession(request, parts, session);
    const step = stepOf(parts, { pending, facts });
    if (step.next === 'refuse')
      return refuse(
        request,
        reply,
        pending.request,
        step.refusal.from(named(pending.request.clientId)),
        facts,
      );
    if (step.next === 'issue' && session !== undefined && epoch !== null) {
      // HEAD has the headers of GET, but nobody asked for a code that is worth anything: this one expired long ago.
      const issuedAt = isTraceless(request) ? new Date(0) : now;
      const { client } = facts;
      const code = issueCode(parts, { ...pending.request, client, session, epoch }, issuedAt);
      if (!isTraceless(request)) noteAuthorization(pending.request, parts);
      return answerCallback(reply, pending.request, { code });
    }
    return reply.redirect(
      pendingAddress(pageOf(request, step, pending, facts), seal(reply, parts, pending)),
      303,
    );
  }

  /** Who is signed in in this browser, too, may be whom the application means: the chooser leads on where nobody is. */
  function pageOf(
    request: FastifyRequest,
    step: { next: string },
    { request: { hintedUserId } }: PendingRequest,
    { session }: AuthorizationFacts,
  ): '/accounts' | '/signin' | '/signin/step-up' | '/consent' | ReturnType<typeof enrolmentPath> {
    if (step.next === 'consent') return '/consent';
    if (step.next === 'step-up') return '/signin/step-up';
    if (step.next === 'enrol') return enrolmentPath({ hasPassword: session?.hasPassword ?? true });
    const meant = session !== undefined && (hintedUserId ?? session.userId) === session.userId;
    const others = !meant && otherSessionIdsOf(request).length > 0;
    return step.next === 'choose' || others ? '/accounts' : '/signin';
  }
}

/**
 * Whether a browser may be sent to a callback before the person has decided (D2). Where anybody can have an agent, only those go
 * to its site who have agreed to it before, or a link to this service would lead to any site (RFC 9700 §4.11.2): an operator who
 * lists an origin vouches for where its documents lead, and what is on the person's own device is no site.
 */
const mayBeLedTo = (
  { redirectUri }: Callback,
  { client: { agent, clientId }, epoch }: AuthorizationFacts,
  { baseUrl, agents }: Parts['config'],
): boolean =>
  agent !== true ||
  epoch !== null ||
  isLocalCallback(redirectUri) ||
  (isAgentAddress(clientId) && !agents.includes('*')) ||
  clientId === testerAddress(baseUrl);

const missing = (name: string, clientId: string | undefined): PageFault =>
  new PageFault(
    'missingParameter',
    invalidRequest(`${name} is missing or was sent more than once.`, {
      kind: 'parameter_missing',
      parameter: name,
    }).from(named(clientId)),
  );
