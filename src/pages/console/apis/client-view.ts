// Owns how an application is named to the owner of an API that it asks for: an agent by its host, which is all that is
// known of who it is.

import { type Html, html } from '../../../web/html/html.ts';

/** An application as the owner of an API gets to know it. */
interface NamedClient {
  clientId: string;
  name: string;
  agent: boolean;
}

/** The host that an agent's document stands at; undefined for one that registered itself, and has none. */
const hostOf = (clientId: string): string | undefined =>
  clientId.startsWith('https://') && URL.canParse(clientId) ? new URL(clientId).host : undefined;

/** What tells it from others of its name: the host of an agent, or what the application is registered as. */
export const clientMark = ({ clientId, agent }: Pick<NamedClient, 'clientId' | 'agent'>): Html =>
  html`<code>${(agent ? hostOf(clientId) : undefined) ?? clientId}</code>`;

/** Its name, and that. */
export const clientName = (client: NamedClient): Html =>
  html`<bdi>${client.name}</bdi> ${clientMark(client)}`;
