// Owns the look of the page that asks for the second factor.

import { cancelForm } from '../../web/html/entrance.ts';
import {
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
  const { messages, errors } = view;
  const text = messages.signIn.secondFactor;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text}</p>
${form({
  action: '/signin/second-factor',
  csrf: view.csrf,
  pending: view.pending,
  body: html`${hiddenInput('half', view.half)}${hiddenInput('next', view.next)}${textField({
    name: 'code',
    label: text.code,
    hint: text.codeHint,
    autocomplete: 'one-time-code',
    autofocus: errors.length === 0,
    errors,
  })}
${choiceField({
  name: 'trust',
  kind: 'checkbox',
  legend: text.browser,
  choices: [{ value: 'yes', label: text.trust, hint: text.trustHint, checked: view.trust }],
})}
${submitButton({ text: messages.signIn.action })}`,
})}
<details class="apart">
<summary>${text.lost}</summary>
<p>${text.lostText}</p>
</details>
<p class="aside"><a href="${view.againHref}">${text.again}</a></p>
${cancelForm(messages, view)}`;
}
