// Side navigation between a section's pages. Narrow screens show a back link instead.
import { type Html, html } from './html.ts';

/**
 * @param list.here the name of the link that is marked as current
 * @param list.within whether the page is a subpage of the marked page
 * @param list.back the back link for narrow screens. The section's first page has no back link.
 */
export function sideNav(list: {
  label: string;
  links: readonly { name: string; href: string; text: string }[];
  here: string;
  within?: boolean | undefined;
  back?: { href: string; text: string } | undefined;
}): Html {
  const current = html` aria-current="${list.within ? 'true' : 'page'}"`;
  return html`<nav class="side-nav" aria-label="${list.label}">
<ul>
${list.links.map(
  ({ name, href, text }) => html`<li><a href="${href}"${name === list.here && current}>${text}</a></li>
`,
)}</ul>
</nav>
${list.back && html`<a class="back" href="${list.back.href}">${list.back.text}</a>`}`;
}
