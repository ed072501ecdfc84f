// Renders what a request asks of APIs: whose each is, and its scopes in its owner's words, sensitive ones first.

import type { Locale, Messages } from '../../i18n/index.ts';
import { type ApiScope, consentElement } from '../../oauth/api.ts';
import { DECISION_FORM } from '../../web/html/decision.ts';
import { type Html, html } from '../../web/html/html.ts';
import { apisAskedOf, type ConsentPage } from './asked.ts';

interface AskedScope {
  /** As consents spell it. */
  element: string;
  words: string;
  sensitive: boolean;
  /** Whether it has a checkbox. */
  optional: boolean;
}

export interface AskedApi {
  name: string;
  host: string;
  owner: string;
  words: string;
  scopes: AskedScope[];
}

/** The requested APIs in the reader's language, or in the other one where their owner wrote only that. */
export const askedApis = (page: ConsentPage, locale: Locale): AskedApi[] =>
  apisAskedOf(page).map((api) => ({
    name: api.name,
    host: new URL(api.identifier).host,
    owner: api.owner,
    words: wordsIn(api, locale),
    scopes: api.scopes.map((scope) => ({
      element: consentElement(api.apiId, scope.name),
      words: wordsIn(scope, locale),
      sensitive: scope.sensitive,
      optional: scope.optional,
    })),
  }));

const wordsIn = (words: Pick<ApiScope, 'fr' | 'en'>, locale: Locale): string =>
  words[locale] || words[locale === 'fr' ? 'en' : 'fr'];

/** The ticked checkboxes, spelled as consents spell them. */
type Ticked = ReadonlySet<string>;

/** The sensitive scopes of all APIs come before everything else. */
export function askedApisView(
  { consent: text }: Messages,
  apis: readonly AskedApi[],
  ticked: Ticked,
): Html | undefined {
  if (apis.length === 0) return undefined;
  const sensitive = apis.flatMap((api) =>
    api.scopes.filter((scope) => scope.sensitive).map((scope) => ({ ...scope, of: api })),
  );
  return html`${
    sensitive.length > 0 &&
    html`<section class="asked-api">
<div class="asked-sensitive">
<h2>${text.sensitive}</h2>
${scopesView(sensitive, ticked)}
</div>
</section>
`
  }${apis.map((api) => apiView(text, api, ticked))}`;
}

function apiView(text: Messages['consent'], api: AskedApi, ticked: Ticked): Html {
  const plain = api.scopes.filter(({ sensitive }) => !sensitive);
  return html`<section class="asked-api">
<div class="asked-api-head">
<h2><bdi>${api.name}</bdi> <span class="quiet host">${api.host}</span></h2>
<p class="party-more">${text.owner} <bdi>${api.owner}</bdi></p>
<p><bdi>${api.words}</bdi></p>
</div>
${api.scopes.length === 0 && html`<p>${text.wholeApi}</p>`}
${plain.length > 0 && scopesView(plain, ticked)}
</section>
`;
}

/** @param scopes with their API where scopes of several stand side by side */
const scopesView = (scopes: readonly (AskedScope & { of?: AskedApi })[], ticked: Ticked): Html =>
  html`<ul class="asked-scopes">
${scopes.map(({ element, words, optional, of }) => {
  const label = html`<bdi>${words}</bdi>${of && html` <span class="party-more"><bdi>${of.name}</bdi> <span class="host">${of.host}</span></span>`}`;
  return html`<li>${optional ? tickBox(element, label, ticked) : label}</li>
`;
})}</ul>`;

export const tickBox = (element: string, label: Html, ticked: Ticked): Html =>
  html`<label class="asked-tick"><input class="choice-input" type="checkbox" name="scope" value="${element}" form="${DECISION_FORM}"${ticked.has(element) && html` checked`}><span>${label}</span></label>`;
