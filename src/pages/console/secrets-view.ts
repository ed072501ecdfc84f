// Views of the secrets of an application or an API.
import type { Messages } from '../../i18n/index.ts';
import { OVERLAP_OPTIONS } from '../../ownership/secrets.ts';
import type { OwnApi } from '../../store/own-apis.ts';
import type { OwnClient } from '../../store/own-clients.ts';
import type { SecretRow } from '../../store/secrets.ts';
import { codeBlock, copyableFact } from '../../web/html/code.ts';
import {
  buttonLink,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  reauthenticationFields,
  selectField,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { dateTime, timeAgo } from '../../web/html/time.ts';
import { clientOrApiUrl, consoleNavigation, idOf } from './layout.ts';
import { formatEnvFile } from './snippets/env.ts';

export type SecretHolder = OwnClient | OwnApi;

/** Returns the messages about secrets, some of which differ for APIs. */
const textsOf = (holder: SecretHolder, { applications: { secrets, created }, apis }: Messages) =>
  'apiId' in holder
    ? { secrets: { ...secrets, ...apis.secrets }, created: { ...created, ...apis.created } }
    : { secrets, created };

export function secretsView(
  view: FormState & { holder: SecretHolder; secrets: readonly SecretRow[]; overlap: string },
): Html {
  const { messages, csrf, holder, secrets, overlap } = view;
  const text = textsOf(holder, messages).secrets;
  return html`${consoleNavigation(messages, holder, 'secrets')}
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
  action: clientOrApiUrl(holder, 'secrets'),
  csrf,
  body: html`${
    secrets.length === 0
      ? hiddenInput('overlap', overlap)
      : selectField({
          name: 'overlap',
          label: text.overlap,
          options: OVERLAP_OPTIONS.map((value) => ({ value, label: text.overlaps[value] })),
          value: overlap,
          errors: view.errors,
        })
  }
${reauthenticationFields(view)}
${submitButton({ text: text.rotateAction })}`,
})}`;
}

/** Shows the last characters of a secret, so that its owner can recognize the secret. */
const endingView = (ending: string): Html => html`<code class="secret-suffix">…${ending}</code>`;

export const secretLabel = ({ number, lastCharacters }: SecretRow, messages: Messages): Html =>
  html`${messages.applications.secrets.number(number)} (${endingView(lastCharacters)})`;

const datesOf = ({ createdAt, lastUsedAt }: SecretRow, messages: Messages, between?: Html): Html => {
  const text = messages.applications.secrets;
  return html`<div><dt>${text.created}</dt><dd>${dateTime(createdAt, messages)}</dd></div>
${between}<div><dt>${text.used}</dt><dd>${lastUsedAt === null ? text.never : timeAgo(lastUsedAt, messages)}</dd></div>`;
};

function card(secret: SecretRow, messages: Messages, holder: SecretHolder): Html {
  const text = messages.applications.secrets;
  const { number, lastCharacters, expiresAt } = secret;
  const expiryRow = html`<div><dt>${text.ends}</dt><dd>${expiresAt === null ? text.endsNever : dateTime(expiresAt, messages)}</dd></div>
`;
  return html`<li class="card">
<h3>${text.number(number)} ${endingView(lastCharacters)}</h3>
<dl class="facts facts--card">
${datesOf(secret, messages, expiryRow)}
</dl>
<p class="actions">
<a class="button button--secondary" href="${clientOrApiUrl(holder, `secrets/${number}/end`)}"><span>${text.end}<span class="visually-hidden"> ${text.named(number)}</span></span></a>
</p>
</li>
`;
}

/** The page that shows a new secret, which is displayed only once. */
export function newSecretView(
  holder: SecretHolder,
  { lastCharacters }: SecretRow,
  shown: string,
  issuer: string,
  messages: Messages,
): Html {
  const { created: text, secrets } = textsOf(holder, messages);
  const integrateText = messages.integrate;
  const isApi = 'apiId' in holder;
  const prefix = isApi ? 'api' : 'client';
  const env =
    !isApi &&
    formatEnvFile(
      { ...holder, clientSecret: shown, issuer, redirectUri: holder.redirectUris[0] ?? '' },
      { secret: integrateText.page.envSecret(lastCharacters ?? ''), random: integrateText.page.envRandom },
    );
  return html`${consoleNavigation(messages, holder, { below: 'secrets' })}
<h1>${text.title(holder.name)}</h1>
<p class="lead">${text.once}</p>
<dl class="facts facts--framed credentials">
${copyableFact({ label: text.identifier, id: `${prefix}-id`, text: idOf(holder), labels: integrateText })}
${copyableFact({ label: text.secret, id: `${prefix}-secret`, text: shown, labels: integrateText, once: true })}
</dl>
${env && codeBlock({ id: 'env', name: '.env', language: 'env', text: env, labels: integrateText, once: true })}
<p class="quiet">${text.keep}</p>
<p class="quiet">${text.recognized} ${endingView(lastCharacters)}</p>
<p class="actions">
${!isApi && buttonLink({ text: text.integrate, href: clientOrApiUrl(holder, 'integrate') })}
${buttonLink({ text: secrets.live, href: clientOrApiUrl(holder, 'secrets'), kind: 'secondary' })}
</p>`;
}

/** The page for a new secret that was already shown. */
export function alreadyShownSecretView(
  holder: SecretHolder,
  { number, lastCharacters }: SecretRow,
  messages: Messages,
): Html {
  const { created: text, secrets } = textsOf(holder, messages);
  return html`${consoleNavigation(messages, holder, { below: 'secrets' })}
<h1>${secrets.number(number)}</h1>
<p class="lead">${text.gone}</p>
<p>${text.recognized} ${endingView(lastCharacters)}</p>
<p>${text.lost}</p>
<p class="actions">
${!('apiId' in holder) && buttonLink({ text: text.integrate, href: clientOrApiUrl(holder, 'integrate') })}
${buttonLink({ text: text.another, href: clientOrApiUrl(holder, 'secrets'), kind: 'secondary' })}
</p>`;
}

export function revokeSecretView(
  view: FormState & {
    holder: SecretHolder;
    secret: SecretRow;
    /** Whether all other secrets have an expiry date. */
    isLast: boolean;
  },
): Html {
  const { messages, csrf, holder, secret, isLast } = view;
  const { number, lastCharacters } = secret;
  const text = textsOf(holder, messages).secrets;
  return html`${consoleNavigation(messages, holder, { below: 'secrets' })}
${formStatus(view)}
<h1>${text.endTitle(number)}</h1>
<dl class="facts facts--framed">
<div><dt>${text.endsWith}</dt><dd>${endingView(lastCharacters)}</dd></div>
${datesOf(secret, messages)}
</dl>
<p>${text.endText}</p>
${isLast && html`<p class="warning">${text.endLast}</p>`}
${form({
  action: clientOrApiUrl(holder, `secrets/${number}/end`),
  csrf,
  body: html`${reauthenticationFields(view)}
<div class="actions">
${submitButton({ text: text.endAction, kind: 'danger' })}
${buttonLink({ text: messages.ownership.remove.cancel, href: clientOrApiUrl(holder, 'secrets'), kind: 'secondary' })}
</div>`,
})}`;
}
