// Links to the home pages of connected clients.
import type { Messages } from '../../i18n/index.ts';
import { type Html, html } from '../../web/html/html.ts';
import { icon } from '../../web/html/icons.ts';

export interface ConnectedClient {
  clientId: string;
  name: string;
  logo: string | null;
  homePage: string | null;
  hosts: readonly string[];
}

/** Clients can choose any home page. The link shows its host if no redirect URI has that host. */
export function openApplicationLink(
  { homePage, name, hosts }: ConnectedClient,
  { account }: Messages,
): Html | undefined {
  if (homePage === null) return undefined;
  const { host } = new URL(homePage);
  return html`<a class="touch-target" href="${homePage}" rel="noopener noreferrer">${account.applications.open}<span class="visually-hidden"> <bdi>${name}</bdi></span> ${icon('external-link', 16)}${!hosts.includes(host) && html` <span class="quiet host">${host}</span>`}</a>`;
}
