// Owns how an application is named to the owner of an API that it asks for: an agent by its host, since what it calls itself
// says nothing of who it is.

import type { Messages } from '../../../i18n/index.ts';
import { agentHost, calledOnPages } from '../../../oauth/agent-document.ts';
import { type Html, html } from '../../../web/html/html.ts';

/** An application as the owner of an API gets to know it. */
export interface NamedClient {
  clientId: string;
  name: string;
  agent: boolean;
  redirectUris: readonly string[];
}

/** What it is called in a sentence. */
export const calledName = (client: NamedClient): string => calledOnPages(client, client.redirectUris);

/** What stands below that: the Client ID of an application, what an agent calls itself. */
export const clientMark = (client: NamedClient, { account, consent }: Messages): Html => {
  const { clientId, name, agent } = client;
  if (!agent) return html`<code>${clientId}</code>`;
  const registered = agentHost(clientId) === undefined;
  if (name === '') return html``; // it was forgotten, and left its address
  return html`${consent.agentName} <bdi>${name}</bdi>${registered && html` · ${account.applications.selfRegistered}`}`;
};

/** Both, in a line. */
export const clientLine = (client: NamedClient, messages: Messages): Html =>
  client.agent
    ? html`<span class="host">${calledName(client)}</span> <span class="quiet">${clientMark(client, messages)}</span>`
    : html`<bdi>${client.name}</bdi> ${clientMark(client, messages)}`;
