// Owns how an application is named to the owner of an API that it asks for: an agent by its host, which is all that is
// known of who it is.

import { type Html, html } from '../../../web/html/html.ts';

/** An application as the owner of an API gets to know it. */
export interface NamedClient {
  clientId: string;
  name: string;
  agent: boolean;
}

/** The host that an agent's document stands at; undefined for one that registered itself, and has none. */
export const hostOf = (clientId: string): string | undefined =>
  clientId.startsWith('https://') && URL.canParse(clientId) ? new URL(clientId).host : undefined;

/** Its name; beside it the host of an agent, or what the application is registered as. */
export const clientName = ({ clientId, name, agent }: NamedClient): Html => {
  const host = agent ? hostOf(clientId) : undefined;
  return html`<bdi>${name}</bdi> <code>${host ?? clientId}</code>`;
};
