// Owns the look of the consent page: who asks, for which account, and the very values that would be shared.

import type { Messages } from '../../i18n/index.ts';
import type { Person } from '../../oauth/claims.ts';
import type { Scope } from '../../oauth/scopes.ts';
import { decisionForm, partiesOf, partiesView } from '../../web/html/decision.ts';
import { type FormState, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { sharedDataView, sharedValue } from '../../web/html/shared-data.ts';
import { type AskingAgent, agentPartyView, localAnswerView } from './agent-view.ts';
import { askedApisView, tickBox } from './apis-view.ts';
import type { AskedApi } from './asked.ts';

export type ConsentView = FormState & {
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
  /** Whether a mail waits whose link verifies the account's address, and leads back here. */
  verifying: boolean;
  switchAccountHref: string;
};

/** What the page is headed with. An agent is named by its host: its name could be anybody's. */
export const consentTitle = (
  { consent: text }: Messages,
  { application, agent, apis }: Pick<ConsentView, 'application' | 'agent'> & { apis: readonly unknown[] },
): string => {
  const name = agent?.host ?? application.name;
  return apis.length > 0 || agent !== undefined ? text.titleAccess(name) : text.title(name);
};

export function consentView(view: ConsentView): Html {
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
${view.verifying && html`<p class="quiet">${text.verifying}</p>`}
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
