// Renders the APIs and scopes of an authorization request, sensitive scopes first.

import type { Locale, Messages } from '../../i18n/index.ts';
import { type ApiScope, toConsentScope } from '../../oauth/api.ts';
import { DECISION_FORM } from '../../web/html/consent-decision.ts';
import { type Html, html } from '../../web/html/html.ts';
import { type ConsentPage, listRequestedApis } from './requested-scopes.ts';

interface DisplayedScope {
  /** The scope in the format in which the consents table stores it. */
  element: string;
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

/** Returns the requested APIs. A description that is missing in the user's language is shown in the other language. */
export const localizeRequestedApis = (page: ConsentPage, locale: Locale): DisplayedApi[] =>
  listRequestedApis(page).map((api) => ({
    name: api.name,
    host: new URL(api.identifier).host,
    owner: api.owner,
    description: textIn(api, locale),
    scopes: api.scopes.map((scope) => ({
      element: toConsentScope(api.apiId, scope.name),
      description: textIn(scope, locale),
      sensitive: scope.sensitive,
      optional: scope.optional,
    })),
  }));

const textIn = (texts: Pick<ApiScope, 'fr' | 'en'>, locale: Locale): string =>
  texts[locale] || texts[locale === 'fr' ? 'en' : 'fr'];

/** The ticked scopes, in the format in which the consents table stores them. */
type Ticked = ReadonlySet<string>;

export function requestedApisView(
  { consent: text }: Messages,
  apis: readonly DisplayedApi[],
  ticked: Ticked,
): Html | undefined {
  if (apis.length === 0) return undefined;
  const sensitive = apis.flatMap((api) =>
    api.scopes.filter((scope) => scope.sensitive).map((scope) => ({ ...scope, of: api })),
  );
  return html`${
    sensitive.length > 0 &&
    html`<section class="requested-api">
<div class="sensitive-scope">
<h2>${text.sensitive}</h2>
${scopesView(sensitive, ticked)}
</div>
</section>
`
  }${apis.map((api) => apiView(text, api, ticked))}`;
}

function apiView(text: Messages['consent'], api: DisplayedApi, ticked: Ticked): Html {
  const otherScopes = api.scopes.filter(({ sensitive }) => !sensitive);
  return html`<section class="requested-api">
<div class="requested-api-head">
<h2><bdi>${api.name}</bdi> <span class="quiet host">${api.host}</span></h2>
<p class="party-more">${text.owner} <bdi>${api.owner}</bdi></p>
<p><bdi>${api.description}</bdi></p>
</div>
${api.scopes.length === 0 && html`<p>${text.wholeApi}</p>`}
${otherScopes.length > 0 && scopesView(otherScopes, ticked)}
</section>
`;
}

/** @param scopes the scopes to list; `of` is set if the list contains scopes from several APIs */
const scopesView = (scopes: readonly (DisplayedScope & { of?: DisplayedApi })[], ticked: Ticked): Html =>
  html`<ul class="requested-scopes">
${scopes.map(({ element, description, optional, of }) => {
  const label = html`<bdi>${description}</bdi>${of && html` <span class="party-more"><bdi>${of.name}</bdi> <span class="host">${of.host}</span></span>`}`;
  return html`<li>${optional ? scopeCheckbox(element, label, ticked) : label}</li>
`;
})}</ul>`;

export const scopeCheckbox = (element: string, label: Html, ticked: Ticked): Html =>
  html`<label class="scope-checkbox"><input class="choice-input" type="checkbox" name="scope" value="${element}" form="${DECISION_FORM}"${ticked.has(element) && html` checked`}><span>${label}</span></label>`;
