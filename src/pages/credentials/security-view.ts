// Views of /account/security and of its forms.
import { inGroups } from '../../credentials/authenticator-app.ts';
import type { Messages } from '../../i18n/index.ts';
import type { Person } from '../../oauth/claims.ts';
import type { Passkey } from '../../store/passkeys.ts';
import type { PendingReset } from '../../store/second-factor-resets.ts';
import type { Factors, TrustedBrowser } from '../../store/second-factors.ts';
import type { SignIn } from '../../store/sign-ins.ts';
import { accountFrame } from '../../web/html/account-frame.ts';
import { codeBlock, copiedFact } from '../../web/html/code.ts';
import { accountView } from '../../web/html/decision.ts';
import { wayBack } from '../../web/html/entrance.ts';
import {
  attention,
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  notice,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { deviceInWords, type NamedDevice, wayInWords } from '../../web/html/sign-in-words.ts';
import { tag } from '../../web/html/tag.ts';
import { briefMoment, day } from '../../web/html/time.ts';
import { passkeyList } from './passkeys.ts';
import { passwordRow } from './password.ts';
import { SECURITY, securityForm } from './security-form-view.ts';
import { pendingReset } from './stop-reset.ts';

export type SecurityView = {
  messages: Messages;
  csrf: string;
  factors: Factors;
  passkeys: readonly Passkey[];
  mayAdd: boolean;
  /** Whether the email address has to be verified before anything is added. */
  mustVerify: boolean;
  hasPassword: boolean;
  passwordChosenAt: Date | null;
  browsers: readonly (TrustedBrowser & { device: NamedDevice })[];
  /** When operators take the second factor away, unless somebody stops it. */
  reset: PendingReset | undefined;
  signIns: readonly SignIn[];
  notice?: string | undefined;
};

export function securityView(view: SecurityView): Html {
  const { messages, factors, passkeys, passwordChosenAt, browsers } = view;
  const text = messages.account.security;
  const { appSince, recoveryCodes, recoveryCodesMadeAt } = factors;
  return accountFrame(
    messages,
    'security',
    html`${notice(view.notice)}
<h1>${messages.account.parts.security}</h1>
<p class="lead">${text[standing(view)]}</p>
${view.mustVerify && verifyFirst(messages)}
${view.reset && pendingReset({ messages, csrf: view.csrf, reset: view.reset })}
${passkeyList(messages, passkeys, view.mayAdd)}
<h2>${text.others}</h2>
<dl class="facts facts--framed">
${passwordRow({ hasPassword: view.hasPassword, chosenAt: passwordChosenAt, mayGiveUp: passkeys.length >= 2 || (passkeys.length === 1 && recoveryCodes > 0) }, messages)}
<div><dt>${text.app.name}</dt><dd class="row">${
      appSince === null
        ? html`<span class="quiet">${text.app.none}</span><a class="change" href="${SECURITY}/app">${text.app.add}</a>`
        : html`<span>${tag(text.app.on, 'good')} ${text.app.since} ${day(appSince, messages)}</span><a class="change" href="${SECURITY}/app/remove">${text.remove}<span class="unseen"> ${text.app.removeWhat}</span></a>`
    }</dd></div>
${
  (appSince !== null || passkeys.length > 0) &&
  html`<div><dt>${text.codes.name}</dt><dd class="row">${recoveryCodesMadeAt === null ? html`<span class="quiet">${text.codes.none}</span>` : html`<span>${text.codes.left(recoveryCodes)}<br><span class="quiet">${text.codes.madeOn} ${day(recoveryCodesMadeAt, messages)}</span></span>`}<a class="change" href="${SECURITY}/codes/new">${recoveryCodes === 0 ? text.codes.make : text.codes.renew}</a></dd></div>
`
}</dl>
${
  appSince !== null &&
  html`<h2>${text.browsers.title}</h2>
${trustedBrowsers(browsers, view)}`
}
${lastSignIns(view.signIns, messages)}`,
  );
}

function verifyFirst({ account: { credentials } }: Messages): Html | undefined {
  const href = `/account/verify?next=${encodeURIComponent(SECURITY)}`;
  return attention(
    html`${credentials.verifyFirst.note} <a href="${href}">${credentials.verifyFirst.action}</a>`,
  );
}

/** What there is, and what is missing, in one sentence: the most important thing that is. */
function standing({ factors, passkeys }: SecurityView) {
  if (passkeys.length === 0 && factors.appSince === null) return 'missing';
  if (factors.recoveryCodes === 0) return 'codesMissing';
  return passkeys.length === 0 ? 'complete' : 'completeByPasskey';
}

function trustedBrowsers(browsers: SecurityView['browsers'], { messages, csrf }: SecurityView): Html {
  const text = messages.account.security.browsers;
  if (browsers.length === 0) return html`<p class="quiet">${text.none}</p>`;
  return html`<p>${text.lead}</p>
<ul class="connected">
${browsers.map(({ id, device, createdAt, expiresAt }) => {
  const name = deviceInWords(device, messages);
  return html`<li>
<div class="connected-who"><h3>${name}</h3></div>
<dl class="facts">
<div><dt>${text.since}</dt><dd>${day(createdAt, messages)}</dd></div>
<div><dt>${text.until}</dt><dd>${day(expiresAt, messages)}</dd></div>
</dl>
${form({
  action: `${SECURITY}/browsers/end`,
  csrf,
  body: html`${hiddenInput('browser', id)}${submitButton({ text: messages.account.security.remove, kind: 'secondary', unseen: name })}`,
})}
</li>
`;
})}</ul>`;
}

type OnTheWay = { pending: string | undefined; next: string | undefined };

export type AppView = FormState &
  OnTheWay & {
    /** What the app reads, and the dark squares of its picture. */
    address: string;
    squares: readonly (readonly boolean[])[];
    secret: string;
    sealedSecret: string;
    /** Where something demands it on the way: what (undefined for a page of ours), of whom, and the token of the way back. */
    entry:
      | {
          application: { name: string; host: string } | undefined;
          account: Person;
          switchAccountHref: string;
          /** Where a passkey is made in its place, where there can be any. */
          passkeyHref: string | undefined;
          cancelCsrf: string;
        }
      | undefined;
  };

export function appView(view: AppView): Html {
  const { messages, errors, entry } = view;
  const text = messages.account.security.app;
  const name = entry?.application?.name;
  const steps = html`${formStatus(view)}
<h1>${text.title}</h1>
${entry && html`<p class="lead">${name === undefined ? text.pageDemands : text.applicationDemands(name)}</p>`}
${entry && accountView({ messages, ...entry })}
<ol class="steps">
<li>${text.scan}
${qrCode(view.squares, text.picture)}
<p class="quiet">${text.onThisDevice} <a class="unbroken" href="${view.address}">${text.open}</a></p>
<dl class="facts facts--framed">
${copiedFact({ label: text.key, id: 'key', text: inGroups(view.secret), words: messages.integrate })}
</dl></li>
<li>${text.confirm}
${form({
  action: `${SECURITY}/app`,
  csrf: view.csrf,
  pending: view.pending,
  body: html`${hiddenInput('secret', view.sealedSecret)}${hiddenInput('next', view.next)}${textField({
    name: 'code',
    label: text.code,
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    errors,
  })}
${confirmationField(view)}
${submitButton({ text: text.action })}`,
})}</li>
</ol>`;
  if (entry === undefined) return accountFrame(messages, 'security', steps, { within: true });
  const { application, passkeyHref, cancelCsrf: csrf } = entry;
  return html`${steps}
${passkeyHref !== undefined && html`<p class="aside"><a href="${passkeyHref}">${text.passkeyInstead}</a></p>`}
${wayBack({ ...view, csrf }, application)}`;
}

/** Black on white whatever the page is: cameras know no other. */
function qrCode(squares: AppView['squares'], words: string): Html {
  const path = squares.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : [])));
  return html`<svg class="qr" role="img" aria-label="${words}" viewBox="0 0 ${squares.length} ${squares.length}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${squares.length}v${squares.length}H0z"/><path d="${path.join('')}"/></svg>`;
}

export interface CodesView {
  messages: Messages;
  /** Undefined once they were shown. */
  codes: readonly string[] | undefined;
  /** The same as a text file. */
  file: string;
  /** Where the page leads. */
  onward: string;
  /** Among the pages of the account, or in the login flow. */
  framed: boolean;
}

export function codesView({ messages, codes, file, onward, framed }: CodesView): Html {
  const text = messages.account.security.codes;
  const page = html`<h1>${text.title}</h1>
${
  codes === undefined
    ? html`<p class="lead">${text.gone}</p>
<p class="actions">${buttonLink({ text: text.renewAction, href: `${SECURITY}/codes/new`, kind: 'secondary' })}${buttonLink({ text: text.copied, href: onward })}</p>`
    : html`<p class="lead">${text.lead}</p>
${codeBlock({ id: 'codes', name: text.name, language: 'plain', text: codes.join('\n'), words: messages.integrate, once: true })}
<p class="actions"><a class="button button--secondary" download="recovery-codes.txt" href="data:text/plain;charset=utf-8,${encodeURIComponent(file)}"><span>${text.download}</span></a><button class="button button--secondary" type="button" data-print hidden><span>${text.print}</span></button></p>
${attention(text.once)}
<p class="actions">${buttonLink({ text: text.copied, href: onward })}</p>`
}`;
  return framed ? accountFrame(messages, 'security', page, { within: true }) : page;
}

export function renewCodesView(view: FormState): Html {
  const text = view.messages.account.security.codes;
  return securityForm(view, {
    title: text.renewTitle,
    lead: text.renewText,
    below: 'codes/new',
    does: { text: text.renewAction },
  });
}

export function removeAppView(view: FormState): Html {
  const text = view.messages.account.security.app;
  return securityForm(view, {
    title: text.removeTitle,
    lead: text.removeText,
    below: 'app/remove',
    does: { text: text.removeAction, kind: 'danger' },
  });
}

/** When, by what, with which browser and from where: a line each. */
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
    address,
    ...device
  }) => html`<div><dt>${briefMoment(at, messages)}</dt><dd>${wayInWords(way, messages)}<br><span class="quiet">${deviceInWords(device, messages)}${address !== null && html`, ${address}`}</span></dd></div>
`,
)}</dl>`;
}
