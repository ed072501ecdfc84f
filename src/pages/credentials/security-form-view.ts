// Owns the look of a page that changes one of the ways into an account: its fields, a fresh proof, the button and the way back.
import { accountFrame } from '../../web/html/account-frame.ts';
import {
  type Button,
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

export const SECURITY = '/account/security';

interface SecurityForm {
  title: string;
  lead?: string;
  /** Where the form is sent, below `SECURITY`. */
  below: string;
  fields?: Html | undefined;
  does: Button;
}

export function securityForm(view: FormState, { title, lead, below, fields, does }: SecurityForm): Html {
  const { messages, csrf } = view;
  return accountFrame(
    messages,
    'security',
    html`${formStatus(view)}
<h1>${title}</h1>
${lead !== undefined && html`<p class="lead">${lead}</p>`}
${form({
  action: `${SECURITY}/${below}`,
  csrf,
  body: html`${fields}${confirmationField(view)}
<div class="actions">
${submitButton(does)}
${buttonLink({ text: messages.account.security.cancel, href: SECURITY, kind: 'secondary' })}
</div>`,
})}`,
    { within: true },
  );
}
