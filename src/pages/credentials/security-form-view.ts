// Layout of the forms that change credentials: fields, re-authentication, submit and cancel.
import type { Messages } from '../../i18n/index.ts';
import type { Rejection } from '../../web/form-errors.ts';
import { accountLayout } from '../../web/html/account-layout.ts';
import { type Button, buttonLink, submitButton } from '../../web/html/buttons.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { reauthenticationFields } from '../../web/html/reauthentication-fields.ts';

export const SECURITY_URL = '/account/security';

/** Returns the rejection for removing a sign-in method that the account still needs. Links to the security page. */
export const stillNeeded = (
  text: (messages: Messages['account']['security']['ownPassword']) => string,
): Rejection => ({
  status: 409,
  errors: [
    {
      text: ({ account }) => text(account.security.ownPassword),
      link: { href: SECURITY_URL, text: ({ account }) => account.navigation.security },
    },
  ],
});

interface SecurityForm {
  title: string;
  lead?: string;
  /** Path of the form's action, relative to `SECURITY_URL`. */
  path: string;
  fields?: Html | undefined;
  submit: Button;
  /** URL of the cancel button. Defaults to `SECURITY_URL`. */
  cancelHref?: string;
}

/** Hides the form if the user must first re-authenticate through an identity provider. */
export function securityForm(
  view: FormState,
  { title, lead, path, fields, submit, cancelHref = SECURITY_URL }: SecurityForm,
): Html {
  const { messages, csrf } = view;
  const cancel = buttonLink({
    text: messages.account.security.cancel,
    href: cancelHref,
    kind: 'secondary',
  });
  return accountLayout(
    messages,
    'security',
    html`${formStatus(view)}
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
