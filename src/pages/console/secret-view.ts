// Owns the look of the one page that shows a secret.

import type { Messages } from '../../i18n/index.ts';
import { copyButton } from '../../web/html/code.ts';
import { buttonLink } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { applicationAddress, way } from './parts-view.ts';

export type SecretView = {
  messages: Messages;
  title: string;
  application: { clientId: string; name: string };
  /** Undefined for a public application. */
  clientSecret: string | undefined;
};

/** The one page that shows a secret; rendered by the POST that made it, and by nothing else. */
export function secretView({ messages, title, application, clientSecret }: SecretView): Html {
  const text = messages.applications.created;
  const { clientId } = application;
  return html`${way(messages, application)}
<h1>${title}</h1>
${clientSecret === undefined ? html`<p class="lead">${text.noSecret}</p>` : html`<p class="notice">${text.once}</p>`}
<dl class="facts facts--framed credentials">
${value(messages, text.identifier, 'client-id', clientId)}
${clientSecret !== undefined && value(messages, text.secret, 'client-secret', clientSecret)}
</dl>
<p class="quiet">${text.copyHint}</p>
${
  clientSecret !== undefined &&
  html`<p>${text.keep}</p>
<p class="quiet">${text.lost}</p>`
}
<h2>${text.next}</h2>
<p class="actions">
${buttonLink({ text: text.integrate, href: applicationAddress(clientId, 'integrate') })}
${buttonLink({ text: text.open, href: applicationAddress(clientId), kind: 'secondary' })}
</p>`;
}

function value(messages: Messages, label: string, id: string, text: string): Html {
  return html`<div><dt>${label}</dt><dd><code class="whole" id="${id}"${id === 'client-secret' && html` data-once`}>${text}</code> ${copyButton({ target: id, words: messages.applications.created, unseen: label })}</dd></div>
`;
}
