// Layout of the account pages: side navigation beside the content.

import type { Messages } from '../../i18n/index.ts';
import { type Html, html } from './html.ts';
import { sideNav } from './side-nav.ts';

const SECTIONS = [
  ['overview', '/account'],
  ['profile', '/account/profile'],
  ['email', '/account/email'],
  ['security', '/account/security'],
  ['sessions', '/account/sessions'],
  ['applications', '/account/applications'],
  ['activity', '/account/activity'],
  ['data', '/account/data'],
] as const;

export type AccountSection = (typeof SECTIONS)[number][0];

export function accountLayout(
  messages: Messages,
  section: AccountSection,
  body: Html,
  { within = false } = {},
): Html {
  const text = messages.account.navigation;
  const links = SECTIONS.map(([name, href]) => ({ name, href, text: text[name] }));
  const back = within ? links.find(({ name }) => name === section) : undefined;
  return html`${sideNav({ label: text.title, links, here: section, within, back })}
<div class="column">
${body}
</div>`;
}
