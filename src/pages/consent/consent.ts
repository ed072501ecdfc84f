// GET and POST /consent: the person agrees or refuses (D7, D8, D9).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Agreed, agree, type Consent, elementsOf } from '../../accounts/agreement.ts';
import { notifyWithin } from '../../accounts/notifications.ts';
import { issueCode } from '../../grants/authorization-code.ts';
import { noteAuthorization } from '../../http/diagnostics.ts';
import { formOf, parametersOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { isSafe } from '../../http/request.ts';
import { calledOnPages } from '../../oauth/agent-document.ts';
import { consentElement } from '../../oauth/api.ts';
import type { AuthorizationRequest } from '../../oauth/authorization-request.ts';
import { testerAddress } from '../../oauth/connection-tester.ts';
import { invalidRequest, parameterMissing } from '../../oauth/errors.ts';
import { findOwnerNames } from '../../store/apis.ts';
import { findAuthorizationFacts } from '../../store/authorizations.ts';
import type { Queryable } from '../../store/database.ts';
import type { Session } from '../../store/sessions.ts';
import { fromOf, presentedSession } from '../../web/browser.ts';
import { answerCallback, answerRefusal } from '../../web/callback.ts';
import { oneUse } from '../../web/csrf.ts';
import type { Refusal } from '../../web/faults.ts';
import { type PendingPage, pendingAddress, pendingPage, stepOf } from '../../web/pending.ts';
import { type ConsentPage, lookOf, selectedScopes } from './asked.ts';
import { consentPageOf } from './consent-view.ts';

/** The request, and the person who decides on it. */
interface Asking {
  page: ConsentPage;
  session: Session;
}

export function consentPage(app: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  app.formPage({
    url: '/consent',
    async about(request, reply): Promise<{ page?: ConsentPage; session?: Session | undefined }> {
      const text = parametersOf(request).get('pending');
      if (text === undefined && !isSafe(request)) throw parameterMissing('pending');
      if (text === undefined) return {};
      const page = await pendingPage(request, reply, parts, text);
      const { next } = stepOf(parts, page);
      const session = next === 'consent' || next === 'issue' ? page.facts.session : undefined;
      const owners = await findOwnerNames(database, session === undefined ? [] : page.facts.apis);
      return { page: { ...page, owners }, session };
    },
    // The authorization endpoint decides what comes before consent.
    elsewhere: ({ page, session }) =>
      page === undefined ? '/' : session === undefined ? authorizeUrl(page) : undefined,
    begin: (): { ticked: readonly string[] | undefined } => ({ ticked: undefined }),
    read: (form) => ({ ticked: form.all('scope') }),
    async act({ request, reply, about, fields: { ticked = [] } }) {
      const { page, session } = about as Asking;
      const { request: authorization, shownTo, shownAs } = page.pending;
      // The page was made for another account (D9).
      if (shownTo !== session.userId) return refused(409, 'accountChanged');
      const decision = formOf(request).get('decision');
      if (decision === 'deny')
        return () =>
          answerRefusal(request, reply, parts, authorization, 'The person refused the authorization.');
      if (decision !== 'allow')
        throw invalidRequest('decision must be allow or deny.', { kind: 'page_form' });
      if (shownAs !== lookOf(page)) return refused(409, 'askingChanged');
      const granted = selectedScopes(authorization, page.facts.apis, ticked);
      if (granted === undefined) return refused(400, 'pickMissing');
      return allow(request, reply, { page, session }, granted);
    },
    address: ({ page }) => (page === undefined ? '/consent' : pendingAddress('/consent', page.sealed)),
    page: ({ reply, about, fields: { ticked } }) => {
      const { page, session } = about as Asking;
      return consentPageOf(reply, parts, page, session, ticked);
    },
  });

  // What is granted is what the sealed request says, reduced by what was left unticked of the checkboxes that it led to. The
  // form adds nothing but that and the decision. Sent again, it gives the same code while that is good, and after that it
  // decides nothing: the authorization endpoint asks what is to be asked.
  async function allow(
    httpRequest: FastifyRequest,
    reply: FastifyReply,
    { page, session }: Asking,
    granted: Pick<AuthorizationRequest, 'scopes' | 'apis'>,
  ): Promise<string | (() => FastifyReply)> {
    const request = { ...page.pending.request, ...granted };
    const { clientId } = request;
    const { userId, sid } = session;
    const { address, userAgent } = fromOf(httpRequest);
    const token = oneUse(httpRequest, parts, clientId);
    const consent = { userId, sid, clientId, granted, address, userAgent, token };
    const agreed = await agree(database, consent, parts.now(), (transaction, before) =>
      alert(transaction, httpRequest, page, session, granted, before),
    );
    // The application, the account or the session is gone, or the code is.
    if (agreed === undefined || (agreed.again && !(await isGood(httpRequest, consent, session, agreed))))
      return authorizeUrl(page);
    const { grantId } = agreed;
    const epoch = session.userEpoch + agreed.epoch;
    const authorization = { ...request, client: page.facts.client, session, epoch, grantId };
    const code = issueCode(parts, authorization, agreed.at);
    if (!agreed.again) {
      noteAuthorization(request, parts);
      parts.mailer.wake();
    }
    return () => answerCallback(reply, request, { code });
  }

  /**
   * Mails the account's owner about the first consent to an agent, and about each new sensitive scope. The connection tester
   * is left out because it withdraws its consent at once.
   */
  async function alert(
    transaction: Queryable,
    request: FastifyRequest,
    { facts: { client, apis }, pending }: PendingPage,
    { userId, startedAt: since }: Session,
    granted: Consent['granted'],
    before: readonly string[] | null,
  ): Promise<void> {
    if (client.clientId === testerAddress(config.baseUrl)) return;
    const sensitive = apis.flatMap(({ apiId, scopes }) =>
      scopes.filter((scope) => scope.sensitive).map(({ name }) => consentElement(apiId, name)),
    );
    const isNew = (element: string) => sensitive.includes(element) && !before?.includes(element);
    const kind = elementsOf(granted).some(isNew)
      ? 'sensitive_access_given'
      : client.agent === true && before === null
        ? 'agent_access_given'
        : undefined;
    if (kind === undefined) return;
    const subject = calledOnPages(client, [pending.request.redirectUri]);
    const alerted = { kind, account: userId, since, subject, ...fromOf(request) } as const;
    await notifyWithin(parts, transaction, alerted, parts.now());
  }

  /** Whether the code of an earlier use can still be redeemed, as far as time and consent go. */
  async function isGood(
    httpRequest: FastifyRequest,
    { clientId, granted: selected }: Pick<Consent, 'clientId' | 'granted'>,
    { userEpoch }: Session,
    { at, epoch, granted }: Agreed & { at: Date },
  ): Promise<boolean> {
    const now = parts.now();
    // Other boxes than those ticked first are another decision.
    if (String(granted) !== String(elementsOf(selected))) return false;
    if (at.getTime() + config.authorizationCodeTtl * 1000 <= now.getTime()) return false;
    // Read again: what this request saw first may be from before that use.
    const facts = await findAuthorizationFacts(database, clientId, presentedSession(httpRequest), now);
    return facts?.epoch === userEpoch + epoch;
  }
}

const authorizeUrl = ({ sealed }: PendingPage): string => pendingAddress('/oauth/authorize', sealed);

/** The page has to be read again, or nothing was ticked. */
const refused = (status: number, text: 'accountChanged' | 'askingChanged' | 'pickMissing'): Refusal => ({
  status,
  faults: [{ text: ({ consent }) => consent[text] }],
});
