// Owns what the pages of the account share: the list of its parts beside them, or on phones the way back to it.

import type { Messages } from '../../i18n/index.ts';
import { type Html, html } from './html.ts';
import { sideList } from './side-list.ts';

const PARTS = [
  ['overview', '/account'],
  ['profile', '/account/profile'],
  ['email', '/account/email'],
  ['security', '/account/security'],
  ['sessions', '/account/sessions'],
  ['applications', '/account/applications'],
  ['data', '/account/data'],
] as const;

export type AccountPart = (typeof PARTS)[number][0];

/**
 * A page of the account: `body` begins with its h1. `notice` stands before it, also an error summary.
 * @param within whether it is a page below that part, to which it then leads back
 */
export function accountFrame(
  messages: Messages,
  part: AccountPart,
  body: Html,
  { within = false } = {},
): Html {
  const text = messages.account.parts;
  const links = PARTS.map(([name, href]) => ({ name, href, text: text[name] }));
  const above = within ? links.find(({ name }) => name === part) : { href: '/account', text: text.title };
  const back = part === 'overview' ? undefined : above;
  return html`${sideList({ label: text.title, links, here: part, within, back })}
<div class="column">
${body}
</div>`;
}
