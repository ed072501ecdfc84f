// Owns the look of what is asked of APIs: each with whose it is, and its scopes in its owner's words, sensitive ones apart.

import type { Messages } from '../../i18n/index.ts';
import { TYPED } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import type { AskedApi, AskedScope } from './asked.ts';

/** What was ticked of what is on offer, as consents spell it; undefined where nothing is to be picked. */
export type Ticked = ReadonlySet<string> | undefined;

/** The boxes of the page, and the first of them, to which it leads when none is ticked. */
export type Boxes = { ticked: ReadonlySet<string>; first: string | undefined } | undefined;

/** The id of the first box. */
export const FIRST_BOX = 'scope';

export function askedApisView(messages: Messages, apis: readonly AskedApi[], boxes: Boxes): Html {
  const text = messages.consent;
  return html`<h2>${boxes === undefined ? text.access : text.pick}</h2>
${apis.map((api) => apiView(text, api, boxes))}
<p class="quiet">${text.ownersWords}</p>`;
}

/** The scopes of an API as they stand where each has a box: sensitive ones last. */
export const inOrder = ({ scopes }: AskedApi): readonly AskedScope[] => [
  ...scopes.filter(({ sensitive }) => !sensitive),
  ...scopes.filter(({ sensitive }) => sensitive),
];

function apiView(text: Messages['consent'], api: AskedApi, boxes: Boxes): Html {
  const plain = api.scopes.filter(({ sensitive }) => !sensitive);
  const sensitive = api.scopes.filter((scope) => scope.sensitive);
  return html`<section class="asked-api">
<div class="asked-api-head">
<h3><bdi>${api.name}</bdi></h3>
<p class="party-more"><span class="host">${api.host}</span></p>
<p class="party-more">${text.owner} <bdi>${api.owner}</bdi></p>
<p><bdi>${api.words}</bdi></p>
</div>
${boxes === undefined && sensitiveView(text, sensitive, boxes)}
${plain.length > 0 && scopesView(plain, boxes)}
${boxes !== undefined && sensitiveView(text, sensitive, boxes)}
</section>
`;
}

/** First where the answer is one for all, so that nobody has to scroll for it; last where each has to be ticked anyway. */
const sensitiveView = (
  text: Messages['consent'],
  scopes: readonly AskedScope[],
  boxes: Boxes,
): Html | false =>
  scopes.length > 0 &&
  html`<div class="asked-sensitive">
<h4>${text.sensitive}</h4>
${boxes !== undefined && html`<p class="party-more">${text.sensitiveAdvice}</p>`}
${scopesView(scopes, boxes)}
</div>`;

const scopesView = (scopes: readonly AskedScope[], boxes: Boxes): Html =>
  html`<ul class="asked-scopes">
${scopes.map(
  ({
    element,
    words,
  }) => html`<li>${boxes === undefined ? html`<bdi>${words}</bdi>` : tickBox(element, html`<bdi>${words}</bdi>`, boxes)}</li>
`,
)}</ul>`;

/** A box of the decision's form, which stands at the end of the page. */
export const tickBox = (element: string, label: Html, { ticked, first }: NonNullable<Boxes>): Html =>
  html`<label class="asked-tick"><input class="choice-input" type="checkbox"${element === first && html` id="${FIRST_BOX}"`} name="scope" value="${element}" form="${TYPED}"${ticked.has(element) && html` checked`}><span>${label}</span></label>`;
