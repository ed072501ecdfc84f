// Owns the look of the pages on which a person lets a device in.

import type { Messages } from '../../i18n/index.ts';
import type { Person } from '../../oauth/claims.ts';
import type { Scope } from '../../oauth/scopes.ts';
import { decisionForm, partiesView } from '../../web/html/decision.ts';
import {
  type FormState,
  form,
  formStatus,
  hiddenInput,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { sharedDataView } from '../../web/html/shared-data.ts';

/** The page to type the code on. */
export function deviceCodeView(view: FormState & { userCode: string }): Html {
  const { messages, errors } = view;
  const { device: text } = messages;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.lead}</p>
${form({
  action: '/device',
  csrf: view.csrf,
  body: html`${textField({
    name: 'user_code',
    label: text.code,
    hint: text.codeHint,
    value: view.userCode,
    autocomplete: 'off',
    autofocus: errors.length === 0,
    errors,
  })}
${submitButton({ text: text.action })}`,
})}`;
}

/** The page to decide on. */
export function deviceDecisionView(view: {
  messages: Messages;
  csrf: string;
  /** The code and whom the page was shown to, sealed. */
  device: string;
  userCode: string;
  application: { name: string; hosts: readonly string[] };
  account: Person;
  scopes: readonly Scope[];
}): Html {
  const { messages, application, account } = view;
  const { consent, device: text } = messages;
  return html`<h1>${text.decideTitle(application.name)}</h1>
<p class="lead">${text.check(view.userCode)}</p>
${partiesView(view)}
<h2>${consent.shared}</h2>
${sharedDataView(messages, view.scopes, account)}
${decisionForm({ messages, action: '/device/decision', csrf: view.csrf, hidden: hiddenInput('device', view.device) })}`;
}
