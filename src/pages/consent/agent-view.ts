// Owns the look of an agent that asks: the host of its document first, what it calls itself as its own word, where the answer goes.

import type { Messages } from '../../i18n/index.ts';
import { isLocalCallback } from '../../oauth/redirect-uri.ts';
import { attention } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { logoOf } from '../../web/html/pictures.ts';
import { tag } from '../../web/html/tag.ts';

export type AskingAgent = {
  /** What it calls itself. */
  name: string;
  /** Of its document; of the callback where it has none. */
  host: string;
  hasDocument: boolean;
  callbackHost: string;
  redirectUri: string;
};

/** Who asks, as one of the parties. Its picture is ours: nothing is loaded from its site. */
export const agentPartyView = (messages: Messages, agent: AskingAgent): Html => {
  const text = messages.consent;
  // Of an answer that stays on the device the page warns above (localAnswerView).
  const stays = isLocalCallback(agent.redirectUri);
  return html`<div>
<dt class="unseen">${text.agentAddress}</dt>
<dd class="party">${logoOf({ name: agent.host }, 48)}<div class="party-text">
<p class="party-name party-name--agent"><strong class="host">${agent.host}</strong> ${tag(agent.hasDocument ? text.agentTag : text.agentWithoutDocumentTag, 'waiting')}</p>
<p class="party-more">${text.agentName} <bdi>${agent.name}</bdi></p>
${!stays && html`<p class="party-more">${agent.hasDocument ? text.agentUnregistered : text.agentWithoutDocument}</p>`}
${!stays && agent.callbackHost !== agent.host && html`<p class="party-more">${text.answerGoes} <span class="host">${agent.callbackHost}</span></p>`}
</div></dd>
</div>`;
};

/** What is to be known where the answer stays on the person's own device: any program there may be the one that asks. */
export function localAnswerView(
  { consent: text }: Messages,
  { redirectUri, callbackHost }: AskingAgent,
): Html | undefined {
  if (!isLocalCallback(redirectUri)) return undefined;
  const words = new URL(redirectUri).protocol === 'http:' ? text.answerStays : text.answerToApp;
  return attention(words(callbackHost));
}
