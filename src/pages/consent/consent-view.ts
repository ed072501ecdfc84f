// The consent page: who asks, for which account, and the values that would be shared.
import type { FastifyReply } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import type { Locale, Messages } from '../../i18n/index.ts';
import { agentHost } from '../../oauth/agent-document.ts';
import type { Person } from '../../oauth/claims.ts';
import { callbackHost, isLocalCallback } from '../../oauth/redirect-uri.ts';
import { dataScopes, type Scope } from '../../oauth/scopes.ts';
import { findPresentation } from '../../store/applications.ts';
import type { Session } from '../../store/sessions.ts';
import { decisionForm, partiesOf, partiesView } from '../../web/html/decision.ts';
import { attention, type FormState, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { logoOf } from '../../web/html/pictures.ts';
import { sharedDataView, sharedValue } from '../../web/html/shared-data.ts';
import { tag } from '../../web/html/tag.ts';
import { seal } from '../../web/pending.ts';
import { switchAccountUrl } from '../../web/return-to.ts';
import { type AskedApi, askedApis, askedApisView, tickBox } from './apis-view.ts';
import { type ConsentPage, lookOf } from './asked.ts';

/** The page for a request and the person who decides. @param ticked the boxes of a form that was refused */
export async function consentPageOf(
  reply: FastifyReply,
  parts: Parts,
  page: ConsentPage,
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
  const sealed = seal(reply, parts, { ...pending, shownAs: lookOf(page), shownTo: session.userId });
  const asking = { application, agent: agent ? agentOf(clientId, name, redirectUri) : undefined };
  const scopes = dataScopes(pending.request.scopes);
  const returnTo = { page: { ...page, sealed }, next: undefined };
  return {
    title: (messages: Messages) => consentTitle(messages, { ...asking, apis: pending.request.apis }),
    returnTo,
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
        switchAccountHref: switchAccountUrl(reply.request, returnTo),
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

type ConsentView = FormState & {
  /** The sealed authorization request; the form sends the decision with it, and what is ticked where there are boxes. */
  pending: string;
  application: {
    name: string;
    callbackHost: string;
    verified?: boolean | undefined;
    logo?: string | null | undefined;
    homePage?: string | null | undefined;
    privacyPolicy?: string | null | undefined;
    termsOfService?: string | null | undefined;
  };
  /** In place of the application where nobody registered it. */
  agent: AskingAgent | undefined;
  account: Person;
  scopes: readonly Scope[];
  apis: readonly AskedApi[];
  /** Whether the request named no scope, so that each has a checkbox. */
  picks: boolean;
  /** The ticked checkboxes, spelled as consents spell them. */
  ticked: ReadonlySet<string>;
  switchAccountHref: string;
};

/** What the page is headed with. An agent is named by its host: its name could be anybody's. */
const consentTitle = (
  { consent: text }: Messages,
  { application, agent, apis }: Pick<ConsentView, 'application' | 'agent'> & { apis: readonly unknown[] },
): string => {
  const name = agent?.host ?? application.name;
  return apis.length > 0 || agent !== undefined ? text.titleAccess(name) : text.title(name);
};

function consentView(view: ConsentView): Html {
  const { messages, application, agent, scopes, apis, ticked } = view;
  const text = messages.consent;
  const { callbackHost } = application;
  return html`${formStatus(view)}
<h1>${consentTitle(messages, view)}</h1>
${agent && localAnswerView(messages, agent)}
${
  agent === undefined
    ? partiesView({ ...view, application: { ...application, hosts: [callbackHost] }, about: links(view) })
    : partiesOf(agentPartyView(messages, agent), view)
}
${askedApisView(messages, apis, ticked)}
${scopes.length > 0 && sharedView(view)}
<p class="quiet">${scopes.length === 0 && text.identifierAlone} ${agent === undefined && text.next(callbackHost)} ${text.revocable}</p>
${decisionForm({
  messages,
  action: '/consent',
  csrf: view.csrf,
  pending: view.pending,
})}`;
}

/** What of the profile is shared, with a checkbox each if the request named no scope. */
function sharedView({ messages, scopes, account, picks, ticked }: ConsentView): Html {
  const text = messages.consent;
  const lines = !picks
    ? sharedDataView(messages, scopes, account)
    : html`<section class="asked-api"><ul class="asked-scopes">
${scopes.map(
  (
    scope,
  ) => html`<li>${tickBox(scope, html`${text[scope]} <span class="party-more">${sharedValue(scope, account, text)}</span>`, ticked)}</li>
`,
)}</ul></section>`;
  return html`<h2>${picks ? text.pick : text.shared}</h2>
${lines}`;
}

/**
 * What the application says about itself elsewhere. A host that is not the one above is shown, since the words are the
 * same everywhere.
 */
function links({ messages, application }: ConsentView): Html | undefined {
  const text = messages.consent;
  const pages = (
    [
      [text.homePage, application.homePage],
      [text.privacyPolicy, application.privacyPolicy],
      [text.termsOfService, application.termsOfService],
    ] as const
  ).filter(([, href]) => href);
  if (pages.length === 0) return undefined;
  const hostOf = (href: string) => {
    const { host } = new URL(href);
    return host !== application.callbackHost && html` <span class="quiet host">${host}</span>`;
  };
  return html`<ul class="party-links" aria-label="${text.about}">
${pages.map(
  ([label, href]) =>
    href &&
    html`<li><a href="${href}" target="_blank" rel="noopener noreferrer">${label}</a>${hostOf(href)}</li>
`,
)}</ul>
`;
}

type AskingAgent = {
  /** What it calls itself. */
  name: string;
  /** Of its document; of the callback where it has none. */
  host: string;
  hasDocument: boolean;
  callbackHost: string;
  redirectUri: string;
};

/** Who asks, as one of the parties. Its picture is ours: nothing is loaded from its site. */
const agentPartyView = (messages: Messages, agent: AskingAgent): Html => {
  const text = messages.consent;
  // Of an answer that stays on the device the page warns above (localAnswerView).
  const stays = isLocalCallback(agent.redirectUri);
  return html`<div>
<dt class="unseen">${text.agentAddress}</dt>
<dd class="party">${logoOf({ name: agent.host }, 48)}<div class="party-text">
<p class="party-name party-name--agent"><strong class="host">${agent.host}</strong> ${tag(agent.hasDocument ? text.agentTag : text.agentWithoutDocumentTag, 'waiting')}</p>
<p class="party-more">${text.agentName} <bdi>${agent.name}</bdi></p>
${!stays && html`<p class="party-more">${agent.hasDocument ? text.agentUnregistered : text.agentWithoutDocument}</p>`}
${!stays && agent.callbackHost !== agent.host && html`<p class="party-more">${text.answerGoes} <span class="host">${agent.callbackHost}</span></p>`}
</div></dd>
</div>`;
};

/** What is to be known where the answer stays on the person's own device: any program there may be the one that asks. */
function localAnswerView(
  { consent: text }: Messages,
  { redirectUri, callbackHost }: AskingAgent,
): Html | undefined {
  if (!isLocalCallback(redirectUri)) return undefined;
  const words = new URL(redirectUri).protocol === 'http:' ? text.answerStays : text.answerToApp;
  return attention(words(callbackHost));
}
