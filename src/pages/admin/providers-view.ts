// Views of identity providers: list, details and warnings.

import type { Messages } from '../../i18n/index.ts';
import { type IdentityProvider, MAX_PROVIDERS } from '../../oauth/identity-provider.ts';
import { SETTINGS_BY_PRESET } from '../../providers/settings-fields.ts';
import { breakable } from '../../web/html/breakable.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { copyableRow } from '../../web/html/code.ts';
import { form } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { MAX_PROVIDER_BUTTONS } from '../../web/html/identity-providers.ts';
import { notice } from '../../web/html/notices.ts';
import { recordsTable } from '../../web/html/records-table.ts';
import { tag } from '../../web/html/tag.ts';
import { dateTime, day } from '../../web/html/time.ts';
import { adminNavigation, detailRow, PROVIDERS_URL, providerUrl } from './layout.ts';
import type { ProviderDetail } from './provider-detail.ts';

interface ProviderListView {
  messages: Messages;
  /** Sorted as on the sign-in page. `signIns` counts the sign-ins of the last 30 days. */
  rows: readonly (IdentityProvider & { signIns: number })[];
  service: string;
  csrf: string;
  done: string | undefined;
}

export function providerListView({ messages, rows, service, csrf, done }: ProviderListView): Html {
  const { identityProviders: text, operations } = messages;
  const isAtLimit = rows.length >= MAX_PROVIDERS;
  return html`${adminNavigation(messages, 'providers')}
${notice(done)}
<div class="list-head">
<h1>${operations.providers}</h1>
${!isAtLimit && buttonLink({ text: text.add, href: `${PROVIDERS_URL}/new`, kind: rows.length === 0 ? 'primary' : 'secondary' })}
<p class="lead">${text.lead(service)}${rows.filter(({ disabledAt }) => disabledAt === null).length > MAX_PROVIDER_BUTTONS && ` ${text.folded}`}</p>
</div>
${isAtLimit && html`<p class="quiet">${text.full(MAX_PROVIDERS)}</p>`}
${
  rows.length === 0
    ? html`<p class="quiet">${text.empty}</p>`
    : recordsTable({
        caption: operations.providers,
        headings: [text.name, text.preset, text.signIns, text.state, text.order],
        rows: rows.map((provider, index) => [
          html`<a href="${providerUrl(provider.providerId)}"><bdi>${provider.name}</bdi></a>`,
          text.presets[provider.preset],
          operations.number(provider.signIns),
          providerStateTag(provider, messages),
          html`<span class="order">${index > 0 && moveButton(provider, 'up', csrf, messages)}${index < rows.length - 1 && moveButton(provider, 'down', csrf, messages)}</span>`,
        ]),
      })
}`;
}

const moveButton = (
  { providerId, name }: IdentityProvider,
  direction: 'up' | 'down',
  csrf: string,
  { identityProviders: text }: Messages,
): Html =>
  form({
    action: providerUrl(providerId, direction),
    csrf,
    body: submitButton({
      text: direction === 'up' ? text.moveUp : text.moveDown,
      kind: 'link',
      hiddenText: name,
    }),
  });

export const providerStateTag = (
  { disabledAt }: IdentityProvider,
  { identityProviders: text }: Messages,
): Html =>
  disabledAt === null ? tag(text.enabled, 'good', 'circle-check') : tag(text.disabled, 'stopped', 'ban');

export function providerView(provider: ProviderDetail, done: string | undefined, messages: Messages): Html {
  const text = messages.identityProviders;
  const { providerId, name } = provider;
  return html`${adminNavigation(messages, 'providers', { within: true })}
${notice(done === text.done.add ? html`${done} <a href="${providerUrl(providerId, 'test')}">${text.testNow}</a>` : done)}
<div class="list-head">
<h1><bdi>${name}</bdi></h1>
<p class="actions">${buttonLink({ text: text.test.action, href: providerUrl(providerId, 'test') })}
${buttonLink({ text: text.edit, href: providerUrl(providerId, 'edit'), kind: 'secondary' })}</p>
</div>
<dl class="facts facts--framed facts--roomy">
${providerDetails(provider, messages)}
</dl>
<section class="danger-zone" aria-labelledby="danger-zone">
<h2 id="danger-zone">${text.remove}</h2>
<p>${text.removeText(provider.links)}</p>
<p class="actions">${buttonLink({ text: text.remove, href: providerUrl(providerId, 'remove'), kind: 'danger' })}</p>
</section>`;
}

export function providerSummary(provider: ProviderDetail, messages: Messages): Html {
  const { identityProviders: text, operations } = messages;
  return html`<div><dt>${text.state}</dt><dd class="tags">${providerStateTag(provider, messages)}</dd></div>
<div><dt>${text.preset}</dt><dd>${text.presets[provider.preset]}</dd></div>
<div><dt>${text.links}</dt><dd id="link-count">${operations.number(provider.links)}</dd></div>
<div><dt>${text.fields.issuer}</dt><dd><code class="line">${breakable(provider.issuer)}</code></dd></div>`;
}

function providerDetails(provider: ProviderDetail, messages: Messages): Html {
  const { identityProviders: text, operations } = messages;
  const { fields } = text;
  const { preset, options, disabledAt, trustedEmailDomains: domains } = provider;
  const settings = SETTINGS_BY_PRESET[preset];
  const isApple = preset === 'apple';
  const stateLink =
    disabledAt === null
      ? html`<a class="edit-link edit-link--danger" href="${providerUrl(provider.providerId, 'disable')}">${text.disable}</a>`
      : html`<a class="edit-link" href="${providerUrl(provider.providerId, 'enable')}">${text.enable}</a>`;
  return html`${detailRow(text.state, providerStateTag(provider, messages), stateLink)}${disabledAt && html`<div><dt>${text.disabledSince}</dt><dd>${dateTime(disabledAt, messages)}</dd></div>`}
<div><dt>${text.preset}</dt><dd>${text.presets[preset]}</dd></div>
<div><dt>${text.links}</dt><dd id="link-count">${operations.number(provider.links)}</dd></div>
${copyableRow({ label: text.redirectUri, id: 'redirect-uri', text: provider.redirectUri, labels: messages.integrate })}
<div><dt>${fields.issuer}</dt><dd><code class="line">${breakable(provider.issuer)}</code></dd></div>
<div><dt>${fields.clientId}</dt><dd><code class="line">${breakable(provider.clientId)}</code></dd></div>
${settings.includes('tenants') && html`<div><dt>${fields.tenants}</dt><dd>${codeLines(options.tenants, text.allTenants)}</dd></div>`}
${options.personalAccounts && html`<div><dt>${fields.personalAccounts}</dt><dd>${operations.yes}</dd></div>`}
${options.tokenEndpointAuthMethod && html`<div><dt>${fields.tokenAuth}</dt><dd><code>${options.tokenEndpointAuthMethod}</code></dd></div>`}
${options.teamId && html`<div><dt>${fields.teamId}</dt><dd><code>${options.teamId}</code></dd></div>`}
${options.keyId && html`<div><dt>${fields.keyId}</dt><dd><code>${options.keyId}</code></dd></div>`}
<div><dt>${isApple ? text.privateKey : text.secretState}</dt><dd>${secretState(provider, messages)}</dd></div>
<div><dt>${fields.emailDomains}</dt><dd>${codeLines(domains, settings.includes('email_domains') ? text.noDomains : text.neverVerified)}</dd></div>
${settings.includes('mfa_acrs') && html`<div><dt>${fields.mfaAcrs}</dt><dd>${codeLines(Object.keys(options.acrs ?? {}), text.noAcrs)}</dd></div>`}
<div><dt>${text.added}</dt><dd>${day(provider.createdAt, messages)}</dd></div>`;
}

function secretState(
  { preset, isSecretReadable }: ProviderDetail,
  { identityProviders: text }: Messages,
): Html | string {
  const isApple = preset === 'apple';
  if (isSecretReadable) return isApple ? text.keyStored : text.secretStored;
  return tag(isApple ? text.keyUnreadable : text.secretUnreadable, 'stopped', 'triangle-alert');
}

const codeLines = (values: readonly string[] = [], none: string): Html =>
  values.length === 0
    ? html`<span class="quiet">${none}</span>`
    : html`${values.map((value) => html`<code class="line">${breakable(value)}</code> `)}`;

/** Warns about accounts that can't sign in without the provider. */
export const dependentAccountsWarning = (
  { dependentAccounts }: ProviderDetail,
  { identityProviders: text }: Messages,
): Html | false =>
  dependentAccounts > 0 && html`<p class="warning" id="dependent">${text.dependent(dependentAccounts)}</p>`;
