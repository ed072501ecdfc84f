// GET and POST /consent: the person agrees or refuses (D7, D8, D9).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { agree, type Consent, elementsOf } from '../../accounts/agreement.ts';
import { noticeSecurityChange } from '../../credentials/security-notices.ts';
import { issueCode } from '../../grants/authorization-code.ts';
import { noteAuthorization } from '../../http/diagnostics.ts';
import { formOf, queryOf, requireForm } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { calledOnPages } from '../../oauth/agent-document.ts';
import { consentElement } from '../../oauth/api.ts';
import type { AuthorizationRequest } from '../../oauth/authorization-request.ts';
import { testerAddress } from '../../oauth/connection-tester.ts';
import { invalidRequest, parameterMissing } from '../../oauth/errors.ts';
import { selectedScopes } from '../../oauth/selected-scopes.ts';
import { findAuthorizationFacts } from '../../store/authorizations.ts';
import type { Session } from '../../store/sessions.ts';
import type { FormAnswer } from '../../store/used-forms.ts';
import { browserIdsOf, fromOf, sessionHashOf } from '../../web/browser.ts';
import { answerCallback, answerRefusal } from '../../web/callback.ts';
import { isCsrfToken, requireOwnOrigin } from '../../web/csrf.ts';
import { type PendingPage, pendingAddress, pendingPage, stepOf } from '../../web/pending.ts';
import { lookOf } from './asked.ts';
import { showConsent } from './shown.ts';

/** Sent again, it gives the same code (`allow`). */
const DECISION = { preHandler: requireForm, config: { answersAgain: true } } as const;

export function consentPage(app: FastifyInstance, parts: Parts): void {
  const { config, database, sealer } = parts;

  app.get('/consent', async (request, reply) => {
    const text = queryOf(request).get('pending');
    if (text === undefined) return reply.redirect('/', 303);
    const page = await pendingPage(request, reply, parts, text);
    const session = signedIn(page);
    // Whatever else has to come first is decided in one place.
    if (session === undefined) return reply.redirect(pendingAddress('/oauth/authorize', page.sealed), 303);
    return showConsent(reply, parts, page, session);
  });

  app.post('/consent', DECISION, async (request, reply) => {
    requireOwnOrigin(request);
    const form = formOf(request);
    const text = form.get('pending');
    if (text === undefined) throw parameterMissing('pending');
    const page = await pendingPage(request, reply, parts, text);
    const session = signedIn(page);
    if (session === undefined) return reply.redirect(pendingAddress('/oauth/authorize', page.sealed), 303);
    // The page was made for another browser or another account: its decision is not this one's (D9). The token is the
    // browser's, not the session's: the same person may have signed in again meanwhile, for a request in another tab.
    const own = isCsrfToken(sealer, form.get('csrf'), browserIdsOf(request));
    const { shownTo, shownAs, grantId } = page.pending;
    if (!own || shownTo !== session.userId || grantId === undefined)
      return showConsent(reply, parts, page, session, { because: 'accountChanged' });
    const ticked = form.all('scope');
    // A refusal holds whatever the page would say by now.
    const decision = form.get('decision');
    if (decision === 'deny')
      return answerRefusal(
        request,
        reply,
        parts,
        page.pending.request,
        'The person refused the authorization.',
      );
    if (decision !== 'allow') throw invalidRequest('decision must be allow or deny.', { kind: 'page_form' });
    if (shownAs !== lookOf(page))
      return showConsent(reply, parts, page, session, { because: 'askingChanged', ticked });
    const granted = selectedScopes(page.pending.request, page.facts.apis, ticked);
    if (granted === undefined)
      return showConsent(reply, parts, page, session, { because: 'pickMissing', ticked });
    const { scopes, apis } = granted;
    return allow(request, reply, page, { session, grantId, scopes, apis });
  });

  /** The person who may decide now; undefined when the request has to go back to the authorize address first. */
  function signedIn(page: PendingPage): Session | undefined {
    const step = stepOf(parts, page);
    return step.next === 'consent' || step.next === 'issue' ? page.facts.session : undefined;
  }

  // What is granted is what the sealed request says, reduced by what was left unticked of the checkboxes that it led to. The
  // form adds nothing but that and the decision. Sent again, it gives the same code while that is good, and after that it
  // decides nothing: the authorization endpoint asks what is to be asked.
  async function allow(
    httpRequest: FastifyRequest,
    reply: FastifyReply,
    page: PendingPage,
    decision: Pick<AuthorizationRequest, 'scopes' | 'apis'> & { session: Session; grantId: string },
  ): Promise<FastifyReply> {
    const { startedAt } = page.pending;
    const { session, grantId, ...granted } = decision;
    const request = { ...page.pending.request, ...granted };
    const { clientId } = request;
    const { userId, sid } = session;
    const { address, userAgent } = fromOf(httpRequest);
    const agreement = { grantId, startedAt, userId, sid, clientId, granted, address, userAgent };
    const answer = await agree(database, agreement, parts.now());
    // The application, the account or the session is gone, or the answer is: the authorize address says what comes next.
    if (answer === undefined || (answer.again && !(await isGood(httpRequest, agreement, session, answer))))
      return reply.redirect(pendingAddress('/oauth/authorize', page.sealed), 303);
    const epoch = session.userEpoch + answer.epoch;
    const code = issueCode(
      parts,
      { ...request, client: page.facts.client, session, epoch, grantId },
      answer.answeredAt,
    );
    if (!answer.again) {
      noteAuthorization(request, parts);
      await alert(httpRequest, page, session, granted, answer.before);
    }
    return answerCallback(reply, request, { code });
  }

  /**
   * Mails the account's owner about the first consent to an agent, and about each new sensitive scope. The connection tester
   * is left out because it withdraws its consent at once.
   */
  async function alert(
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
    const { address, ...from } = fromOf(request);
    const subject = calledOnPages(client, [pending.request.redirectUri]);
    const change = { userId, kind, since, address, detail: { ...from, subject } } as const;
    await noticeSecurityChange(parts, change, parts.now());
  }

  /** Whether the code of an earlier answer can still be redeemed, as far as time and consent go. */
  async function isGood(
    httpRequest: FastifyRequest,
    { clientId, granted: selected }: Pick<Consent, 'clientId' | 'granted'>,
    { userEpoch }: Session,
    { answeredAt, epoch, granted }: FormAnswer,
  ): Promise<boolean> {
    const now = parts.now();
    // Other boxes than those ticked first are another answer.
    if (granted !== JSON.stringify(elementsOf(selected))) return false;
    if (answeredAt.getTime() + config.authorizationCodeTtl * 1000 <= now.getTime()) return false;
    // Read again: what this request saw first may be from before the answer.
    const facts = await findAuthorizationFacts(database, clientId, sessionHashOf(httpRequest), now);
    return facts?.epoch === userEpoch + epoch;
  }
}
