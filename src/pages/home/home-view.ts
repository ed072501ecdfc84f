// Owns the look of the landing page of visitors.

import type { Messages } from '../../i18n/index.ts';
import { buttonLink, notice } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

export type WelcomeView = {
  messages: Messages;
  serviceName: string;
  signInHref: string;
  signUpHref?: string | undefined;
  notice?: string | undefined;
};

export function welcomeView(view: WelcomeView): Html {
  const { messages } = view;
  return html`${notice(view.notice)}
<h1>${messages.home.welcomeTitle}</h1>
<p class="lead">${messages.home.welcome(view.serviceName)}</p>
<p class="actions">
${buttonLink({ text: messages.signIn.action, href: view.signInHref })}
${view.signUpHref && buttonLink({ text: messages.signIn.signUp, href: view.signUpHref, kind: 'secondary' })}
</p>`;
}
