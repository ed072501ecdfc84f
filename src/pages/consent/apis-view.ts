// Renders what a request asks of APIs: whose each is, and its scopes in its owner's words, sensitive ones first.

import type { Messages } from '../../i18n/index.ts';
import { TYPED } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import type { AskedApi, AskedScope } from './asked.ts';

/** The checkboxes of the page; `first` is the one that the error summary points to. */
export type Boxes = { ticked: ReadonlySet<string>; first: string | undefined };

/** The id of the first checkbox. */
export const FIRST_BOX = 'scope';

export function askedApisView(
  { consent: text }: Messages,
  apis: readonly AskedApi[],
  boxes: Boxes,
): Html | undefined {
  const [only, other] = apis;
  if (only === undefined) return undefined;
  if (other === undefined) return apiView(text, only, boxes, sensitiveOf(only));
  // Sensitive scopes of several APIs come before everything else of any of them.
  const sensitive = apis.flatMap((api) => sensitiveOf(api).map((scope) => ({ ...scope, of: api })));
  return html`${
    sensitive.length > 0 &&
    html`<section class="asked-api">
${sensitiveView(text, sensitive, boxes)}
</section>
`
  }${apis.map((api) => apiView(text, api, boxes, []))}`;
}

/** The scopes of some APIs in the order of the page. */
export const inOrder = (apis: readonly AskedApi[]): readonly AskedScope[] => [
  ...apis.flatMap(sensitiveOf),
  ...apis.flatMap(plainOf),
];

const sensitiveOf = ({ scopes }: AskedApi) => scopes.filter(({ sensitive }) => sensitive);
const plainOf = ({ scopes }: AskedApi) => scopes.filter(({ sensitive }) => !sensitive);

function apiView(
  text: Messages['consent'],
  api: AskedApi,
  boxes: Boxes,
  sensitive: readonly AskedScope[],
): Html {
  const plain = plainOf(api);
  return html`<section class="asked-api">
<div class="asked-api-head">
<h2><bdi>${api.name}</bdi> <span class="quiet host">${api.host}</span></h2>
<p class="party-more">${text.owner} <bdi>${api.owner}</bdi></p>
<p><bdi>${api.words}</bdi></p>
</div>
${sensitive.length > 0 && sensitiveView(text, sensitive, boxes)}
${api.scopes.length === 0 && html`<p>${text.wholeApi}</p>`}
${plain.length > 0 && scopesView(plain, boxes)}
</section>
`;
}

type SensitiveScope = AskedScope & { of?: AskedApi };

const sensitiveView = (
  text: Messages['consent'],
  scopes: readonly SensitiveScope[],
  boxes: Boxes,
): Html => html`<div class="asked-sensitive">
<h3>${text.sensitive}</h3>
${scopesView(scopes, boxes)}
</div>`;

const scopesView = (scopes: readonly SensitiveScope[], boxes: Boxes): Html =>
  html`<ul class="asked-scopes">
${scopes.map(
  ({ element, words, optional, of }) => html`<li>${scopeView(
    element,
    optional,
    html`<bdi>${words}</bdi>${of && html` <span class="party-more"><bdi>${of.name}</bdi> <span class="host">${of.host}</span></span>`}`,
    boxes,
  )}</li>
`,
)}</ul>`;

const scopeView = (element: string, optional: boolean, label: Html, boxes: Boxes): Html =>
  optional ? tickBox(element, label, boxes) : label;

/** A checkbox of the decision's form, which stands at the end of the page. */
export const tickBox = (element: string, label: Html, { ticked, first }: Boxes): Html =>
  html`<label class="asked-tick"><input class="choice-input" type="checkbox"${element === first && html` id="${FIRST_BOX}"`} name="scope" value="${element}" form="${TYPED}"${ticked.has(element) && html` checked`}><span>${label}</span></label>`;
