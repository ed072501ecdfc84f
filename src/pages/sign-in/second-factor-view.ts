// Owns the look of the pages that ask for the second factor: after the password, and of somebody who is signed in.

import type { Person } from '../../oauth/claims.ts';
import { accountView } from '../../web/html/decision.ts';
import { cancelForm, wayBack } from '../../web/html/entrance.ts';
import {
  buttonLink,
  choiceField,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  needsScript,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { ableToHoldPasskeys, passkeyButton, passkeyMissing } from '../../web/html/passkey.ts';

export type SecondFactorView = FormState & {
  half: string;
  pending: string | undefined;
  next: string | undefined;
  trust: boolean;
  againHref: string;
  passkey: string | undefined;
  /** Whether one may be offered afterwards, where it has none. */
  mayBeOffered: boolean;
};

export function secondFactorView(view: SecondFactorView): Html {
  const { messages } = view;
  const text = messages.signIn.secondFactor;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text}</p>
${form({
  action: '/signin/second-factor',
  csrf: view.csrf,
  pending: view.pending,
  body: html`${hiddenInput('half', view.half)}${hiddenInput('next', view.next)}${view.mayBeOffered && ableToHoldPasskeys}${codeField(view)}
${choiceField({
  name: 'trust',
  kind: 'checkbox',
  legend: text.browser,
  choices: [{ value: 'yes', label: text.trust, hint: text.trustHint, checked: view.trust }],
})}
${submitButton({ text: messages.signIn.action })}`,
})}
${byPasskey(view, '/signin/second-factor', hiddenInput('half', view.half))}
${passkeyMissing(messages, view.passkey)}
${lostCode(view)}
<p class="aside"><a href="${view.againHref}">${text.again}</a></p>
${cancelForm(messages, view)}`;
}

export type StepUpView = FormState & {
  pending: string | undefined;
  next: string | undefined;
  /** What asks for it; undefined for a page of our own. */
  application: { name: string; host: string } | undefined;
  account: Person | undefined;
  switchAccountHref: string;
  withoutHref: string | undefined;
  passkey: string | undefined;
  /** Where another one is made, for whoever may have lost theirs. */
  newPasskeyHref: string | undefined;
  /** Which code would do: of the app, one of the recovery codes where passkeys are all that the account has, or none. */
  code: 'app' | 'recovery' | undefined;
};

export function stepUpView(view: StepUpView): Html {
  const { messages, application, account, switchAccountHref, withoutHref, code } = view;
  const hasApp = code === 'app';
  const { secondFactor: text } = messages.signIn;
  const asks = hasApp ? text : text.byPasskey;
  const byCode = form({
    action: '/signin/step-up',
    csrf: view.csrf,
    pending: view.pending,
    body: html`${hiddenInput('next', view.next)}${hasApp ? codeField(view) : recoveryCodeField(view)}
${submitButton({ text: text.action, kind: hasApp ? 'primary' : 'secondary' })}`,
  });
  return html`${formStatus(view)}
<h1>${asks.title}</h1>
<p class="lead">${application === undefined ? asks.pageAsks : asks.applicationAsks(application.name)}</p>
${account && accountView({ messages, account, switchAccountHref })}
${hasApp && byCode}
${byPasskey(view, '/signin/step-up')}
${code !== undefined && passkeyMissing(messages, view.passkey)}
${hasApp && lostCode(view)}
${
  code === 'recovery' &&
  html`<details class="apart"${view.errors.length > 0 && html` open`}>
<summary>${text.byPasskey.lost}</summary>
${byCode}
</details>`
}
${view.newPasskeyHref !== undefined && html`<p class="aside">${text.byPasskey.lost} <a href="${view.newPasskeyHref}">${text.byPasskey.make}</a></p>`}
${code === undefined && needsScript(messages.passkeys.useNeedsScript)}
${withoutHref !== undefined && html`<p class="actions">${buttonLink({ text: hasApp ? text.without : text.byPasskey.without, href: withoutHref, kind: 'secondary' })}</p>`}
${wayBack(messages, view)}`;
}

/** The button for a passkey in place of the code, on the same page. */
function byPasskey(
  view: FormState & Pick<StepUpView, 'pending' | 'next' | 'passkey'> & { code?: StepUpView['code'] },
  action: string,
  more?: Html,
): Html | undefined {
  if (view.passkey === undefined) return undefined;
  return form({
    action,
    csrf: view.csrf,
    pending: view.pending,
    body: html`${more}${hiddenInput('next', view.next)}${passkeyButton(view.messages, {
      name: 'passkey',
      options: view.passkey,
      text: view.messages.passkeys.use,
      kind: 'code' in view && view.code !== 'app' ? 'primary' : 'secondary',
    })}`,
  });
}

const recoveryCodeField = ({ messages: { fields }, errors }: FormState): Html =>
  textField({ name: 'code', label: fields.recoveryCode, autocomplete: 'one-time-code', errors });

const codeField = ({ messages: { signIn }, errors }: FormState): Html =>
  textField({
    name: 'code',
    label: signIn.secondFactor.code,
    hint: signIn.secondFactor.codeHint,
    autocomplete: 'one-time-code',
    autofocus: errors.length === 0,
    errors,
  });

const lostCode = ({ messages: { signIn } }: FormState): Html => html`<details class="apart">
<summary>${signIn.secondFactor.lost}</summary>
<p>${signIn.secondFactor.lostText}</p>
</details>`;
