// Owns the look of the pages that ask for the second factor: after the password, and of somebody who is signed in.

import type { Person } from '../../oauth/claims.ts';
import { accountView } from '../../web/html/decision.ts';
import { cancelForm } from '../../web/html/entrance.ts';
import {
  buttonLink,
  choiceField,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

export type SecondFactorView = FormState & {
  /** What was shown so far, sealed. */
  half: string;
  pending: string | undefined;
  next: string | undefined;
  trust: boolean;
  againHref: string;
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
  body: html`${hiddenInput('half', view.half)}${hiddenInput('next', view.next)}${codeField(view)}
${choiceField({
  name: 'trust',
  kind: 'checkbox',
  legend: text.browser,
  choices: [{ value: 'yes', label: text.trust, hint: text.trustHint, checked: view.trust }],
})}
${submitButton({ text: messages.signIn.action })}`,
})}
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
  /** The way on without, where it is only wished for. */
  withoutHref: string | undefined;
};

export function stepUpView(view: StepUpView): Html {
  const { messages, application, account, switchAccountHref, withoutHref } = view;
  const text = messages.signIn.secondFactor;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${application === undefined ? text.pageAsks : text.applicationAsks(application.name)}</p>
${account && accountView({ messages, account, switchAccountHref })}
${form({
  action: '/signin/step-up',
  csrf: view.csrf,
  pending: view.pending,
  body: html`${hiddenInput('next', view.next)}${codeField(view)}
${submitButton({ text: text.action })}`,
})}
${lostCode(view)}
${withoutHref !== undefined && html`<p class="actions">${buttonLink({ text: text.without, href: withoutHref, kind: 'secondary' })}</p>`}
${cancelForm(messages, view)}`;
}

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
