// Shows clients to an API's owner. Agents are shown by host because their names are unverified.

import type { Messages } from '../../../i18n/index.ts';
import { getDisplayName, getMetadataHost } from '../../../oauth/client-metadata.ts';
import { breakable } from '../../../web/html/breakable.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { logo } from '../../../web/html/pictures.ts';

export interface NamedClient {
  clientId: string;
  name: string;
  agent: boolean;
  redirectUris: readonly string[];
  logo: string | null;
}

export const apiClientName = (client: NamedClient): string => getDisplayName(client, client.redirectUris);

/**
 * If an agent has a generated logo, it shows the initials of the agent's host.
 * @param size in pixels
 */
export const apiClientLogo = (client: NamedClient, size: number): Html =>
  logo({ ...client, name: apiClientName(client) }, size);

/** An application's client ID, or the name that an agent registered. */
export const clientDetails = (client: NamedClient, { account, consent }: Messages): Html => {
  const { clientId, name, agent } = client;
  if (!agent) return html`<code>${clientId}</code>`;
  const isDynamic = getMetadataHost(clientId) === undefined;
  // Only deleted agents have no name.
  if (name === '') return html``;
  return html`${consent.agentName} <bdi>${name}</bdi>${isDynamic && html` · ${account.applications.selfRegistered}`}`;
};

export const clientSummary = (client: NamedClient, messages: Messages): Html =>
  client.agent
    ? html`<span class="host">${breakable(apiClientName(client))}</span> <span class="quiet">${clientDetails(client, messages)}</span>`
    : html`<bdi>${client.name}</bdi> ${clientDetails(client, messages)}`;
