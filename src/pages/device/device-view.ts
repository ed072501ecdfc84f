// Views of the device authorization pages (RFC 8628).

import type { Messages } from '../../i18n/index.ts';
import type { ClaimsSubject } from '../../oauth/claims.ts';
import type { Scope } from '../../oauth/scopes.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { accountParty, decisionForm, partiesView } from '../../web/html/consent-decision.ts';
import { codeField, hiddenInput } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { attentionNotice } from '../../web/html/notices.ts';
import { sharedDataView } from '../../web/html/shared-data.ts';
import { timeAgo } from '../../web/html/time.ts';

export function userCodeView(
  view: FormState & { userCode: string; account: ClaimsSubject; switchAccountHref: string },
): Html {
  const { messages, errors } = view;
  const { device: text } = messages;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.lead}</p>
${accountParty(view)}
${form({
  action: '/device',
  csrf: view.csrf,
  body: html`${codeField('device', {
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
  /** Sealed token with the user code and the ID of the user to whom the page was shown. */
  device: string;
  userCode: string;
  application: {
    clientId: string;
    name: string;
    hosts: readonly string[];
    logo?: string | null | undefined;
    verified?: boolean | undefined;
  };
  account: ClaimsSubject;
  switchAccountHref: string;
  scopes: readonly Scope[];
  request: { at: Date; from: string; sameNetwork: boolean };
}): Html {
  const { messages, application, account, request: deviceRequest } = view;
  const { consent, device: text } = messages;
  return html`<h1>${text.decideTitle(application.name)}</h1>
${attentionNotice(text.warning)}
<div class="incident device-code">
<p class="incident-label">${text.check}</p>
<p class="incident-code">${view.userCode}</p>
<p class="incident-label">${text.requested} ${timeAgo(deviceRequest.at, messages)} ${(deviceRequest.sameNetwork ? text.fromSameNetwork : text.fromOtherNetwork)(deviceRequest.from)}</p>
</div>
${partiesView(view)}
<h2>${consent.shared}</h2>
${sharedDataView(messages, view.scopes, account)}
${decisionForm({ messages, action: '/device/decision', csrf: view.csrf, hidden: hiddenInput('device', view.device) })}`;
}

export function deviceDoneView({ messages, allowed }: { messages: Messages; allowed: boolean }): Html {
  const { device: text } = messages;
  return html`<div class="${allowed ? 'door-open' : 'door-closed'}">
<h1>${allowed ? text.allowedTitle : text.deniedTitle}</h1>
</div>
<p class="lead">${allowed ? text.allowed : text.denied}</p>
<p>${allowed ? html`${text.takeBack} <a href="/account/applications">${text.takeBackLink}</a>.` : text.ignore}</p>
<p class="actions">
${buttonLink({ text: text.account, href: '/account' })}
${buttonLink({ text: text.another, href: '/device', kind: 'secondary' })}
</p>`;
}
