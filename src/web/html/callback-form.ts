// Owns the form that carries an answer to the application (OAuth 2.0 Form Post Response Mode §2).
import type { Messages } from '../../i18n/index.ts';
import { hiddenInput, submitButton } from './form.ts';
import { type Html, html } from './html.ts';

/** `action` is a registered callback URL. */
export function callbackFormView(view: {
  messages: Messages;
  action: string;
  parameters: Record<string, string>;
}): Html {
  const { title, text, action } = view.messages.callback;
  return html`<div class="inside"><h1>${title}</h1></div>
<p class="lead">${text}</p>
<form class="form" method="post" action="${view.action}" data-submit>
${Object.entries(view.parameters).map(([name, value]) => hiddenInput(name, value))}
${submitButton({ text: action })}
</form>`;
}
