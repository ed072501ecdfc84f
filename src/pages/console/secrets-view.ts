// Views of an application's or API's secrets.
import { isMachineClient } from '../../clients/kind.ts';
import type { Messages } from '../../i18n/index.ts';
import { OVERLAP_OPTIONS } from '../../ownership/secrets.ts';
import type { OwnedApi } from '../../store/owned-apis.ts';
import type { OwnedClient } from '../../store/owned-clients.ts';
import type { SecretRow } from '../../store/secrets.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { codeBlock, copyableRow } from '../../web/html/code.ts';
import { hiddenInput, selectField } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { notice } from '../../web/html/notices.ts';
import { reauthenticationFields } from '../../web/html/reauthentication-fields.ts';
import { tag } from '../../web/html/tag.ts';
import { dateTime, day, timeAgo } from '../../web/html/time.ts';
import { clientOrApiUrl, consoleNavigation, editLink, idOf } from './layout.ts';
import { formatEnvFile } from './snippets/env.ts';

export type SecretHolder = OwnedClient | OwnedApi;

const secretMessages = (holder: SecretHolder, { applications: { secrets, created }, apis }: Messages) =>
  'apiId' in holder
    ? { secrets: { ...secrets, ...apis.secrets }, created: { ...created, ...apis.created } }
    : { secrets, created };

export function secretsView(
  view: FormState & { holder: SecretHolder; secrets: readonly SecretRow[]; overlap: string },
): Html {
  const { messages, csrf, holder, secrets, overlap } = view;
  const text = secretMessages(holder, messages).secrets;
  return html`${consoleNavigation(messages, holder, 'secrets')}
${formStatus(view)}
<h1>${text.title(holder.name)}</h1>
<p class="lead">${text.lead}</p>
<h2>${text.live}</h2>
${
  secrets.length === 0
    ? 'apiId' in holder
      ? html`<div class="empty">
<p class="empty-title">${messages.apis.secrets.empty}</p>
<p>${text.none}</p>
</div>`
      : html`<p class="warning">${text.none}</p>`
    : html`<dl class="facts facts--framed">
${secrets.map((secret) => secretRow(secret, messages, holder))}</dl>`
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

const secretSuffixView = (ending: string): Html => html`<code class="secret-suffix">…${ending}</code>`;

const secretLabel = ({ number, lastCharacters }: SecretRow, messages: Messages): Html =>
  html`${messages.applications.secrets.number(number)} (${secretSuffixView(lastCharacters)})`;

const needsSecret = (holder: SecretHolder): boolean => 'clientId' in holder && holder.jwks === null;

const expiryTag = ({ expiresAt }: SecretRow, messages: Messages): Html | false =>
  expiresAt !== null &&
  html` ${tag(html`${messages.applications.detail.endsOn} ${dateTime(expiresAt, messages)}`, 'waiting')}`;

export function secretsRow(holder: SecretHolder, secrets: readonly SecretRow[], messages: Messages): Html {
  const { detail: text, list } = messages.applications;
  return html`<div><dt>${text.secrets}</dt><dd class="row">${
    secrets.length === 0
      ? html`<span>${needsSecret(holder) ? tag(list.noSecret, 'stopped') : text.noSecrets}</span>`
      : html`<ul class="lines">${secrets.map(
          (secret) =>
            html`<li>${secretLabel(secret, messages)}, ${secret.lastUsedAt === null ? text.neverUsed : html`${text.lastUsed} ${timeAgo(secret.lastUsedAt, messages)}`}${expiryTag(secret, messages)}</li>
`,
        )}</ul>`
  }${editLink(clientOrApiUrl(holder, 'secrets'), text.see, text.secrets)}</dd></div>
`;
}

const secretDates = ({ createdAt, lastUsedAt }: SecretRow, messages: Messages): Html => {
  const text = messages.applications.secrets;
  return html`<div><dt>${text.created}</dt><dd>${day(createdAt, messages)}</dd></div>
<div><dt>${text.used}</dt><dd>${lastUsedAt === null ? text.never : timeAgo(lastUsedAt, messages)}</dd></div>`;
};

function secretRow(secret: SecretRow, messages: Messages, holder: SecretHolder): Html {
  const { secrets: text, detail } = messages.applications;
  const { number, lastCharacters, createdAt, lastUsedAt, expiresAt } = secret;
  return html`<div><dt>${text.number(number)} ${secretSuffixView(lastCharacters)}</dt><dd class="row"><ul class="lines">
<li>${text.created} ${day(createdAt, messages)}, ${lastUsedAt === null ? detail.neverUsed : html`${detail.lastUsed} ${timeAgo(lastUsedAt, messages)}`}</li>
${expiresAt && html`<li>${expiryTag(secret, messages)}</li>`}
</ul><a class="edit-link edit-link--danger" href="${clientOrApiUrl(holder, `secrets/${number}/end`)}">${text.end}<span class="visually-hidden"> ${text.named(number)}</span></a></dd></div>
`;
}

export function newSecretView(
  holder: SecretHolder,
  { lastCharacters }: SecretRow,
  shown: string,
  issuer: string,
  messages: Messages,
  done: string | undefined,
): Html {
  const { created: text, secrets } = secretMessages(holder, messages);
  const integrateText = messages.integrate;
  const isApi = 'apiId' in holder;
  const isMachine = !isApi && isMachineClient(holder);
  const prefix = isApi ? 'api' : 'client';
  const env =
    !isApi &&
    formatEnvFile(
      { ...holder, clientSecret: shown, issuer, redirectUri: holder.redirectUris[0] ?? '' },
      { secret: integrateText.page.envSecret(lastCharacters ?? ''), random: integrateText.page.envRandom },
      isMachine ? ['CLIENT_SECRET', 'CLIENT_ID', 'ISSUER'] : undefined,
    );
  return html`${consoleNavigation(messages, holder, { below: 'secrets' })}
${notice(done)}
<h1>${text.title(holder.name)}</h1>
<p class="lead">${text.once}</p>
<dl class="facts facts--framed credentials">
${copyableRow({ label: text.identifier, id: `${prefix}-id`, text: idOf(holder), labels: integrateText })}
${copyableRow({ label: text.secret, id: `${prefix}-secret`, text: shown, labels: integrateText, once: true })}
</dl>
${env && codeBlock({ id: 'env', name: '.env', language: 'env', text: env, labels: integrateText, once: true })}
<p class="quiet">${text.keep}</p>
<p class="quiet">${text.recognized} ${secretSuffixView(lastCharacters)}</p>
<p class="actions">
${!isApi && nextStepView(holder, messages)}
${buttonLink({ text: secrets.live, href: clientOrApiUrl(holder, 'secrets'), kind: 'secondary' })}
</p>`;
}

const nextStepView = (application: OwnedClient, { applications: { created, tasks } }: Messages): Html =>
  isMachineClient(application)
    ? buttonLink({ text: tasks.requestAccess, href: clientOrApiUrl(application, 'apis') })
    : buttonLink({ text: created.integrate, href: clientOrApiUrl(application, 'integrate') });

export function alreadyShownSecretView(
  holder: SecretHolder,
  { number, lastCharacters }: SecretRow,
  messages: Messages,
): Html {
  const { created: text, secrets } = secretMessages(holder, messages);
  return html`${consoleNavigation(messages, holder, { below: 'secrets' })}
<h1>${secrets.number(number)}</h1>
<p class="lead">${text.gone}</p>
<p>${text.recognized} ${secretSuffixView(lastCharacters)}</p>
<p>${text.lost}</p>
<p class="actions">
${!('apiId' in holder) && nextStepView(holder, messages)}
${buttonLink({ text: text.another, href: clientOrApiUrl(holder, 'secrets'), kind: 'secondary' })}
</p>`;
}

export function revokeSecretView(
  view: FormState & {
    holder: SecretHolder;
    secret: SecretRow;
    /** Whether all other secrets have an expiry date. */
    allOthersExpire: boolean;
  },
): Html {
  const { messages, csrf, holder, secret, allOthersExpire } = view;
  const { number, lastCharacters } = secret;
  const text = secretMessages(holder, messages).secrets;
  return html`${consoleNavigation(messages, holder, { below: 'secrets' })}
${formStatus(view)}
<h1>${text.endTitle(number)}</h1>
<dl class="facts facts--framed">
<div><dt>${text.endsWith}</dt><dd>${secretSuffixView(lastCharacters)}</dd></div>
${secretDates(secret, messages)}
</dl>
<p>${text.endText}</p>
${allOthersExpire && html`<p class="warning">${text.endLast}</p>`}
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
