// Views of the pages that link and unlink identities.
import type { Messages } from '../../i18n/index.ts';
import { getIdentityLabel } from '../../oauth/identity-provider.ts';
import { identityId, type LinkedIdentity } from '../../store/external-identities.ts';
import type { OpenedIdentity } from '../../web/external-identity.ts';
import { accountLayout } from '../../web/html/account-layout.ts';
import { buttonLink } from '../../web/html/buttons.ts';
import { hiddenInput } from '../../web/html/fields.ts';
import { type FormState, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { identityCard, type ProviderLink, providerLinks } from '../../web/html/identity-providers.ts';
import { NEW_PASSKEY_PATH } from '../../web/passkeys.ts';
import { returnUrl } from '../../web/return-to.ts';
import { SECURITY_URL, securityForm } from './security-form-view.ts';

export function addIdentityView(messages: Messages, providers: readonly ProviderLink[]): Html {
  const text = messages.linkedAccounts;
  return accountLayout(
    messages,
    'security',
    html`<h1>${text.addTitle}</h1>
<p class="lead">${providers.length === 0 ? text.addNone : text.addText}</p>
${providerLinks(messages, providers, text.linkWith)}`,
    { within: true },
  );
}

export function linkIdentityView(
  view: FormState & OpenedIdentity & { user: { name: string; email: string } },
): Html {
  const { messages, provider, profile, user } = view;
  const text = messages.linkedAccounts;
  return securityForm(view, {
    title: text.linkTitle(provider.name),
    lead: text.linkText,
    path: 'identities/link',
    fields: html`${hiddenInput('identity', view.sealed)}<dl class="facts facts--framed">
<div><dt>${text.signUp.as(provider.name)}</dt><dd><bdi>${getIdentityLabel(profile)}</bdi></dd></div>
<div><dt>${text.account}</dt><dd><bdi>${user.name}</bdi><br><span class="host">${user.email}</span></dd></div>
</dl>`,
    submit: { text: text.linkAction },
    cancelHref: returnUrl(view.returnTo, SECURITY_URL),
  });
}

/** Doesn't reveal which account the identity is linked to. */
export function identityTakenView(messages: Messages, provider: string, switchAccountHref: string): Html {
  const text = messages.linkedAccounts;
  return accountLayout(
    messages,
    'security',
    html`<h1>${text.takenTitle}</h1>
<p class="lead">${text.taken(provider)}</p>
<p class="actions">${buttonLink({ text: messages.accounts.another, href: switchAccountHref })}${buttonLink({ text: messages.account.navigation.security, href: SECURITY_URL, kind: 'secondary' })}</p>`,
    { within: true },
  );
}

export function removeIdentityView(view: FormState, identity: LinkedIdentity): Html {
  const { messages } = view;
  const text = messages.linkedAccounts;
  return securityForm(view, {
    title: text.removeTitle(identity.providerName),
    lead: text.removeText,
    path: 'identities/remove',
    fields: html`${hiddenInput('identity', identityId(identity))}${identityCard(messages, identity.providerName, identity.label)}`,
    submit: { text: text.removeAction, kind: 'danger' },
  });
}

/** What the user must add before unlinking the identity. A password is always sufficient. */
export type UnlinkRequirement = keyof Messages['linkedAccounts']['addFirst'];

export function cannotUnlinkView(
  view: FormState,
  identity: LinkedIdentity,
  requirement: UnlinkRequirement,
): Html {
  const { messages } = view;
  const { linkedAccounts: text } = messages;
  const { ownPassword, passkeys, codes, cancel } = messages.account.security;
  return accountLayout(
    messages,
    'security',
    html`${formStatus(view)}
<h1>${text.addFirstTitle}</h1>
${view.errors.length === 0 && html`<p class="lead">${text.addFirst[requirement]}</p>`}
${identityCard(messages, identity.providerName, identity.label)}
<p class="actions">
${buttonLink({ text: ownPassword.add, href: `${SECURITY_URL}/password` })}
${requirement.startsWith('passkey') && buttonLink({ text: passkeys.add, href: NEW_PASSKEY_PATH, kind: 'secondary' })}
${requirement === 'codes' && buttonLink({ text: codes.renewAction, href: `${SECURITY_URL}/codes/new`, kind: 'secondary' })}
${buttonLink({ text: cancel, href: SECURITY_URL, kind: 'secondary' })}
</p>`,
    { within: true },
  );
}
