// Owns the look of the page of a secret: the secret itself as long as it is new, then what it is recognised by.

import type { Messages } from '../../i18n/index.ts';
import { SHOWN_SECRET } from '../../oauth/lifetimes.ts';
import type { OwnApplication } from '../../store/applications.ts';
import type { OwnSecret } from '../../store/own-secrets.ts';
import { codeBlock, copiedFact } from '../../web/html/code.ts';
import { attention, buttonLink, type FormState, form, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { moment } from '../../web/html/time.ts';
import { applicationAddress, way } from './parts-view.ts';
import { endingView, namedSecret } from './secrets-view.ts';
import { envFile } from './snippets/env.ts';

type Shown = {
  application: OwnApplication;
  secret: OwnSecret;
  /** Undefined once nothing shows it any more. */
  clientSecret: string | undefined;
  /** The other secrets in force. */
  others: readonly OwnSecret[];
};

export type SecretView = FormState & Shown & { isFirst: boolean; issuer: string };

/** What the page is called, by what it still shows. */
export function secretTitle(
  { application: { name }, secret, clientSecret }: Shown,
  isFirst: boolean,
  { applications: { created, secrets } }: Messages,
): string {
  if (clientSecret === undefined) return secrets.number(secret.number);
  return isFirst ? created.title(name) : created.rotatedTitle(name);
}

export function secretView(view: SecretView): Html {
  const { messages, application, secret, clientSecret, isFirst } = view;
  return html`${way(messages, application, { below: 'secrets' })}
<h1>${secretTitle(view, isFirst, messages)}</h1>
${clientSecret === undefined ? gone(view) : shown(view, clientSecret, secret)}`;
}

function shown(view: SecretView, clientSecret: string, { number, createdAt, ending }: OwnSecret): Html {
  const { messages, csrf, application, others, issuer } = view;
  const text = messages.applications.created;
  const { clientId } = application;
  const words = messages.integrate;
  const [redirectUri = ''] = application.redirectUris;
  const env = envFile(
    { ...application, clientSecret, issuer, redirectUri },
    { secret: messages.integrate.page.envSecret(ending ?? ''), random: messages.integrate.page.envRandom },
  );
  const until = new Date(createdAt.getTime() + SHOWN_SECRET * 1000);
  return html`<p class="lead">${text.once}</p>
<dl class="facts facts--framed credentials">
${copiedFact({ label: text.identifier, id: 'client-id', text: clientId, words })}
${copiedFact({ label: text.secret, id: 'client-secret', text: clientSecret, words, once: true })}
</dl>
${codeBlock({ id: 'env', name: '.env', language: 'env', text: env, words, once: true })}
<p class="quiet">${text.copyHint} ${text.keep}</p>
${attention(html`${text.shownUntil} ${moment(until, messages)}. ${text.cost}`)}
${form({
  action: applicationAddress(clientId, `secrets/${number}`),
  csrf,
  body: submitButton({ text: text.copiedAction }),
})}
<p class="quiet">${text.recognised} ${endingView(ending)}</p>
${others.map(
  (other) => html`<p>${namedSecret(other, messages)} ${
    other.expiresAt === null
      ? text.otherStays
      : html`${text.otherUntil} ${moment(other.expiresAt, messages)}.`
  }</p>
`,
)}`;
}

function gone({ messages, application, secret, isFirst }: SecretView): Html {
  const text = messages.applications.created;
  const { clientId } = application;
  return html`<p class="lead">${text.gone}</p>
${secret.ending !== null && html`<p>${text.recognised} ${endingView(secret.ending)}</p>`}
<p>${text.lost}</p>
<p class="actions">
${isFirst && buttonLink({ text: text.integrate, href: applicationAddress(clientId, 'integrate') })}
${buttonLink({ text: text.secrets, href: applicationAddress(clientId, 'secrets'), kind: isFirst ? 'secondary' : 'primary' })}
</p>`;
}
