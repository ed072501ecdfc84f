// GET and POST /consent: the person agrees or refuses (D7, D8, D9).
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { agree } from '../../accounts/agreement.ts';
import { issueCode } from '../../grants/issue.ts';
import { noteAuthorization } from '../../http/diagnostics.ts';
import { formOf, queryOf, requireForm } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { agentLook } from '../../oauth/agent-document.ts';
import { consentElements } from '../../oauth/api.ts';
import { invalidRequest, parameterMissing } from '../../oauth/errors.ts';
import { callbackHost } from '../../oauth/redirect-uri.ts';
import { dataScopes } from '../../oauth/scopes.ts';
import { findPresentation } from '../../store/applications.ts';
import { findAuthorizationFacts } from '../../store/authorizations.ts';
import { newestToken } from '../../store/one-time-tokens.ts';
import type { Session } from '../../store/sessions.ts';
import type { FormAnswer } from '../../store/used-forms.ts';
import { browserIdsOf, ensureBrowserId, otherSessionIdsOf, sessionHashOf } from '../../web/browser.ts';
import { answerCallback, answerRefusal } from '../../web/callback.ts';
import { csrfToken, isCsrfToken, requireOwnOrigin } from '../../web/csrf.ts';
import { type PendingPage, pendingAddress, pendingPage, seal, stepOf } from '../../web/pending.ts';
import { consentView } from './consent-view.ts';

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
    return show(reply, page, session);
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
      return show(reply, page, session, { changed: 'accountChanged' });
    if (shownAs !== lookOf(page)) return show(reply, page, session, { changed: 'agentChanged' });

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
    return allow(request, reply, page, { session, grantId });
  });

  /** The person who may decide now; undefined when the request has to go back to the authorize address first. */
  function signedIn(page: PendingPage): Session | undefined {
    const step = stepOf(parts, page);
    return step.next === 'consent' || step.next === 'issue' ? page.facts.session : undefined;
  }

  // What is granted is what the sealed request says; the form adds nothing but the decision (D7). Sent again, it gives
  // the same code while that is good, and after that it decides nothing: the authorize address asks what is to be asked.
  async function allow(
    httpRequest: FastifyRequest,
    reply: FastifyReply,
    page: PendingPage,
    decision: { session: Session; grantId: string },
  ): Promise<FastifyReply> {
    const { request, startedAt } = page.pending;
    const { session, grantId } = decision;
    const { clientId } = request;
    const scopes = [...dataScopes(request.scopes), ...consentElements(request.apis)];
    const agreement = { grantId, startedAt, userId: session.userId, sid: session.sid, clientId, scopes };
    const answer = await agree(database, agreement, parts.now());
    // The application, the account or the session is gone, or the answer is: the authorize address says what comes next.
    if (answer === undefined || (answer.again && !(await isGood(httpRequest, clientId, session, answer))))
      return reply.redirect(pendingAddress('/oauth/authorize', page.sealed), 303);
    const epoch = session.userEpoch + answer.epoch;
    const code = issueCode(
      parts,
      { ...request, client: page.facts.client, session, epoch, grantId },
      answer.answeredAt,
    );
    if (!answer.again) noteAuthorization(request, parts);
    return answerCallback(reply, request, { code });
  }

  /** Whether the code of an earlier answer can still be redeemed, as far as time and consent go. */
  async function isGood(
    httpRequest: FastifyRequest,
    clientId: string,
    { userEpoch }: Session,
    { answeredAt, epoch }: FormAnswer,
  ): Promise<boolean> {
    const now = parts.now();
    if (answeredAt.getTime() + config.authorizationCodeTtl * 1000 <= now.getTime()) return false;
    // Read again: what this request saw first may be from before the answer.
    const facts = await findAuthorizationFacts(database, clientId, sessionHashOf(httpRequest), now);
    return facts?.epoch === userEpoch + epoch;
  }

  async function show(
    reply: FastifyReply,
    { pending, facts }: PendingPage,
    session: Session,
    { changed }: { changed?: 'accountChanged' | 'agentChanged' } = {},
  ): Promise<FastifyReply> {
    const { clientId, redirectUri, scopes, uiLocales } = pending.request;
    const presentation = await findPresentation(database, clientId);
    const application = {
      ...presentation,
      name: facts.client.name,
      callbackHost: callbackHost(redirectUri),
    };
    const verifying =
      !session.emailVerified &&
      (await newestToken(database, session.userId, 'verify_email', parts.now())) !== undefined;
    const sealed = seal(reply, parts, {
      ...pending,
      shownAs: lookOf({ facts }),
      shownTo: session.userId,
      grantId: randomUUID(),
    });
    return reply.page({
      status: changed === undefined ? 200 : 409,
      title: (messages) => messages.consent.title(application.name),
      pending: { sealed, uiLocales },
      accountLocale: session.locale,
      main: (messages) =>
        consentView({
          messages,
          csrf: csrfToken(sealer, ensureBrowserId(reply)),
          pending: sealed,
          application,
          account: session,
          scopes: dataScopes(scopes),
          verifying,
          switchAccountHref: pendingAddress(
            otherSessionIdsOf(reply.request).length > 0 ? '/accounts' : '/signin',
            sealed,
          ),
          notice: changed && messages.consent[changed],
        }),
    });
  }
}

/** What the page says of an agent, which can change while it is open. */
const lookOf = ({ facts: { client } }: Pick<PendingPage, 'facts'>): string | undefined =>
  client.agent ? agentLook(client) : undefined;
