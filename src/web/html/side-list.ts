// Owns the list of a section's pages: beside them where there is room; on a narrow screen the way back stands in for it.
import { type Html, html } from './html.ts';

/**
 * The pages of a section.
 * @param here which of them is shown; `within` when it is a page below that one
 * @param back the way back on narrow screens, absent on the section's first page
 */
export function sideList(list: {
  label: string;
  links: readonly { name: string; href: string; text: string }[];
  here: string;
  within?: boolean | undefined;
  back?: { href: string; text: string } | undefined;
}): Html {
  const current = html` aria-current="${list.within ? 'true' : 'page'}"`;
  return html`<nav class="parts" aria-label="${list.label}">
<ul>
${list.links.map(
  ({ name, href, text }) => html`<li><a href="${href}"${name === list.here && current}>${text}</a></li>
`,
)}</ul>
</nav>
${list.back && html`<a class="back" href="${list.back.href}">${list.back.text}</a>`}`;
}
