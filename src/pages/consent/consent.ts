// /consent: asks the user to allow or deny an authorization request.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type Consent,
  type ConsentResult,
  listConsentElements,
  submitConsent,
} from '../../accounts/consent.ts';
import { notifyInTransaction } from '../../accounts/notifications.ts';
import { issueCode } from '../../grants/authorization-code.ts';
import { recordAuthorization } from '../../http/diagnostics.ts';
import { readForm, readQueryOrForm } from '../../http/parameters.ts';
import { isSafeMethod } from '../../http/request.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { toConsentScope } from '../../oauth/api.ts';
import type { AuthorizationRequest } from '../../oauth/authorization-request.ts';
import { getDisplayName } from '../../oauth/client-metadata.ts';
import { buildTestClientId } from '../../oauth/connection-test-client.ts';
import { invalidRequest, parameterMissing } from '../../oauth/errors.ts';
import { removeOfflineAccess } from '../../oauth/scopes.ts';
import { findOwnerNames } from '../../store/apis.ts';
import { findAuthorizationContext } from '../../store/authorization-context.ts';
import type { Queryable } from '../../store/database.ts';
import type { Session } from '../../store/sessions.ts';
import { sendAccessDenied, sendAuthorizationResponse } from '../../web/authorization-response.ts';
import { requestContext } from '../../web/browser.ts';
import { singleUseFormToken } from '../../web/csrf.ts';
import type { Rejection } from '../../web/form-errors.ts';
import {
  type LoadedPendingRequest,
  loadPendingRequest,
  nextStepOf,
  pendingUrl,
} from '../../web/pending-requests.ts';
import { checkboxId } from './apis-view.ts';
import { buildConsentPage } from './consent-view.ts';
import {
  type ConsentPage,
  digestDisplayedTexts,
  listRequestedApis,
  selectGrantedScopes,
} from './requested-scopes.ts';

interface DecisionContext {
  page: ConsentPage;
  session: Session;
}

export function consentPage(app: FastifyInstance, services: Services): void {
  const { config, database } = services;

  app.formPage({
    path: '/consent',
    async loadSubject(request, reply): Promise<{ page?: ConsentPage; session?: Session | undefined }> {
      const text = readQueryOrForm(request).get('pending');
      if (text === undefined && !isSafeMethod(request)) throw parameterMissing('pending');
      if (text === undefined) return {};
      const page = await loadPendingRequest(request, reply, services, text);
      const { next } = nextStepOf(services, page);
      const session = next === 'consent' || next === 'issue' ? page.context.session : undefined;
      const owners = await findOwnerNames(database, session === undefined ? [] : page.context.apis);
      return { page: { ...page, owners }, session };
    },
    // If an earlier step is missing, the authorization endpoint redirects to that step.
    respondInstead: ({ page, session }) =>
      page === undefined ? '/' : session === undefined ? authorizeUrl(page) : undefined,
    initialFields: (): { ticked: readonly string[] | undefined } => ({ ticked: undefined }),
    parse: (form) => ({ ticked: form.getAll('scope') }),
    async act({ request, reply, subject: about, fields: { ticked = [] } }) {
      const { page, session } = about as DecisionContext;
      const { request: authorization, consentUserId, consentDigest } = page.pending;
      // The user switched accounts after loading the consent page.
      if (consentUserId !== session.userId) return conflictRejection(409, 'accountChanged');
      const decision = readForm(request).get('decision');
      if (decision === 'deny')
        return () =>
          sendAccessDenied(
            request,
            reply,
            services,
            authorization,
            'The user denied the authorization request.',
          );
      if (decision !== 'allow')
        throw invalidRequest('decision must be allow or deny.', { kind: 'page_form_invalid' });
      if (consentDigest !== digestDisplayedTexts(page)) return conflictRejection(409, 'requestChanged');
      const granted = selectGrantedScopes(authorization, page.context.apis, ticked);
      if (granted === undefined) return nothingSelectedRejection(page);
      return grantConsent(request, reply, { page, session }, granted);
    },
    pageUrl: ({ page }) => (page === undefined ? '/consent' : pendingUrl('/consent', page.sealed)),
    render: ({ reply, subject: about, fields: { ticked } }) => {
      const { page, session } = about as DecisionContext;
      return buildConsentPage(reply, services, page, session, ticked);
    },
  });

  // The form can't add scopes to the sealed request. A repeated submission returns the same code. If that
  // code is no longer redeemable, the authorization request restarts.
  async function grantConsent(
    httpRequest: FastifyRequest,
    reply: FastifyReply,
    { page, session }: DecisionContext,
    granted: Pick<AuthorizationRequest, 'scopes' | 'apis'>,
  ): Promise<string | (() => FastifyReply)> {
    const request = { ...page.pending.request, ...granted };
    const { clientId } = request;
    const { userId, sid } = session;
    const { ip, userAgent } = requestContext(httpRequest);
    const token = singleUseFormToken(httpRequest, services, clientId);
    const consent = { userId, sid, clientId, granted, ip, userAgent, token };
    const consented = await submitConsent(database, consent, services.now(), (transaction, previous) =>
      notifyUser(transaction, httpRequest, page, session, granted, previous),
    );
    // The client, account or session was deleted, or the earlier code is no longer redeemable.
    if (consented === undefined || (consented.isRepeat && !(await isRedeemable(consent, session, consented))))
      return authorizeUrl(page);
    const { grantId } = consented;
    const epoch = session.userEpoch + consented.epoch;
    const authorization = { ...request, client: page.context.client, session, epoch, grantId };
    const code = issueCode(services, authorization, consented.at);
    if (!consented.isRepeat) {
      if (!page.pending.isTestSignIn) recordAuthorization(request, services);
      services.mailer.wake();
    }
    return () => sendAuthorizationResponse(reply, request, { code });
  }

  /**
   * Emails the user about a first consent to an agent and about new sensitive scopes. Skips the connection
   * tester because its consent is revoked immediately.
   */
  async function notifyUser(
    transaction: Queryable,
    request: FastifyRequest,
    { context: { client, apis }, pending }: LoadedPendingRequest,
    { userId, startedAt: since }: Session,
    granted: Consent['granted'],
    previous: readonly string[] | null,
  ): Promise<void> {
    if (client.clientId === buildTestClientId(config.baseUrl)) return;
    const sensitive = apis.flatMap(({ apiId, scopes }) =>
      scopes.filter((scope) => scope.sensitive).map(({ name }) => toConsentScope(apiId, name)),
    );
    const isNewlySensitive = (element: string) => sensitive.includes(element) && !previous?.includes(element);
    const kind = listConsentElements(granted).some(isNewlySensitive)
      ? 'sensitive_access_given'
      : client.agent === true && previous === null
        ? 'agent_access_given'
        : undefined;
    if (kind === undefined) return;
    const subject = getDisplayName(client, [pending.request.redirectUri]);
    const notification = { kind, account: userId, since, subject, ...requestContext(request) } as const;
    await notifyInTransaction(services, transaction, notification, services.now());
  }

  /** Whether the earlier code hasn't expired and the consent is unchanged. */
  async function isRedeemable(
    { clientId, granted: selected }: Pick<Consent, 'clientId' | 'granted'>,
    session: Session,
    { at, epoch, granted }: ConsentResult & { at: Date },
  ): Promise<boolean> {
    const now = services.now();
    // A submission with different checkboxes ticked is a new decision.
    if (String(granted) !== String(listConsentElements(selected))) return false;
    if (at.getTime() + config.authorizationCodeTtl * 1000 <= now.getTime()) return false;
    // The earlier submission may have changed the consent after this request read it.
    const context = await findAuthorizationContext(database, clientId, session, now);
    return context?.epoch === session.userEpoch + epoch;
  }
}

const authorizeUrl = ({ sealed }: LoadedPendingRequest): string => pendingUrl('/oauth/authorize', sealed);

/** The error links to the first checkbox. The checkboxes of sensitive scopes come first. */
function nothingSelectedRejection(page: ConsentPage): Rejection {
  const scopes = listRequestedApis(page).flatMap((api) =>
    api.scopes.filter(({ optional }) => optional).map((scope) => ({ ...scope, apiId: api.apiId })),
  );
  const first = scopes.find(({ sensitive }) => sensitive) ?? scopes[0];
  const element =
    first === undefined
      ? removeOfflineAccess(page.pending.request.scopes)[0]
      : toConsentScope(first.apiId, first.name);
  const text = ({ consent }: Messages) => consent.pickMissing;
  if (element === undefined) return { errors: [{ text }] };
  const link = { href: `#${checkboxId(element)}`, text: ({ consent }: Messages) => consent.pickFirst };
  return { errors: [{ text, link }] };
}

const conflictRejection = (status: number, text: 'accountChanged' | 'requestChanged'): Rejection => ({
  status,
  errors: [{ text: ({ consent }) => consent[text] }],
});
