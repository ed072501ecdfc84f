// The look of the secrets of an application or an API: the live ones, a new one, ending one.
import type { Messages } from '../../i18n/index.ts';
import { OVERLAPS } from '../../ownership/secrets.ts';
import type { OwnApplication } from '../../store/applications.ts';
import type { OwnApi } from '../../store/own-apis.ts';
import type { OwnSecret } from '../../store/secrets.ts';
import { codeBlock, copiedFact } from '../../web/html/code.ts';
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
import { idOf, thingAddress, way } from './frame-view.ts';
import { envFile } from './snippets/env.ts';

/** A confidential application, or an API. */
export type Holder = OwnApplication | OwnApi;

/** The texts for both kinds, with those that differ for APIs. */
const wordsOf = (holder: Holder, { applications: { secrets, created }, apis }: Messages) =>
  'apiId' in holder
    ? { secrets: { ...secrets, ...apis.secrets }, created: { ...created, ...apis.created } }
    : { secrets, created };

export function secretsView(
  view: FormState & { holder: Holder; secrets: readonly OwnSecret[]; overlap: string },
): Html {
  const { messages, csrf, holder, secrets, overlap } = view;
  const text = wordsOf(holder, messages).secrets;
  return html`${way(messages, holder, 'secrets')}
${formStatus(view)}
<h1>${text.title(holder.name)}</h1>
<p class="lead">${text.lead}</p>
<h2>${text.live}</h2>
${
  secrets.length === 0
    ? html`<p class="${'apiId' in holder ? 'quiet' : 'warning'}">${text.none}</p>`
    : html`<ul class="cards">
${secrets.map((secret) => card(secret, messages, holder))}</ul>`
}
<h2>${text.rotate}</h2>
${secrets.length > 0 && html`<p>${text.rotateHint}</p>`}
${form({
  action: thingAddress(holder, 'secrets'),
  csrf,
  body: html`${
    secrets.length === 0
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

/** A secret's last characters, by which it is recognized. */
const endingView = (ending: string): Html => html`<code class="ending">…${ending}</code>`;

/** A secret as it begins a line of a list. */
export const listedSecret = ({ number, ending }: OwnSecret, messages: Messages): Html =>
  html`${messages.applications.secrets.number(number)} (${endingView(ending)})`;

const datesOf = ({ createdAt, lastUsedAt }: OwnSecret, messages: Messages, between?: Html): Html => {
  const text = messages.applications.secrets;
  return html`<div><dt>${text.created}</dt><dd>${moment(createdAt, messages)}</dd></div>
${between}<div><dt>${text.used}</dt><dd>${lastUsedAt === null ? text.never : ago(lastUsedAt, messages)}</dd></div>`;
};

function card(secret: OwnSecret, messages: Messages, holder: Holder): Html {
  const text = messages.applications.secrets;
  const { number, ending, expiresAt } = secret;
  const ends = html`<div><dt>${text.ends}</dt><dd>${expiresAt === null ? text.endsNever : moment(expiresAt, messages)}</dd></div>
`;
  return html`<li class="card">
<h3>${text.number(number)} ${endingView(ending)}</h3>
<dl class="facts facts--card">
${datesOf(secret, messages, ends)}
</dl>
<p class="actions">
<a class="button button--secondary" href="${thingAddress(holder, `secrets/${number}/end`)}"><span>${text.end}<span class="unseen"> ${text.named(number)}</span></span></a>
</p>
</li>
`;
}

/** The page of a secret as long as the secret itself may be shown. */
export function newSecretView(
  holder: Holder,
  { ending }: OwnSecret,
  shown: string,
  issuer: string,
  messages: Messages,
): Html {
  const { created: text, secrets } = wordsOf(holder, messages);
  const words = messages.integrate;
  const isApi = 'apiId' in holder;
  const prefix = isApi ? 'api' : 'client';
  const env =
    !isApi &&
    envFile(
      { ...holder, clientSecret: shown, issuer, redirectUri: holder.redirectUris[0] ?? '' },
      { secret: words.page.envSecret(ending ?? ''), random: words.page.envRandom },
    );
  return html`${way(messages, holder, { below: 'secrets' })}
<h1>${text.title(holder.name)}</h1>
<p class="lead">${text.once}</p>
<dl class="facts facts--framed credentials">
${copiedFact({ label: text.identifier, id: `${prefix}-id`, text: idOf(holder), words })}
${copiedFact({ label: text.secret, id: `${prefix}-secret`, text: shown, words, once: true })}
</dl>
${env && codeBlock({ id: 'env', name: '.env', language: 'env', text: env, words, once: true })}
<p class="quiet">${text.keep}</p>
<p class="quiet">${text.recognised} ${endingView(ending)}</p>
<p class="actions">
${!isApi && buttonLink({ text: text.integrate, href: thingAddress(holder, 'integrate') })}
${buttonLink({ text: secrets.live, href: thingAddress(holder, 'secrets'), kind: 'secondary' })}
</p>`;
}

/** The page of a secret that was shown already. */
export function shownSecretView(holder: Holder, { number, ending }: OwnSecret, messages: Messages): Html {
  const { created: text, secrets } = wordsOf(holder, messages);
  return html`${way(messages, holder, { below: 'secrets' })}
<h1>${secrets.number(number)}</h1>
<p class="lead">${text.gone}</p>
<p>${text.recognised} ${endingView(ending)}</p>
<p>${text.lost}</p>
<p class="actions">
${!('apiId' in holder) && buttonLink({ text: text.integrate, href: thingAddress(holder, 'integrate') })}
${buttonLink({ text: text.another, href: thingAddress(holder, 'secrets'), kind: 'secondary' })}
</p>`;
}

export function endSecretView(
  view: FormState & {
    holder: Holder;
    secret: OwnSecret;
    /** Whether no other secret lasts. */
    isLast: boolean;
  },
): Html {
  const { messages, csrf, holder, secret, isLast } = view;
  const { number, ending } = secret;
  const text = wordsOf(holder, messages).secrets;
  return html`${way(messages, holder, { below: 'secrets' })}
${formStatus(view)}
<h1>${text.endTitle(number)}</h1>
<dl class="facts facts--framed">
<div><dt>${text.endsWith}</dt><dd>${endingView(ending)}</dd></div>
${datesOf(secret, messages)}
</dl>
<p>${text.endText}</p>
${isLast && html`<p class="warning">${text.endLast}</p>`}
${form({
  action: thingAddress(holder, `secrets/${number}/end`),
  csrf,
  body: html`${confirmationField(view)}
<div class="actions">
${submitButton({ text: text.endAction, kind: 'danger' })}
${buttonLink({ text: messages.ownership.remove.cancel, href: thingAddress(holder, 'secrets'), kind: 'secondary' })}
</div>`,
})}`;
}
