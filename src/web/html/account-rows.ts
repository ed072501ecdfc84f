// List of the browser's signed-in accounts. Each row is a button that selects an account.
import type { Messages } from '../../i18n/index.ts';
import { type Html, html } from './html.ts';
import { avatarUrl } from './pictures.ts';
import { tag } from './tag.ts';

export type AccountRow = {
  sid: string;
  name: string;
  email: string;
  pictureHash: string | null;
  active: boolean;
};

export const accountRows = (
  accounts: readonly AccountRow[],
  { accounts: text }: Messages,
  last?: Html,
): Html =>
  html`<ul class="accounts">
${accounts.map(
  ({
    sid,
    active,
    ...account
  }) => html`<li><button class="account" type="submit" name="account" value="${sid}">
${avatar(account, 40)}<span class="account-identity"><bdi>${account.name}</bdi> ${active && tag(text.active)}<span class="account-email">${account.email}</span></span>
</button></li>
`,
)}${
  last &&
  html`<li>${last}</li>
`
}</ul>`;

/**
 * `alt` is empty because the name is beside the picture.
 * @param size in pixels
 */
export const avatar = (account: { name: string; pictureHash: string | null }, size: number): Html =>
  html`<img class="avatar" src="${avatarUrl('', account)}" alt="" width="${size}" height="${size}">`;
