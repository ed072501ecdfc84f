// Owns the look of the secrets of an application or an API: those that live, making the next one, ending one.

import type { Messages } from '../../i18n/index.ts';
import { OVERLAPS } from '../../ownership/secrets.ts';
import type { OwnSecret } from '../../store/secrets.ts';
import {
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  selectField,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { ago, moment } from '../../web/html/time.ts';
import type { Holding } from './holding.ts';

export type SecretsView = FormState & {
  holding: Holding;
  secrets: readonly OwnSecret[];
  overlap: string;
};

export function secretsView(view: SecretsView): Html {
  const { messages, csrf, holding, secrets, overlap } = view;
  const text = holding.words(messages).secrets;
  const last = secrets.at(-1);
  return html`${holding.way(messages, 'secrets')}
${formStatus(view)}
<h1>${text.title(holding.name)}</h1>
<p class="lead">${text.lead}</p>
<h2>${text.live}</h2>
${
  secrets.length === 0
    ? html`<p class="${holding.registeredWithSecret ? 'warning' : 'quiet'}">${text.none}</p>`
    : html`<ul class="cards">
${secrets.map((secret) => card(secret, messages, holding))}</ul>`
}
<h2>${text.rotate}</h2>
${last && html`<p>${text.rotateHint}</p>`}
${form({
  action: holding.address('secrets'),
  csrf,
  body: html`${
    // The first one takes nobody's place.
    last === undefined
      ? hiddenInput('overlap', overlap)
      : selectField({
          name: 'overlap',
          label: text.overlap,
          options: OVERLAPS.map((value) => ({ value, label: text.overlaps[value] })),
          value: overlap,
          errors: view.errors,
        })
  }
${confirmationField(view)}
${submitButton({ text: text.rotateAction })}`,
})}`;
}

/** A secret's last characters, by which it is recognised where it is used; nothing where they were not kept. */
export const endingView = (ending: string | null): Html | undefined =>
  ending === null ? undefined : html`<code class="ending">…${ending}</code>`;

/** A secret as it begins a line of a list. */
export const listedSecret = ({ number, ending }: OwnSecret, messages: Messages): Html =>
  html`${messages.applications.secrets.number(number)}${ending !== null && html` (${endingView(ending)})`}`;

function card(secret: OwnSecret, messages: Messages, holding: Holding): Html {
  const text = messages.applications.secrets;
  const { number, ending, createdAt, expiresAt, lastUsedAt } = secret;
  const href = holding.address(`secrets/${number}`);
  return html`<li class="card">
<h3>${text.number(number)} ${endingView(ending)}</h3>
<dl class="facts facts--card">
<div><dt>${text.created}</dt><dd>${moment(createdAt, messages)}</dd></div>
<div><dt>${text.ends}</dt><dd>${expiresAt === null ? text.endsNever : moment(expiresAt, messages)}</dd></div>
<div><dt>${text.used}</dt><dd>${lastUsedAt === null ? text.never : ago(lastUsedAt, messages)}</dd></div>
</dl>
<p class="actions">
<a class="button button--secondary" href="${href}/end"><span>${text.end}<span class="unseen"> ${text.named(number)}</span></span></a>
</p>
</li>
`;
}

export type EndSecretView = FormState & {
  holding: Holding;
  secret: OwnSecret;
  /** Whether no other secret lasts. */
  isLast: boolean;
};

export function endSecretView(view: EndSecretView): Html {
  const { messages, csrf, holding, secret, isLast } = view;
  const { number, ending, createdAt, lastUsedAt } = secret;
  const text = holding.words(messages).secrets;
  return html`${holding.way(messages, { below: 'secrets' })}
${formStatus(view)}
<h1>${text.endTitle(number)}</h1>
<dl class="facts facts--framed">
${ending !== null && html`<div><dt>${text.endsWith}</dt><dd>${endingView(ending)}</dd></div>`}
<div><dt>${text.created}</dt><dd>${moment(createdAt, messages)}</dd></div>
<div><dt>${text.used}</dt><dd>${lastUsedAt === null ? text.never : ago(lastUsedAt, messages)}</dd></div>
</dl>
<p>${text.endText}</p>
${isLast && html`<p class="warning">${text.endLast}</p>`}
${form({
  action: holding.address(`secrets/${number}/end`),
  csrf,
  body: html`${confirmationField(view)}
<div class="actions">
${submitButton({ text: text.endAction, kind: 'danger' })}
${buttonLink({ text: text.keep, href: holding.address('secrets'), kind: 'secondary' })}
</div>`,
})}`;
}
