import type { Messages } from '../../i18n/index.ts';
import { identityId, type LinkedIdentity } from '../../store/external-identities.ts';
import type { MfaFactors, RememberedDevice } from '../../store/mfa-factors.ts';
import type { PendingMfaReset } from '../../store/mfa-resets.ts';
import type { Passkey } from '../../store/passkeys.ts';
import { countSignInMethods, MIN_SIGN_IN_METHODS } from '../../store/passwordless.ts';
import { accountLayout } from '../../web/html/account-layout.ts';
import { breakable } from '../../web/html/breakable.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { hiddenInput } from '../../web/html/fields.ts';
import { form } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { type IconName, icon } from '../../web/html/icons.ts';
import { providerMark } from '../../web/html/identity-providers.ts';
import { actionNotice, attentionNotice, notice } from '../../web/html/notices.ts';
import { pendingMfaResetView } from '../../web/html/pending-mfa-reset.ts';
import { type BrowserAndSystem, describeDevice } from '../../web/html/sign-in-text.ts';
import { tag } from '../../web/html/tag.ts';
import { day, timeAgo } from '../../web/html/time.ts';
import { NEW_PASSKEY_PATH } from '../../web/passkeys.ts';
import { ADD_IDENTITY_PATH } from './identities.ts';
import { SECURITY_URL } from './security-form-view.ts';

export interface SecurityView {
  messages: Messages;
  csrf: string;
  account: { email: string; emailVerified: boolean; hasPassword: boolean; passwordSetAt: Date | null };
  factors: MfaFactors;
  passkeys: readonly Passkey[];
  identities: readonly LinkedIdentity[];
  hasProviders: boolean;
  canAddPasskey: boolean;
  mustVerifyEmail: boolean;
  passwordUsedAt: Date | null;
  /** Whether sign-in may require an emailed code. False if there is no mail server. */
  mayRequireEmailCode: boolean;
  rememberedDevices: readonly (RememberedDevice & { device: BrowserAndSystem })[];
  reset: PendingMfaReset | undefined;
  notice?: string | undefined;
  attention?: string | undefined;
}

export function securityView(view: SecurityView): Html {
  const { messages, factors, passkeys, account } = view;
  const hasApp = factors.appEnabledAt !== null;
  return accountLayout(
    messages,
    'security',
    html`${notice(view.notice)}${attentionNotice(view.attention)}
<h1>${messages.account.navigation.security}</h1>
${isLockedOut(view) ? lockedOutNotice(view) : html`<p class="lead">${messages.account.security[summaryMessageKey(view)]}</p>`}
${view.mustVerifyEmail && verifyEmailFirstNotice(messages)}
${view.reset && pendingMfaResetView({ messages, csrf: view.csrf, reset: view.reset })}
<ul class="ways">
${passkeysRow(view)}
${passwordRow(view)}
${(view.hasProviders || view.identities.length > 0) && identitiesRow(view)}
${appRow(view)}
${(hasApp || passkeys.length > 0) && recoveryCodesRow(view)}
${account.hasPassword && view.mayRequireEmailCode && emailCodeRow(view)}
${hasApp && rememberedDevicesRow(view)}
</ul>
<p class="paging"><a class="touch-target" href="/account/activity">${messages.account.security.activity}</a></p>`,
  );
}

function verifyEmailFirstNotice({ account: { credentials } }: Messages): Html | undefined {
  const href = `/account/verify?next=${encodeURIComponent(SECURITY_URL)}`;
  return attentionNotice(
    html`${credentials.verifyFirst.note} <a href="${href}">${credentials.verifyFirst.action}</a>`,
  );
}

/** Whether disabled identity providers are the user's only sign-in methods. */
const isLockedOut = ({ account, passkeys, factors, identities }: SecurityView): boolean =>
  !account.hasPassword && countSignInMethods(passkeys, factors, identities) === 0;

function lockedOutNotice({ messages: { account }, canAddPasskey }: SecurityView): Html {
  const { lockedOut, passkeys, ownPassword } = account.security;
  return actionNotice(
    html`${lockedOut}`,
    canAddPasskey
      ? buttonLink({ text: passkeys.add, href: NEW_PASSKEY_PATH })
      : buttonLink({ text: ownPassword.add, href: `${SECURITY_URL}/password` }),
  );
}

function summaryMessageKey({ account, identities, factors, passkeys }: SecurityView) {
  const isLinked = identities.some(({ enabled }) => enabled);
  if (!account.hasPassword && passkeys.length === 0 && isLinked) return 'onlyLinked';
  if (passkeys.length === 0 && factors.appEnabledAt === null) return isLinked ? 'missingLinked' : 'missing';
  if (factors.recoveryCodes === 0) return 'codesMissing';
  if (passkeys.length > 0) return 'completeByPasskey';
  return isLinked ? 'completeLinked' : 'complete';
}

interface SecurityRow {
  icon: IconName;
  name: string;
  state: Html | string;
  actions?: Html | undefined;
  items?: readonly Html[];
}

const securityRow = ({ name, state, actions, items = [], ...row }: SecurityRow): Html =>
  html`<li class="way">
${icon(row.icon)}<h2>${name}</h2>
<p class="way-state">${state}</p>
${actions && html`<p class="way-actions">${actions}</p>`}
${
  items.length > 0 &&
  html`<ul class="way-items">
${items.map(
  (item) => html`<li>${item}</li>
`,
)}</ul>`
}
</li>`;

const actionLink = (text: string, href: string, hiddenText?: string): Html =>
  html`<a class="edit-link" href="${href}">${text}${hiddenText && html`<span class="visually-hidden"> ${hiddenText}</span>`}</a>`;

const lastUseText = (at: Date, messages: Messages): Html =>
  html`<span class="quiet">${messages.account.security.lastUsed} ${timeAgo(at, messages)}</span>`;

function passkeysRow({ messages, passkeys, canAddPasskey }: SecurityView): Html {
  const { passkeys: text, remove } = messages.account.security;
  return securityRow({
    icon: 'fingerprint',
    name: text.title,
    state:
      passkeys.length === 0
        ? html`<span class="quiet">${text.none}</span>`
        : tag(text.count(passkeys.length), 'good'),
    actions: canAddPasskey ? actionLink(text.add, NEW_PASSKEY_PATH) : undefined,
    items: passkeys.map(
      (passkey) => html`<h3><bdi>${passkey.name}</bdi></h3>
<p class="way-state">${describePasskey(passkey, messages)}</p>
<p class="way-actions">${actionLink(text.rename, `${SECURITY_URL}/passkeys/rename?passkey=${passkey.credentialId}`, passkey.name)}${actionLink(remove, `${SECURITY_URL}/passkeys/remove?passkey=${passkey.credentialId}`, passkey.name)}</p>`,
    ),
  });
}

export function describePasskey({ synced, createdAt, lastUsedAt }: Passkey, messages: Messages): Html {
  const { passkeys: text, neverUsed, lastUsed } = messages.account.security;
  return html`${synced ? text.synced : text.bound}<br><span class="quiet">${text.created} ${day(createdAt, messages)}, ${lastUsedAt === null ? neverUsed : html`${lastUsed.toLowerCase()} ${timeAgo(lastUsedAt, messages)}`}</span>`;
}

function passwordRow({ messages, account, passwordUsedAt, ...view }: SecurityView): Html {
  const text = messages.account.security;
  const row = { icon: 'lock-keyhole', name: messages.fields.password } as const;
  const href = `${SECURITY_URL}/password`;
  if (!account.hasPassword)
    return securityRow({
      ...row,
      state: html`<span class="quiet">${text.ownPassword[noPasswordMessageKey(view)]}</span>`,
      actions: actionLink(text.ownPassword.add, href),
    });
  const canRemove = countSignInMethods(view.passkeys, view.factors, view.identities) >= MIN_SIGN_IN_METHODS;
  const chosenAt = account.passwordSetAt;
  const chosen =
    chosenAt && html`<span class="quiet">${text.passwordChosen} ${day(chosenAt, messages)}</span>`;
  return securityRow({
    ...row,
    state: html`${tag(text.ownPassword.set, 'good')}${passwordUsedAt ? lastUseText(passwordUsedAt, messages) : chosen}`,
    actions: html`${actionLink(text.change, '/account/password', text.changePassword)}${canRemove && actionLink(text.remove, `${href}/remove`, text.changePassword)}`,
  });
}

function noPasswordMessageKey({ passkeys, identities }: Pick<SecurityView, 'passkeys' | 'identities'>) {
  if (passkeys.length > 0) return 'noneByPasskey';
  return identities.some(({ enabled }) => enabled) ? 'noneByIdentity' : 'none';
}

function identitiesRow({ messages, identities, hasProviders }: SecurityView): Html {
  const { linkedAccounts: text } = messages;
  const { lastUsed } = messages.account.security;
  return securityRow({
    icon: 'link',
    name: text.title,
    state:
      identities.length === 0
        ? html`<span class="quiet">${text.none}</span>`
        : tag(text.count(identities.length), identities.some(({ enabled }) => enabled) ? 'good' : undefined),
    actions: hasProviders ? actionLink(text.add, ADD_IDENTITY_PATH) : undefined,
    items: identities.map((identity) => {
      const { providerName, label, enabled, createdAt, lastUsedAt } = identity;
      const href = `${SECURITY_URL}/identities/remove?identity=${identityId(identity)}`;
      return html`<h3>${providerMark(providerName)} <bdi>${providerName}</bdi></h3>
<p class="way-state"><bdi>${label}</bdi><br><span class="quiet">${text.since} ${day(createdAt, messages)}, ${lastUsedAt === null ? text.neverUsed : html`${lastUsed.toLowerCase()} ${timeAgo(lastUsedAt, messages)}`}${!enabled && html`. ${text.disabled}`}</span></p>
<p class="way-actions">${actionLink(text.removeAction, href, `${providerName} ${label}`)}</p>`;
    }),
  });
}

function appRow({ messages, factors }: SecurityView): Html {
  const { app: text, remove } = messages.account.security;
  const row = { icon: 'smartphone', name: text.name } as const;
  if (factors.appEnabledAt === null)
    return securityRow({
      ...row,
      state: html`<span class="quiet">${text.none}</span>`,
      actions: actionLink(text.add, `${SECURITY_URL}/app`),
    });
  return securityRow({
    ...row,
    state: html`${tag(text.on, 'good')}${lastUseText(factors.appUsedAt ?? factors.appEnabledAt, messages)}`,
    actions: actionLink(remove, `${SECURITY_URL}/app/remove`, text.removeWhat),
  });
}

function recoveryCodesRow({ messages, factors }: SecurityView): Html {
  const { codes: text } = messages.account.security;
  const { recoveryCodes: left, recoveryCodesMadeAt: madeAt, recoveryCodeUsedAt: usedAt } = factors;
  const madeOn = madeAt && html`<span class="quiet">${text.madeOn} ${day(madeAt, messages)}</span>`;
  return securityRow({
    icon: 'life-buoy',
    name: text.name,
    state:
      madeAt === null
        ? html`<span class="quiet">${text.none}</span>`
        : html`${tag(text.left(left), left > 0 ? 'good' : undefined)}${usedAt ? lastUseText(usedAt, messages) : madeOn}`,
    actions: actionLink(left === 0 ? text.make : text.renew, `${SECURITY_URL}/codes/new`),
  });
}

function emailCodeRow({ messages, account: { email, emailVerified } }: SecurityView): Html {
  const { emailCode: text, change } = messages.account.security;
  return securityRow({
    icon: 'mail',
    name: text.name,
    state: html`${emailVerified ? tag(text.verified, 'good') : tag(text.notVerified)}<span class="host">${breakable(email)}</span><br><span class="quiet">${text.when}</span>`,
    actions: emailVerified
      ? actionLink(change, '/account/email', text.change)
      : actionLink(text.verify, '/account/verify', text.change),
  });
}

function rememberedDevicesRow({ messages, csrf, rememberedDevices: devices }: SecurityView): Html {
  const { browsers: text, remove } = messages.account.security;
  return securityRow({
    icon: 'monitor',
    name: text.title,
    state:
      devices.length === 0
        ? html`<span class="quiet">${text.none}</span>`
        : html`${tag(text.count(devices.length), 'good')}<span class="quiet">${text.lead}</span>`,
    items: devices.map(({ id, device, expiresAt }) => {
      const name = describeDevice(device, messages);
      const button = submitButton({ text: remove, kind: 'link', hiddenText: name });
      return html`<h3>${name}</h3>
<p class="way-state quiet">${text.until} ${day(expiresAt, messages)}</p>
${form({ action: `${SECURITY_URL}/browsers/end`, csrf, body: html`${hiddenInput('browser', id)}${button}` })}`;
    }),
  });
}
