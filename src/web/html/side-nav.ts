// Navigation between a section's pages, in a column or, on narrow screens, in a menu.
import { type Html, html } from './html.ts';

export interface SideNavLink {
  name: string;
  href: string;
  text: string;
  pages?: readonly SideNavLink[];
}

/**
 * @param list.here the current link's name
 * @param list.within whether the page is a subpage of the current link
 * @param list.back the link to the parent page, shown on narrow screens
 */
export function sideNav(list: {
  label: string;
  links: readonly SideNavLink[];
  here: string;
  within?: boolean | undefined;
  back?: { href: string; text: string } | undefined;
}): Html {
  const current = html` aria-current="${list.within ? 'true' : 'page'}"`;
  const items = (links: readonly SideNavLink[]): Html => html`<ul>
${links.map(
  ({ name, href, text, pages = [] }) =>
    html`<li><a href="${href}"${name === list.here && current}>${text}</a>${pages.length > 0 && items(pages)}</li>
`,
)}</ul>`;
  // The list isn't inside `details` because wide screens show it even while `details` is closed.
  return html`<nav class="side-nav" aria-label="${list.label}">
<details class="side-nav-menu"><summary>${findLink(list.links, list.here)?.text ?? list.label}</summary></details>
${items(list.links)}
</nav>
${list.back && html`<a class="back" href="${list.back.href}">${list.back.text}</a>`}`;
}

const findLink = (links: readonly SideNavLink[], here: string): SideNavLink | undefined =>
  links.flatMap((link) => [link, ...(link.pages ?? [])]).find(({ name }) => name === here);
