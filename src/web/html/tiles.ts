// Owns the tiles that lead on: a link each, with a word about what is behind it.
import { type Html, html } from './html.ts';

/** Ways on, as tiles; the whole tile is the link. */
export const tiles = (
  ways: readonly { href: string; text: string; hint: string }[],
): Html => html`<ul class="tiles">
${ways.map(
  ({ href, text, hint }) => html`<li class="tile">
<a class="tile-link" href="${href}">${text}</a>
<p>${hint}</p>
</li>
`,
)}</ul>`;
