// Owns the look of the page of a secret: the secret itself as long as it is new, then what it is recognised by.

import type { Messages } from '../../i18n/index.ts';
import type { OwnSecret } from '../../store/secrets.ts';
import { codeBlock, copiedFact } from '../../web/html/code.ts';
import { buttonLink } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import type { Holding } from './holding.ts';
import { endingView } from './secrets-view.ts';

type Shown = {
  holding: Holding;
  secret: OwnSecret;
  /** The secret itself; undefined once nothing shows it any more. */
  shown: string | undefined;
  /** Whether it is the one that its application was registered with. */
  isFirst: boolean;
};

/** What the page is called, by what it still shows. */
export function secretTitle({ holding, secret, shown, isFirst }: Shown, messages: Messages): string {
  const { created, secrets } = holding.words(messages);
  if (shown === undefined) return secrets.number(secret.number);
  return isFirst ? created.title(holding.name) : created.rotatedTitle(holding.name);
}

export function secretView(view: Shown, messages: Messages): Html {
  const { holding, shown } = view;
  return html`${holding.way(messages, { below: 'secrets' })}
<h1>${secretTitle(view, messages)}</h1>
${shown === undefined ? goneView(view, messages) : shownView(view, shown, messages)}`;
}

function shownView({ holding, secret, isFirst }: Shown, shown: string, messages: Messages): Html {
  const { ending } = secret;
  const text = holding.words(messages).created;
  const words = messages.integrate;
  const env = holding.env?.(shown, ending, messages);
  return html`<p class="lead">${text.once}</p>
<dl class="facts facts--framed credentials">
${copiedFact({ label: text.identifier, id: holding.elements.id, text: holding.id, words })}
${copiedFact({ label: text.secret, id: holding.elements.secret, text: shown, words, once: true })}
</dl>
${env !== undefined && codeBlock({ id: 'env', name: '.env', language: 'env', text: env, words, once: true })}
<p class="quiet">${text.keep}</p>
<p class="actions">${isFirst ? buttonLink({ text: text.integrate, href: holding.address('integrate') }) : buttonLink({ text: text.secrets, href: holding.address('secrets') })}</p>
<p class="quiet">${text.recognised} ${endingView(ending)}</p>`;
}

function goneView({ holding, secret, isFirst }: Shown, messages: Messages): Html {
  const text = holding.words(messages).created;
  return html`<p class="lead">${text.gone}</p>
${secret.ending !== null && html`<p>${text.recognised} ${endingView(secret.ending)}</p>`}
<p>${text.lost}</p>
<p class="actions">
${isFirst && buttonLink({ text: text.integrate, href: holding.address('integrate') })}
${buttonLink({ text: text.another, href: holding.address('secrets'), kind: isFirst ? 'secondary' : 'primary' })}
</p>`;
}
