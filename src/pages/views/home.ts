// Owns the look of the landing page, for visitors and for people who are signed in.
import { buttonLink, form, notice, submitButton } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import type { Messages } from '../../i18n/index.ts';

export type WelcomeView = {
  messages: Messages;
  serviceName: string;
  signInHref: string;
  /** Absent when sign-up is closed. */
  signUpHref?: string | undefined;
  notice?: string | undefined;
};

/** The landing page of someone who is not signed in. */
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

export type HomeView = {
  messages: Messages;
  serviceName: string;
  csrf: string;
  account: {
    name: string;
    email: string;
    emailVerified: boolean;
    avatar: string;
    phone?: string | undefined;
    createdAt: Date;
  };
  notice?: string | undefined;
};

/** The landing page of someone who is signed in: what the account is for and what it holds. */
export function homeView(view: HomeView): Html {
  const { messages, account } = view;
  const text = messages.home;
  const state = account.emailVerified ? text.emailVerified : text.emailNotVerified;
  return html`${notice(view.notice)}
<div class="inside">
<img class="avatar avatar--large" src="${account.avatar}" alt="" width="72" height="72">
<h1>${text.greeting(account.name)}</h1>
</div>
<p class="lead">${text.purpose(view.serviceName)}</p>
<h2>${text.facts}</h2>
<dl class="facts facts--framed">
<div><dt>${text.name}</dt><dd><bdi>${account.name}</bdi></dd></div>
<div><dt>${text.email}</dt><dd>${account.email} <span class="tag">${state}</span></dd></div>
${account.phone && html`<div><dt>${text.phone}</dt><dd>${account.phone}</dd></div>`}
<div><dt>${text.memberSince}</dt><dd><time datetime="${account.createdAt.toISOString()}">${messages.date(account.createdAt)}</time></dd></div>
</dl>
${form({ action: '/signout', csrf: view.csrf, body: submitButton({ text: messages.signOut.action, kind: 'secondary' }) })}`;
}
