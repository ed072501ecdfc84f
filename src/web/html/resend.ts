// A form that sends an email again, below advice on where to look for the email.
import type { Messages } from '../../i18n/index.ts';
import { form } from './form.ts';
import { type Html, html } from './html.ts';

/** @param secondsLeft how long public/retry.js disables the button */
export function resendForm(options: {
  messages: Messages;
  action: string;
  csrf: string;
  pending?: string | undefined;
  fields?: Html | undefined;
  secondsLeft: number;
}): Html {
  const { fields, secondsLeft } = options;
  const text = options.messages.account.credentials;
  const countdown = html` data-retry-after="${secondsLeft}" data-text="${text.resend}" data-wait="${text.resendIn}"`;
  return html`<p class="aside">${text.nothingReceived}</p>
${form({
  ...options,
  body: html`${fields}<button class="button button--link" type="submit"${secondsLeft > 0 && countdown}><span>${text.resend}</span></button>`,
})}`;
}
