import type { Messages } from '../../i18n/index.ts';
import { accountLayout } from '../../web/html/account-layout.ts';
import { buttonLink } from '../../web/html/buttons.ts';
import { codeBlock } from '../../web/html/code.ts';
import type { FormState } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { attentionNotice } from '../../web/html/notices.ts';
import { SECURITY_URL, securityForm } from './security-form-view.ts';

export interface RecoveryCodesView {
  messages: Messages;
  /** Undefined if the codes have already been shown. */
  codes: readonly string[] | undefined;
  file: string;
  continueHref: string;
  /** If false, the codes are for lost passkeys. */
  hasApp: boolean;
  inAccount: boolean;
}

export function recoveryCodesView({
  messages,
  codes,
  file,
  continueHref,
  hasApp,
  inAccount,
}: RecoveryCodesView): Html {
  const text = messages.account.security.codes;
  const page = html`<h1>${text.title}</h1>
${
  codes === undefined
    ? html`<p class="lead">${text.gone}</p>
<p class="actions">${buttonLink({ text: text.renewAction, href: `${SECURITY_URL}/codes/new` })}${buttonLink({ text: text.copied, href: continueHref, kind: 'secondary' })}</p>`
    : html`<p class="lead">${hasApp ? text.lead : text.leadByPasskey}</p>
${codeBlock({ id: 'codes', name: text.name, language: 'plain', text: codes.join('\n'), labels: messages.integrate, once: true })}
<p class="actions"><a class="button button--secondary" download="recovery-codes.txt" href="data:text/plain;charset=utf-8,${encodeURIComponent(file)}"><span>${text.download}</span></a><button class="button button--secondary" type="button" data-print hidden><span>${text.print}</span></button></p>
${attentionNotice(text.once)}
<p class="actions">${buttonLink({ text: text.copied, href: continueHref })}</p>`
}`;
  return inAccount ? accountLayout(messages, 'security', page, { within: true }) : page;
}

export function regenerateRecoveryCodesView(view: FormState): Html {
  const text = view.messages.account.security.codes;
  return securityForm(view, {
    title: text.renewTitle,
    lead: text.renewText,
    path: 'codes/new',
    submit: { text: text.renewAction },
  });
}
