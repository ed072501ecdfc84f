// Views of /account/security and its forms.
import { formatSecret } from '../../credentials/authenticator-app.ts';
import type { Messages } from '../../i18n/index.ts';
import type { ClaimsSubject } from '../../oauth/claims.ts';
import type { MfaFactors, RememberedDevice } from '../../store/mfa-factors.ts';
import type { PendingMfaReset } from '../../store/mfa-resets.ts';
import type { Passkey } from '../../store/passkeys.ts';
import type { SignIn } from '../../store/sign-in-history.ts';
import { accountLayout } from '../../web/html/account-layout.ts';
import { codeBlock, copyableFact } from '../../web/html/code.ts';
import { accountParty } from '../../web/html/consent-decision.ts';
import {
  attentionNotice,
  buttonLink,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  notice,
  reauthenticationFields,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { cancelOrAccountLink } from '../../web/html/login-elements.ts';
import { describeDevice, describeSignInMethod, type NamedDevice } from '../../web/html/sign-in-text.ts';
import { tag } from '../../web/html/tag.ts';
import { day, shortDateTime } from '../../web/html/time.ts';
import { pendingMfaResetView } from './cancel-mfa-reset.ts';
import { passkeyListView } from './passkeys.ts';
import { passwordRowView } from './password.ts';
import { SECURITY_URL, securityForm } from './security-form-view.ts';

export type SecurityView = {
  messages: Messages;
  csrf: string;
  factors: MfaFactors;
  passkeys: readonly Passkey[];
  canAddPasskey: boolean;
  /** Whether the email address must be verified before credentials can be added. */
  mustVerifyEmail: boolean;
  hasPassword: boolean;
  passwordSetAt: Date | null;
  rememberedDevices: readonly (RememberedDevice & { device: NamedDevice })[];
  /** An MFA reset that an administrator scheduled. */
  reset: PendingMfaReset | undefined;
  signIns: readonly SignIn[];
  notice?: string | undefined;
};

export function securityView(view: SecurityView): Html {
  const { messages, factors, passkeys, passwordSetAt, rememberedDevices: browsers } = view;
  const text = messages.account.security;
  const { appEnabledAt, recoveryCodes, recoveryCodesMadeAt } = factors;
  return accountLayout(
    messages,
    'security',
    html`${notice(view.notice)}
<h1>${messages.account.navigation.security}</h1>
<p class="lead">${text[summaryKey(view)]}</p>
${view.mustVerifyEmail && verifyFirst(messages)}
${view.reset && pendingMfaResetView({ messages, csrf: view.csrf, reset: view.reset })}
${passkeyListView(messages, passkeys, view.canAddPasskey)}
<h2>${text.others}</h2>
<dl class="facts facts--framed">
${passwordRowView({ hasPassword: view.hasPassword, chosenAt: passwordSetAt, canRemove: passkeys.length >= 2 || (passkeys.length === 1 && recoveryCodes > 0) }, messages)}
<div><dt>${text.app.name}</dt><dd class="row">${
      appEnabledAt === null
        ? html`<span class="quiet">${text.app.none}</span><a class="edit-link" href="${SECURITY_URL}/app">${text.app.add}</a>`
        : html`<span>${tag(text.app.on, 'good')} ${text.app.since} ${day(appEnabledAt, messages)}</span><a class="edit-link" href="${SECURITY_URL}/app/remove">${text.remove}<span class="visually-hidden"> ${text.app.removeWhat}</span></a>`
    }</dd></div>
${
  (appEnabledAt !== null || passkeys.length > 0) &&
  html`<div><dt>${text.codes.name}</dt><dd class="row">${recoveryCodesMadeAt === null ? html`<span class="quiet">${text.codes.none}</span>` : html`<span>${text.codes.left(recoveryCodes)}<br><span class="quiet">${text.codes.madeOn} ${day(recoveryCodesMadeAt, messages)}</span></span>`}<a class="edit-link" href="${SECURITY_URL}/codes/new">${recoveryCodes === 0 ? text.codes.make : text.codes.renew}</a></dd></div>
`
}</dl>
${
  appEnabledAt !== null &&
  html`<h2>${text.browsers.title}</h2>
${rememberedDevices(browsers, view)}`
}
${lastSignIns(view.signIns, messages)}`,
  );
}

function verifyFirst({ account: { credentials } }: Messages): Html | undefined {
  const href = `/account/verify?next=${encodeURIComponent(SECURITY_URL)}`;
  return attentionNotice(
    html`${credentials.verifyFirst.note} <a href="${href}">${credentials.verifyFirst.action}</a>`,
  );
}

/** Returns the message key of the summary, a sentence about the most important security gap. */
function summaryKey({ factors, passkeys }: SecurityView) {
  if (passkeys.length === 0 && factors.appEnabledAt === null) return 'missing';
  if (factors.recoveryCodes === 0) return 'codesMissing';
  return passkeys.length === 0 ? 'complete' : 'completeByPasskey';
}

function rememberedDevices(
  browsers: SecurityView['rememberedDevices'],
  { messages, csrf }: SecurityView,
): Html {
  const text = messages.account.security.browsers;
  if (browsers.length === 0) return html`<p class="quiet">${text.none}</p>`;
  return html`<p>${text.lead}</p>
<ul class="item-list">
${browsers.map(({ id, device, createdAt, expiresAt }) => {
  const name = describeDevice(device, messages);
  return html`<li>
<div class="item-title"><h3>${name}</h3></div>
<dl class="facts">
<div><dt>${text.since}</dt><dd>${day(createdAt, messages)}</dd></div>
<div><dt>${text.until}</dt><dd>${day(expiresAt, messages)}</dd></div>
</dl>
${form({
  action: `${SECURITY_URL}/browsers/end`,
  csrf,
  body: html`${hiddenInput('browser', id)}${submitButton({ text: messages.account.security.remove, kind: 'secondary', hiddenText: name })}`,
})}
</li>
`;
})}</ul>`;
}

type ReturnParameters = { pending: string | undefined; next: string | undefined };

export type AppView = FormState &
  ReturnParameters & {
    /** The `otpauth:` URL, and its QR code as rows of dark modules. */
    keyUri: string;
    qrModules: readonly (readonly boolean[])[];
    secret: string;
    sealedSecret: string;
    /** Set if the login flow requires MFA. `application` is undefined if a page of this service requires MFA. */
    login:
      | {
          application: { name: string; host: string } | undefined;
          account: ClaimsSubject;
          switchAccountHref: string;
          /** The link to create a passkey in place of an authenticator app. Undefined if passkeys are unavailable. */
          passkeyHref: string | undefined;
          cancelCsrf: string;
        }
      | undefined;
  };

export function appView(view: AppView): Html {
  const { messages, errors, login } = view;
  const text = messages.account.security.app;
  const name = login?.application?.name;
  const steps = html`${formStatus(view)}
<h1>${text.title}</h1>
${login && html`<p class="lead">${name === undefined ? text.pageDemands : text.applicationDemands(name)}</p>`}
${login && accountParty({ messages, ...login })}
<ol class="steps">
<li>${text.scan}
${qrCode(view.qrModules, text.picture)}
<p class="quiet">${text.onThisDevice} <a class="nowrap" href="${view.keyUri}">${text.open}</a></p>
<dl class="facts facts--framed">
${copyableFact({ label: text.key, id: 'key', text: formatSecret(view.secret), labels: messages.integrate })}
</dl></li>
<li>${text.confirm}
${form({
  action: `${SECURITY_URL}/app`,
  csrf: view.csrf,
  pending: view.pending,
  body: html`${hiddenInput('secret', view.sealedSecret)}${hiddenInput('next', view.next)}${textField({
    name: 'code',
    label: text.code,
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    errors,
  })}
${reauthenticationFields(view)}
${submitButton({ text: text.action })}`,
})}</li>
</ol>`;
  if (login === undefined) return accountLayout(messages, 'security', steps, { within: true });
  const { application, passkeyHref, cancelCsrf: csrf } = login;
  return html`${steps}
${passkeyHref !== undefined && html`<p class="aside"><a href="${passkeyHref}">${text.passkeyInstead}</a></p>`}
${cancelOrAccountLink({ ...view, csrf }, application)}`;
}

/** The QR code is black on white even in dark mode, because cameras need the contrast. */
function qrCode(squares: AppView['qrModules'], label: string): Html {
  const path = squares.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : [])));
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${squares.length} ${squares.length}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${squares.length}v${squares.length}H0z"/><path d="${path.join('')}"/></svg>`;
}

export interface CodesView {
  messages: Messages;
  /** Undefined if the codes have already been shown. */
  codes: readonly string[] | undefined;
  /** The content of the text file to download. */
  file: string;
  continueHref: string;
  /** True on the account pages, and false in the login flow. */
  inAccount: boolean;
}

export function codesView({ messages, codes, file, continueHref, inAccount }: CodesView): Html {
  const text = messages.account.security.codes;
  const page = html`<h1>${text.title}</h1>
${
  codes === undefined
    ? html`<p class="lead">${text.gone}</p>
<p class="actions">${buttonLink({ text: text.renewAction, href: `${SECURITY_URL}/codes/new`, kind: 'secondary' })}${buttonLink({ text: text.copied, href: continueHref })}</p>`
    : html`<p class="lead">${text.lead}</p>
${codeBlock({ id: 'codes', name: text.name, language: 'plain', text: codes.join('\n'), labels: messages.integrate, once: true })}
<p class="actions"><a class="button button--secondary" download="recovery-codes.txt" href="data:text/plain;charset=utf-8,${encodeURIComponent(file)}"><span>${text.download}</span></a><button class="button button--secondary" type="button" data-print hidden><span>${text.print}</span></button></p>
${attentionNotice(text.once)}
<p class="actions">${buttonLink({ text: text.copied, href: continueHref })}</p>`
}`;
  return inAccount ? accountLayout(messages, 'security', page, { within: true }) : page;
}

export function regenerateCodesView(view: FormState): Html {
  const text = view.messages.account.security.codes;
  return securityForm(view, {
    title: text.renewTitle,
    lead: text.renewText,
    path: 'codes/new',
    submit: { text: text.renewAction },
  });
}

export function removeAppView(view: FormState): Html {
  const text = view.messages.account.security.app;
  return securityForm(view, {
    title: text.removeTitle,
    lead: text.removeText,
    path: 'app/remove',
    submit: { text: text.removeAction, kind: 'danger' },
  });
}

function lastSignIns(signIns: readonly SignIn[], messages: Messages): Html | undefined {
  const text = messages.account.security.signIns;
  if (signIns.length === 0) return undefined;
  return html`<h2>${text.title}</h2>
<p>${text.lead}</p>
<dl class="facts facts--framed" id="sign-ins">
${signIns.map(
  ({
    at,
    way,
    ip,
    ...device
  }) => html`<div><dt>${shortDateTime(at, messages)}</dt><dd>${describeSignInMethod(way, messages)}<br><span class="quiet">${describeDevice(device, messages)}${ip !== null && html`, ${ip}`}</span></dd></div>
`,
)}</dl>`;
}
