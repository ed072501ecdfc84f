// Views of the forms that add and remove the authenticator app.
import { formatSecret } from '../../credentials/authenticator-app.ts';
import type { ClaimsSubject } from '../../oauth/claims.ts';
import { accountLayout } from '../../web/html/account-layout.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { copyableRow } from '../../web/html/code.ts';
import { accountParty } from '../../web/html/consent-decision.ts';
import { codeField, hiddenInput } from '../../web/html/fields.ts';
import { type FormState, form, formStatus, loginForm } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { icon } from '../../web/html/icons.ts';
import { cancelOrAccountLink } from '../../web/html/login-elements.ts';
import { createPasskeyButton } from '../../web/html/passkey.ts';
import { reauthenticationFields } from '../../web/html/reauthentication-fields.ts';
import { NEW_PASSKEY_PATH } from '../../web/passkeys.ts';
import { SECURITY_URL, securityForm } from './security-form-view.ts';

type ReturnParameters = { pending: string | undefined; next: string | undefined };

export type AuthenticatorAppView = FormState &
  ReturnParameters & {
    keyUri: string;
    /** Rows of the QR code for `keyUri`. Dark modules are true. */
    qrModules: readonly (readonly boolean[])[];
    secret: string;
    sealedSecret: string;
    /**
     * Set if the login flow requires MFA. `application` is undefined if a page of this service requires MFA.
     */
    login:
      | {
          application: { name: string; host: string } | undefined;
          account: ClaimsSubject;
          switchAccountHref: string;
          /** WebAuthn creation options. Undefined if passkeys are unavailable. */
          passkeyOptions: string | undefined;
          /** For users who must re-authenticate first. */
          passkeyHref: string;
          cancelCsrf: string;
        }
      | undefined;
  };

export function authenticatorAppView(view: AuthenticatorAppView): Html {
  const { messages, login } = view;
  const { app: text, addFactor } = messages.account.security;
  if (login === undefined) {
    const page = html`${formStatus(view)}
<h1>${text.title}</h1>
${appSetupFields(view)}`;
    return accountLayout(messages, 'security', page, { within: true });
  }
  const { application, passkeyOptions, cancelCsrf: csrf } = login;
  return html`${formStatus(view)}
<h1>${addFactor.title}</h1>
<p class="lead">${application === undefined ? addFactor.pageRequires : addFactor.applicationRequires(application.name)}</p>
${accountParty({ messages, ...login })}
${passkeyOptions !== undefined && passkeyOffer(view, passkeyOptions, login.passkeyHref)}
<section class="factor">
<h2>${icon('smartphone')} ${text.name}</h2>
${appSetupFields(view)}
</section>
${cancelOrAccountLink({ ...view, csrf }, application)}`;
}

/**
 * public/passkeys.js hides the offer in browsers without passkey support. A page can have only one password
 * field, so re-authentication needs a separate page.
 */
function passkeyOffer(view: AuthenticatorAppView, options: string, href: string): Html {
  const { messages } = view;
  const { passkeys, addFactor } = messages.account.security;
  return html`<section class="factor" data-passkey-offer>
<h2>${icon('fingerprint')} ${addFactor.passkey}</h2>
<p>${addFactor.passkeyText}</p>
${
  view.isRecent
    ? loginForm(view, NEW_PASSKEY_PATH, createPasskeyButton(messages, options, passkeys.add))
    : html`<p class="actions">${buttonLink({ text: passkeys.add, href })}</p>`
}
</section>`;
}

function appSetupFields(view: AuthenticatorAppView): Html | undefined {
  const { messages, errors } = view;
  const { app: text } = messages.account.security;
  // Re-authentication at an identity provider reloads the page with a new secret.
  if (view.providers.length > 0) return reauthenticationFields(view);
  return html`<p>${text.scan}</p>
<div class="scan">
${qrCode(view.qrModules, text.picture)}
${form({
  action: `${SECURITY_URL}/app`,
  csrf: view.csrf,
  pending: view.pending,
  body: html`${hiddenInput('secret', view.sealedSecret)}${hiddenInput('next', view.next)}${codeField('app', { label: text.code, errors })}
${reauthenticationFields(view)}
${submitButton({ text: text.action, kind: view.login?.passkeyOptions === undefined ? 'primary' : 'secondary' })}`,
})}
</div>
<p class="quiet">${text.onThisDevice} <a class="nowrap" href="${view.keyUri}">${text.open}</a></p>
<dl class="facts facts--framed">
${copyableRow({ label: text.key, id: 'key', text: formatSecret(view.secret), labels: messages.integrate })}
</dl>`;
}

/** Black on white in dark mode, too, because cameras need the contrast. */
function qrCode(squares: AuthenticatorAppView['qrModules'], label: string): Html {
  const rows = squares.map((row) => row.map((dark) => (dark ? '#' : ' ')).join(''));
  const path = rows.flatMap((row, y) =>
    [...row.matchAll(/#+/g)].map(({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`),
  );
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${squares.length} ${squares.length}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${squares.length}v${squares.length}H0z"/><path d="${path.join('')}"/></svg>`;
}

export function removeAuthenticatorAppView(view: FormState): Html {
  const text = view.messages.account.security.app;
  return securityForm(view, {
    title: text.removeTitle,
    lead: text.removeText,
    path: 'app/remove',
    submit: { text: text.removeAction, kind: 'danger' },
  });
}
