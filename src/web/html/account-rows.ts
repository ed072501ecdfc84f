// Owns how accounts that are signed in in this browser are listed, each a button that goes on with it.
import type { Messages } from '../../i18n/index.ts';
import { type Html, html } from './html.ts';
import { avatarAddress } from './pictures.ts';
import { tag } from './tag.ts';

export type AccountRow = {
  sid: string;
  name: string;
  email: string;
  pictureHash: string | null;
  /** Whether it is the one that pages are answered for. */
  active: boolean;
};

/** @param last what comes after them */
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
${avatar(account, 40)}<span class="account-who"><bdi>${account.name}</bdi> ${active && tag(text.active)}<span class="account-email">${account.email}</span></span>
</button></li>
`,
)}${
  last &&
  html`<li>${last}</li>
`
}</ul>`;

/** The picture of an account; decoration, the name stands beside it. @param size in pixels */
export const avatar = (account: { name: string; pictureHash: string | null }, size: number): Html =>
  html`<img class="avatar" src="${avatarAddress('', account)}" alt="" width="${size}" height="${size}">`;
