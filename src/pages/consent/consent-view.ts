// The consent page: the client, the account, and the data and scopes to share.
import type { FastifyReply } from 'fastify';
import type { Services } from '../../http/services.ts';
import type { Locale, Messages } from '../../i18n/index.ts';
import { sanitizeName } from '../../mail/display-names.ts';
import type { ClaimsSubject } from '../../oauth/claims.ts';
import { getMetadataHost } from '../../oauth/client-metadata.ts';
import { getRedirectUriHost, isLocalRedirectUri } from '../../oauth/redirect-uri.ts';
import { removeOfflineAccess, type Scope } from '../../oauth/scopes.ts';
import { findClientBranding } from '../../store/owned-clients.ts';
import type { Session } from '../../store/sessions.ts';
import { decisionForm, partiesList, partiesView } from '../../web/html/consent-decision.ts';
import { type FormState, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { attentionNotice } from '../../web/html/notices.ts';
import { logo } from '../../web/html/pictures.ts';
import { sharedDataView, sharedValue } from '../../web/html/shared-data.ts';
import { tag } from '../../web/html/tag.ts';
import { sealForBrowser } from '../../web/pending-requests.ts';
import { switchAccountUrl } from '../../web/return-to.ts';
import { type DisplayedApi, localizeRequestedApis, requestedApisView, scopeCheckbox } from './apis-view.ts';
import { type ConsentPage, digestDisplayedTexts, listRequestedApis } from './requested-scopes.ts';

/** @param ticked the ticked scopes of a rejected form, in the format of the consents table */
export async function buildConsentPage(
  reply: FastifyReply,
  services: Services,
  page: ConsentPage,
  session: Session,
  ticked: readonly string[] | undefined,
) {
  const { pending, context } = page;
  const { clientId, redirectUri, userSelectsScopes } = pending.request;
  const { name, agent } = context.client;
  const application = {
    ...(!agent && (await findClientBranding(services.database, clientId))),
    clientId,
    name,
    callbackHost: getRedirectUriHost(redirectUri),
  };
  const sealed = sealForBrowser(reply, services, {
    ...pending,
    consentDigest: digestDisplayedTexts(page),
    consentUserId: session.userId,
  });
  const requester = {
    application,
    agent: agent ? toRequestingAgent(clientId, name, redirectUri) : undefined,
  };
  const scopes = removeOfflineAccess(pending.request.scopes);
  const returnTo = { page: { ...page, sealed }, next: undefined };
  return {
    title: (messages: Messages) => consentTitle(messages, { ...requester, apis: listRequestedApis(page) }),
    returnTo,
    accountLocale: session.locale,
    main: (form: FormState, locale: Locale) => {
      const apis = localizeRequestedApis(page, locale);
      return consentView({
        ...requester,
        ...form,
        pending: sealed,
        account: session,
        scopes,
        apis,
        userSelectsScopes: userSelectsScopes === true,
        ticked: chooseTickedScopes(scopes, apis, ticked),
        switchAccountHref: switchAccountUrl(reply.request, returnTo),
      });
    },
  };
}

/** Ticks all non-sensitive scopes by default. A rejected form keeps the user's choice. */
function chooseTickedScopes(
  scopes: readonly Scope[],
  apis: readonly DisplayedApi[],
  ticked: readonly string[] | undefined,
): ReadonlySet<string> {
  const offered = apis.flatMap((api) => api.scopes.filter(({ sensitive }) => !sensitive));
  const preselected = [...scopes, ...offered.map(({ consentScope }) => consentScope)];
  return new Set(
    ticked === undefined ? preselected : preselected.filter((element) => ticked.includes(element)),
  );
}

function toRequestingAgent(clientId: string, name: string, redirectUri: string): RequestingAgent {
  const metadataHost = getMetadataHost(clientId);
  const callbackHost = getRedirectUriHost(redirectUri);
  const isLoopback = isLocalRedirectUri(redirectUri) && redirectUri.startsWith('http:');
  return {
    name,
    redirectUri,
    host: metadataHost ?? (isLoopback && sanitizeName(name) !== '' ? undefined : callbackHost),
    hasDocument: metadataHost !== undefined,
    callbackHost,
  };
}

type ConsentView = FormState & {
  /** The sealed authorization request. */
  pending: string;
  application: {
    clientId: string;
    name: string;
    callbackHost: string;
    verified?: boolean | undefined;
    logo?: string | null | undefined;
    homePage?: string | null | undefined;
    privacyPolicy?: string | null | undefined;
    termsOfService?: string | null | undefined;
  };
  /** Set if the client is an agent. Shown instead of `application`. */
  agent: RequestingAgent | undefined;
  account: ClaimsSubject;
  scopes: readonly Scope[];
  apis: readonly DisplayedApi[];
  /** True if the request names no scopes. In this case, each scope has a checkbox. */
  userSelectsScopes: boolean;
  /** As stored in `consents.scopes`. */
  ticked: ReadonlySet<string>;
  switchAccountHref: string;
};

/**
 * Agents can register any name, so their host is shown. A local agent's name is shown as unverified.
 * `sanitizeName` prevents the name from imitating a host or ending the quotation.
 */
const consentTitle = (
  { consent: text }: Messages,
  {
    application,
    agent,
    apis,
  }: Pick<ConsentView, 'application' | 'agent'> & { apis: readonly { name: string }[] },
): string => {
  const name =
    agent === undefined ? application.name : (agent.host ?? text.unverifiedAgent(sanitizeName(agent.name)));
  const [api, ...otherApis] = apis;
  if (api !== undefined && otherApis.length === 0) return text.titleApi(name, api.name);
  if (apis.length > 0) return text.titleApis(name, apis.length);
  return agent === undefined ? text.title(name) : text.titleAccess(name);
};

function consentView(view: ConsentView): Html {
  const { messages, application, agent, scopes, apis, ticked } = view;
  const text = messages.consent;
  const { callbackHost } = application;
  return html`${formStatus(view)}
<h1>${consentTitle(messages, view)}</h1>
${agent && localRedirectWarning(messages, agent)}
${
  agent === undefined
    ? partiesView({
        ...view,
        application: { ...application, hosts: [callbackHost] },
        about: clientLinks(view),
      })
    : partiesList(agentPartyView(messages, agent), view)
}
${requestedApisView(messages, apis, ticked)}
${scopes.length > 0 && sharedProfileView(view)}
<p class="quiet">${scopes.length === 0 && text.identifierAlone} ${agent === undefined && text.next(callbackHost)} ${text.revocable}</p>
${decisionForm({
  messages,
  action: '/consent',
  csrf: view.csrf,
  pending: view.pending,
})}`;
}

function sharedProfileView({ messages, scopes, account, userSelectsScopes, ticked }: ConsentView): Html {
  const text = messages.consent;
  const lines = !userSelectsScopes
    ? sharedDataView(messages, scopes, account)
    : html`<section class="requested-api"><ul class="requested-scopes">
${scopes.map(
  (
    scope,
  ) => html`<li>${scopeCheckbox(scope, html`${text[scope]} <span class="party-more">${sharedValue(scope, account, text)}</span>`, ticked)}</li>
`,
)}</ul></section>`;
  return html`<h2>${userSelectsScopes ? text.pick : text.shared}</h2>
${lines}`;
}

/** Shows the host of links that don't lead to the redirect URI's host. */
function clientLinks({ messages, application }: ConsentView): Html | undefined {
  const text = messages.consent;
  const pages = (
    [
      [text.homePage, application.homePage],
      [text.privacyPolicy, application.privacyPolicy],
      [text.termsOfService, application.termsOfService],
    ] as const
  ).filter(([, href]) => href);
  if (pages.length === 0) return undefined;
  const differingHost = (href: string) => {
    const { host } = new URL(href);
    return host !== application.callbackHost && html` <span class="quiet host">${host}</span>`;
  };
  return html`<ul class="party-links" aria-label="${text.about}">
${pages.map(
  ([label, href]) =>
    href &&
    html`<li><a href="${href}" target="_blank" rel="noopener noreferrer">${label}</a>${differingHost(href)}</li>
`,
)}</ul>
`;
}

type RequestingAgent = {
  name: string;
  /**
   * The host of the metadata document, or of the redirect URI if there is no document. Undefined if the
   * redirect URI is local and the agent has a presentable name.
   */
  host: string | undefined;
  hasDocument: boolean;
  callbackHost: string;
  redirectUri: string;
};

/** Shows a generated logo because the agent could track users by serving its own. */
const agentPartyView = (messages: Messages, agent: RequestingAgent): Html => {
  const text = messages.consent;
  const isLocal = isLocalRedirectUri(agent.redirectUri);
  const { host = agent.name, callbackHost, hasDocument } = agent;
  const status = tag(hasDocument ? text.agentTag : text.agentWithoutDocumentTag, 'waiting');
  const name = html`${text.agentName} <bdi>${agent.name}</bdi>`;
  return html`<div>
<dt class="visually-hidden">${messages.agents.agent}</dt>
<dd class="party">${logo({ name: host, clientId: host }, 48)}<div class="party-text">
${
  agent.host === undefined
    ? html`<p class="party-name">${name} ${status}</p>`
    : html`<p class="party-name party-name--agent"><strong class="host">${agent.host}</strong> ${status}</p>
<p class="party-more">${name}</p>`
}
${!isLocal && html`<p class="party-more">${hasDocument ? text.agentUnregistered : text.agentWithoutDocument}</p>`}
${!isLocal && callbackHost !== host && html`<p class="party-more">${text.answerGoes} <span class="host">${callbackHost}</span></p>`}
</div></dd>
</div>`;
};

/** Any program on the user's device can listen on a local redirect URI and receive the response. */
function localRedirectWarning(
  { consent: text }: Messages,
  { redirectUri, callbackHost }: RequestingAgent,
): Html | undefined {
  if (!isLocalRedirectUri(redirectUri)) return undefined;
  const warning = new URL(redirectUri).protocol === 'http:' ? text.answerStays : text.answerToApp;
  return attentionNotice(warning(callbackHost));
}
