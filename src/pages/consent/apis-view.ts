// Renders what a request asks of APIs: whose each is, and its scopes in its owner's words, sensitive ones first.

import type { Locale, Messages } from '../../i18n/index.ts';
import { type ApiScope, consentElement } from '../../oauth/api.ts';
import { DECISION_FORM } from '../../web/html/decision.ts';
import { type Html, html } from '../../web/html/html.ts';
import type { PendingPage } from '../../web/pending.ts';
import { apisAskedOf } from './asked.ts';

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
export const askedApis = (page: PendingPage, locale: Locale): AskedApi[] =>
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

export function askedApisView(
  { consent: text }: Messages,
  apis: readonly AskedApi[],
  ticked: Ticked,
): Html | undefined {
  const [only, other] = apis;
  if (only === undefined) return undefined;
  if (other === undefined) return apiView(text, only, ticked, sensitiveOf(only));
  // Sensitive scopes of several APIs come before everything else of any of them.
  const sensitive = apis.flatMap((api) => sensitiveOf(api).map((scope) => ({ ...scope, of: api })));
  return html`${
    sensitive.length > 0 &&
    html`<section class="asked-api">
${sensitiveView(text, sensitive, ticked)}
</section>
`
  }${apis.map((api) => apiView(text, api, ticked, []))}`;
}

const sensitiveOf = ({ scopes }: AskedApi) => scopes.filter(({ sensitive }) => sensitive);
const plainOf = ({ scopes }: AskedApi) => scopes.filter(({ sensitive }) => !sensitive);

function apiView(
  text: Messages['consent'],
  api: AskedApi,
  ticked: Ticked,
  sensitive: readonly AskedScope[],
): Html {
  const plain = plainOf(api);
  return html`<section class="asked-api">
<div class="asked-api-head">
<h2><bdi>${api.name}</bdi> <span class="quiet host">${api.host}</span></h2>
<p class="party-more">${text.owner} <bdi>${api.owner}</bdi></p>
<p><bdi>${api.words}</bdi></p>
</div>
${sensitive.length > 0 && sensitiveView(text, sensitive, ticked)}
${api.scopes.length === 0 && html`<p>${text.wholeApi}</p>`}
${plain.length > 0 && scopesView(plain, ticked)}
</section>
`;
}

type SensitiveScope = AskedScope & { of?: AskedApi };

const sensitiveView = (
  text: Messages['consent'],
  scopes: readonly SensitiveScope[],
  ticked: Ticked,
): Html => html`<div class="asked-sensitive">
<h3>${text.sensitive}</h3>
${scopesView(scopes, ticked)}
</div>`;

const scopesView = (scopes: readonly SensitiveScope[], ticked: Ticked): Html =>
  html`<ul class="asked-scopes">
${scopes.map(
  ({ element, words, optional, of }) => html`<li>${scopeView(
    element,
    optional,
    html`<bdi>${words}</bdi>${of && html` <span class="party-more"><bdi>${of.name}</bdi> <span class="host">${of.host}</span></span>`}`,
    ticked,
  )}</li>
`,
)}</ul>`;

const scopeView = (element: string, optional: boolean, label: Html, ticked: Ticked): Html =>
  optional ? tickBox(element, label, ticked) : label;

/** A checkbox of the decision's form, which stands at the end of the page. */
export const tickBox = (element: string, label: Html, ticked: Ticked): Html =>
  html`<label class="asked-tick"><input class="choice-input" type="checkbox" name="scope" value="${element}" form="${DECISION_FORM}"${ticked.has(element) && html` checked`}><span>${label}</span></label>`;
