// Owns the look of the pages on which a person lets a device in.

import type { Messages } from '../../i18n/index.ts';
import type { Person } from '../../oauth/claims.ts';
import type { Scope } from '../../oauth/scopes.ts';
import { accountView, decisionForm, partiesView } from '../../web/html/decision.ts';
import {
  attention,
  buttonLink,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { sharedDataView } from '../../web/html/shared-data.ts';
import { ago } from '../../web/html/time.ts';

/** The page to type the code on: what for, and into which account the device comes. */
export function deviceCodeView(
  view: FormState & { userCode: string; account: Person; switchAccountHref: string },
): Html {
  const { messages, errors } = view;
  const { device: text } = messages;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.lead}</p>
${accountView(view)}
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
})}
<p class="aside">${text.advice}</p>`;
}

export function deviceDecisionView(view: {
  messages: Messages;
  csrf: string;
  /** The code and whom the page was shown to, sealed. */
  device: string;
  userCode: string;
  application: {
    name: string;
    hosts: readonly string[];
    logo?: string | null | undefined;
    verified?: boolean | undefined;
  };
  account: Person;
  switchAccountHref: string;
  scopes: readonly Scope[];
  /** When and from which network the code was requested, and whether the user is on that network. */
  requested: { at: Date; from: string; sameNetwork: boolean };
}): Html {
  const { messages, application, account, requested } = view;
  const { consent, device: text } = messages;
  return html`<h1>${text.decideTitle(application.name)}</h1>
${attention(text.warning)}
<div class="incident device-code">
<p class="incident-label">${text.check}</p>
<p class="incident-code">${view.userCode}</p>
<p class="incident-label">${text.requested} ${ago(requested.at, messages)} ${(requested.sameNetwork ? text.fromSameNetwork : text.fromOtherNetwork)(requested.from)}</p>
</div>
${partiesView(view)}
<h2>${consent.shared}</h2>
${sharedDataView(messages, view.scopes, account)}
${decisionForm({ messages, action: '/device/decision', csrf: view.csrf, hidden: hiddenInput('device', view.device) })}`;
}

/** The end of it: what was decided, where to go on, and how to take it back. */
export function deviceEndView({ messages, allowed }: { messages: Messages; allowed: boolean }): Html {
  const { device: text } = messages;
  return html`<div class="${allowed ? 'inside' : 'stopped'}">
<h1>${allowed ? text.allowedTitle : text.deniedTitle}</h1>
</div>
<p class="lead">${allowed ? text.allowed : text.denied}</p>
<p>${allowed ? html`${text.takeBack} <a href="/account/applications">${text.takeBackLink}</a>.` : text.ignore}</p>
<p class="actions">
${buttonLink({ text: text.account, href: '/account' })}
${buttonLink({ text: text.another, href: '/device', kind: 'secondary' })}
</p>`;
}
