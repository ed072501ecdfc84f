// Shows the APIs and scopes of an authorization request, with sensitive scopes first.

import type { Locale, Messages } from '../../i18n/index.ts';
import { textIn, toConsentScope } from '../../oauth/api.ts';
import { DECISION_FORM_ID } from '../../web/html/consent-decision.ts';
import { type Html, html } from '../../web/html/html.ts';
import { type ConsentPage, listRequestedApis } from './requested-scopes.ts';

interface DisplayedScope {
  /** An API scope as stored in `consents.scopes`. */
  consentScope: string;
  description: string;
  sensitive: boolean;
  /** Whether the scope has a checkbox. */
  optional: boolean;
}

export interface DisplayedApi {
  name: string;
  host: string;
  owner: string;
  description: string;
  scopes: DisplayedScope[];
}

/** Uses the other language if a description is missing in the user's language. */
export const localizeRequestedApis = (page: ConsentPage, locale: Locale): DisplayedApi[] =>
  listRequestedApis(page).map((api) => ({
    name: api.name,
    host: new URL(api.identifier).host,
    owner: api.owner,
    description: textIn(api, locale),
    scopes: api.scopes.map((scope) => ({
      consentScope: toConsentScope(api.apiId, scope.name),
      description: textIn(scope, locale),
      sensitive: scope.sensitive,
      optional: scope.optional,
    })),
  }));

/** Scopes as stored in `consents.scopes` (`toConsentScope`). */
type TickedScopes = ReadonlySet<string>;

/** Sensitive scopes of several APIs come first so that the user sees them without scrolling. */
export function requestedApisView(
  { consent: text }: Messages,
  apis: readonly DisplayedApi[],
  ticked: TickedScopes,
): Html | undefined {
  if (apis.length === 0) return undefined;
  const sensitive = apis.flatMap((api) => api.scopes.filter(isSensitive).map((scope) => ({ ...scope, api })));
  const isSingle = apis.length === 1;
  return html`${
    !isSingle &&
    sensitive.length > 0 &&
    html`<section class="requested-api">
${sensitiveScopesView(text, sensitive, ticked)}
</section>
`
  }${apis.map((api) => apiView(text, api, ticked, isSingle))}`;
}

const isSensitive = ({ sensitive }: DisplayedScope): boolean => sensitive;

function apiView(
  text: Messages['consent'],
  api: DisplayedApi,
  ticked: TickedScopes,
  showsSensitiveScopes: boolean,
): Html {
  const sensitive = showsSensitiveScopes ? api.scopes.filter(isSensitive) : [];
  const others = api.scopes.filter((scope) => !isSensitive(scope));
  return html`<section class="requested-api">
<h2 class="requested-api-name"><bdi>${api.name}</bdi> <span class="quiet host">${api.host}</span></h2>
${sensitive.length > 0 && sensitiveScopesView(text, sensitive, ticked)}
${api.scopes.length === 0 && html`<p>${text.wholeApi}</p>`}
${others.length > 0 && scopesView(others, ticked)}
<p><bdi>${api.description}</bdi> <span class="party-more">· ${text.owner} <bdi>${api.owner}</bdi>.</span></p>
</section>
`;
}

const sensitiveScopesView = (
  text: Messages['consent'],
  scopes: Parameters<typeof scopesView>[0],
  ticked: TickedScopes,
): Html =>
  html`<div class="sensitive-scope">
<h2>${text.sensitive}</h2>
${scopesView(scopes, ticked)}
</div>`;

/** Scopes have an `api` only if the list has scopes from several APIs. */
const scopesView = (
  scopes: readonly (DisplayedScope & { api?: DisplayedApi })[],
  ticked: TickedScopes,
): Html =>
  html`<ul class="requested-scopes">
${scopes.map(({ consentScope, description, optional, api }) => {
  const label = html`<bdi>${description}</bdi>${api && html` <span class="party-more"><bdi>${api.name}</bdi> <span class="host">${api.host}</span></span>`}`;
  return html`<li>${optional ? scopeCheckbox(consentScope, label, ticked) : label}</li>
`;
})}</ul>`;

export const checkboxId = (consentScope: string): string => `scope-${consentScope.replace(' ', '-')}`;

export const scopeCheckbox = (consentScope: string, label: Html, ticked: TickedScopes): Html =>
  html`<label class="scope-checkbox"><input class="choice-input" type="checkbox" id="${checkboxId(consentScope)}" name="scope" value="${consentScope}" form="${DECISION_FORM_ID}"${ticked.has(consentScope) && html` checked`}><span>${label}</span></label>`;
