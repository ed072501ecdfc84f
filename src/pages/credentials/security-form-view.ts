// Layout of the forms that change credentials: fields, re-authentication, submit and cancel.
import { getRelyingParty } from '../../credentials/webauthn.ts';
import type { Services } from '../../http/services.ts';
import type { Rejection } from '../../web/form-errors.ts';
import { accountLayout } from '../../web/html/account-layout.ts';
import { type Button, buttonLink, submitButton } from '../../web/html/buttons.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { reauthenticationFields } from '../../web/html/reauthentication-fields.ts';
import { NEW_PASSKEY_PATH } from '../../web/passkeys.ts';

export const SECURITY_URL = '/account/security';

/**
 * Rejects the removal of a sign-in method that the account still needs. The error's link replaces the form.
 */
export async function neededMethodRejection(
  { config, identityProviders }: Pick<Services, 'config' | 'identityProviders'>,
  reason: 'tooFew' | 'lastWays',
): Promise<Rejection> {
  const hasProviders = (await identityProviders.listEnabled()).length > 0;
  return {
    status: 409,
    errors: [
      {
        text: ({ account }) => account.security.ownPassword[reason](hasProviders),
        link:
          getRelyingParty(config) === undefined
            ? { href: SECURITY_URL, text: ({ account }) => account.navigation.security }
            : { href: NEW_PASSKEY_PATH, text: ({ account }) => account.security.passkeys.add },
      },
    ],
  };
}

interface SecurityForm {
  title: string;
  lead?: string;
  /** Relative to `SECURITY_URL`. */
  path: string;
  fields?: Html | undefined;
  submit: Button;
  cancelHref?: string;
  /** Whether the page also links to the recovery codes if an error with a link replaces the form. */
  offersCodes?: boolean;
}

/**
 * An error with a link (`neededMethodRejection`) replaces the form. So does re-authentication at an identity provider.
 */
export function securityForm(
  view: FormState,
  { title, lead, path, fields, submit, cancelHref = SECURITY_URL, offersCodes = false }: SecurityForm,
): Html {
  const { messages, csrf } = view;
  const needed = view.errors.find(({ link }) => link !== undefined);
  const cancel = buttonLink({
    text: messages.account.security.cancel,
    href: cancelHref,
    kind: 'secondary',
  });
  return accountLayout(
    messages,
    'security',
    needed?.link !== undefined
      ? html`${formStatus({ ...view, errors: [{ text: needed.text }] })}
<h1>${messages.linkedAccounts.addFirstTitle}</h1>
<p class="actions">${buttonLink(needed.link)}${offersCodes && buttonLink({ text: messages.account.security.codes.renewAction, href: `${SECURITY_URL}/codes/new`, kind: 'secondary' })}${cancel}</p>`
      : html`${formStatus(view)}
<h1>${title}</h1>
${lead !== undefined && html`<p class="lead">${lead}</p>`}
${
  view.providers.length > 0
    ? html`${reauthenticationFields(view)}
<p class="actions">${cancel}</p>`
    : form({
        action: `${SECURITY_URL}/${path}`,
        csrf,
        body: html`${fields}${reauthenticationFields(view)}
<div class="actions">
${submitButton(submit)}
${cancel}
</div>`,
      })
}`,
    { within: true },
  );
}
