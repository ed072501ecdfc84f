// The consent page as it is sent: what it shows, which boxes are ticked, and what is sealed of that for the answer.
import { randomUUID } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import { agentHost } from '../../oauth/agent-document.ts';
import { callbackHost } from '../../oauth/redirect-uri.ts';
import { dataScopes, type Scope } from '../../oauth/scopes.ts';
import { findPresentation } from '../../store/applications.ts';
import { newestToken } from '../../store/one-time-tokens.ts';
import type { Session } from '../../store/sessions.ts';
import { ensureBrowserId, otherSessionIdsOf } from '../../web/browser.ts';
import { csrfToken } from '../../web/csrf.ts';
import { DECISION_SCRIPT } from '../../web/html/decision.ts';
import { type PendingPage, pendingAddress, seal } from '../../web/pending.ts';
import type { AskingAgent } from './agent-view.ts';
import { type AskedApi, askedApis, lookOf } from './asked.ts';
import { consentTitle, consentView } from './consent-view.ts';

/** Why an answer is none: the page is to be read again, or nothing was ticked. */
type AskedAgain = 'accountChanged' | 'askingChanged' | 'pickMissing';

/** What was ticked on the page before, and why it is shown again where that is more than another language. */
interface Again {
  because: AskedAgain | undefined;
  ticked?: readonly string[];
}

/** Sends the page. */
export async function showConsent(
  reply: FastifyReply,
  parts: Parts,
  page: PendingPage,
  session: Session,
  again?: Again,
): Promise<FastifyReply> {
  const { pending, facts } = page;
  const { clientId, redirectUri, picks } = pending.request;
  const { name, agent } = facts.client;
  const application = {
    ...(!agent && (await findPresentation(parts.database, clientId))),
    name,
    callbackHost: callbackHost(redirectUri),
  };
  const verifying =
    !session.emailVerified &&
    (await newestToken(parts.database, session.userId, 'verify_email', parts.now())) !== undefined;
  const sealed = seal(reply, parts, {
    ...pending,
    shownAs: lookOf(page),
    shownTo: session.userId,
    grantId: randomUUID(),
  });
  const asking = { application, agent: agent ? agentOf(clientId, name, redirectUri) : undefined };
  const scopes = dataScopes(pending.request.scopes);
  const because = again?.because;
  return reply.page({
    status: because === undefined ? 200 : because === 'pickMissing' ? 400 : 409,
    title: (messages) => consentTitle(messages, { ...asking, apis: pending.request.apis }),
    hasErrors: because === 'pickMissing',
    returnTo: { page: { ...page, sealed }, next: undefined },
    accountLocale: session.locale,
    scripts: [DECISION_SCRIPT],
    main: (messages, locale) => {
      const apis = askedApis(page, locale);
      return consentView({
        ...asking,
        messages,
        csrf: csrfToken(parts.sealer, ensureBrowserId(reply)),
        pending: sealed,
        account: session,
        scopes,
        apis,
        picks: picks === true,
        ticked: tickedOf(scopes, apis, again),
        verifying,
        switchAccountHref: pendingAddress(
          otherSessionIdsOf(reply.request).length > 0 ? '/accounts' : '/signin',
          sealed,
        ),
        notice: because === undefined || because === 'pickMissing' ? undefined : messages.consent[because],
        fault: because === 'pickMissing' ? messages.consent.pickMissing : undefined,
      });
    },
  });
}

/**
 * The ticked checkboxes. A new page has no sensitive scope ticked, and all others. The same page in another language keeps its
 * ticks; a page that has to be read again keeps those of scopes that are not sensitive.
 */
function tickedOf(
  scopes: readonly Scope[],
  apis: readonly AskedApi[],
  again: Again | undefined,
): ReadonlySet<string> {
  const { because, ticked } = again ?? {};
  const isSame = again !== undefined && because === undefined;
  const offered = apis.flatMap((api) => api.scopes.filter(({ sensitive }) => isSame || !sensitive));
  const all = [...scopes, ...offered.map(({ element }) => element)];
  return new Set(ticked === undefined ? all : all.filter((element) => ticked.includes(element)));
}

function agentOf(clientId: string, name: string, redirectUri: string): AskingAgent {
  const host = agentHost(clientId);
  const answersTo = callbackHost(redirectUri);
  return {
    name,
    redirectUri,
    host: host ?? answersTo,
    hasDocument: host !== undefined,
    callbackHost: answersTo,
  };
}
