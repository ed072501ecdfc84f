// What the consent page shows, which boxes are ticked, and what is sealed of that for the decision.
import type { FastifyReply } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import type { Locale, Messages } from '../../i18n/index.ts';
import { agentHost } from '../../oauth/agent-document.ts';
import { callbackHost } from '../../oauth/redirect-uri.ts';
import { dataScopes, type Scope } from '../../oauth/scopes.ts';
import { findPresentation } from '../../store/applications.ts';
import { newestToken } from '../../store/one-time-tokens.ts';
import type { Session } from '../../store/sessions.ts';
import { otherSessionIdsOf } from '../../web/browser.ts';
import type { FormState } from '../../web/html/form.ts';
import { type PendingPage, pendingAddress, seal } from '../../web/pending.ts';
import type { AskingAgent } from './agent-view.ts';
import { type AskedApi, askedApis, lookOf } from './asked.ts';
import { consentTitle, consentView } from './consent-view.ts';

/** The page for a request and the person who decides. @param ticked the boxes of a form that was refused */
export async function consentPageOf(
  reply: FastifyReply,
  parts: Parts,
  page: PendingPage,
  session: Session,
  ticked: readonly string[] | undefined,
) {
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
  const sealed = seal(reply, parts, { ...pending, shownAs: lookOf(page), shownTo: session.userId });
  const asking = { application, agent: agent ? agentOf(clientId, name, redirectUri) : undefined };
  const scopes = dataScopes(pending.request.scopes);
  return {
    title: (messages: Messages) => consentTitle(messages, { ...asking, apis: pending.request.apis }),
    returnTo: { page: { ...page, sealed }, next: undefined },
    accountLocale: session.locale,
    main: (form: FormState, locale: Locale) => {
      const apis = askedApis(page, locale);
      return consentView({
        ...asking,
        ...form,
        pending: sealed,
        account: session,
        scopes,
        apis,
        picks: picks === true,
        ticked: tickedOf(scopes, apis, ticked),
        verifying,
        switchAccountHref: pendingAddress(
          otherSessionIdsOf(reply.request).length > 0 ? '/accounts' : '/signin',
          sealed,
        ),
      });
    },
  };
}

/** The ticked checkboxes: all that are not sensitive, and of those only the ones that the refused form had ticked. */
function tickedOf(
  scopes: readonly Scope[],
  apis: readonly AskedApi[],
  ticked: readonly string[] | undefined,
): ReadonlySet<string> {
  const offered = apis.flatMap((api) => api.scopes.filter(({ sensitive }) => !sensitive));
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
