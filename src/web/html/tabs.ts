// Tabs: a row of links to parts or variants of a page.
import { type Html, html } from './html.ts';

/**
 * @param tabs.current `page` for links to pages, `true` for links to parts of a page
 * @param tabs.isWithin whether the tabs are nested
 */
export const tabList = (tabs: {
  label: string;
  links: readonly { href: string; text: string; isCurrent: boolean }[];
  current?: 'page' | 'true';
  isWithin?: boolean;
}): Html => html`<nav class="tabs${tabs.isWithin && ' tabs--within'}" aria-label="${tabs.label}">
<ul>
${tabs.links.map(
  ({
    href,
    text,
    isCurrent,
  }) => html`<li><a href="${href}"${isCurrent && html` aria-current="${tabs.current ?? 'true'}"`}>${text}</a></li>
`,
)}</ul>
</nav>`;
