// Owns the look of the landing page, for visitors and for people who are signed in.
import { buttonLink, form, hiddenInput, notice, submitButton } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import type { Messages } from '../../i18n/index.ts';
import type { Scope } from '../../oauth/scopes.ts';

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
  /** The applications that the person lets read something, latest first. */
  applications: readonly ConnectedApplication[];
  notice?: string | undefined;
};

export type ConnectedApplication = {
  clientId: string;
  name: string;
  /** Where its callbacks lead: names may be alike, hosts are not. */
  hosts: readonly string[];
  scopes: readonly Scope[];
  allowedOn: Date;
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
<h2>${text.applications}</h2>
${
  view.applications.length === 0
    ? html`<p class="quiet">${text.noApplication}</p>`
    : html`<ul class="connected">
${view.applications.map((application) => connected(application, view))}</ul>`
}
${form({ action: '/signout', csrf: view.csrf, body: submitButton({ text: messages.signOut.action, kind: 'secondary' }) })}`;
}

/** One application, and the button that ends its access. */
function connected(application: ConnectedApplication, { messages, csrf }: HomeView): Html {
  const text = messages.home;
  const { name, hosts, scopes, allowedOn } = application;
  return html`<li>
<div class="connected-who">
<h3><bdi>${name}</bdi></h3>
<p class="quiet host">${hosts.join(', ')}</p>
</div>
<dl class="facts">
<div><dt>${text.canRead}</dt><dd class="tags">${scopes.map((scope) => html`<span class="tag">${text.scopes[scope]}</span> `)}</dd></div>
<div><dt>${text.allowedOn}</dt><dd><time datetime="${allowedOn.toISOString()}">${messages.date(allowedOn)}</time></dd></div>
</dl>
${form({
  action: '/applications/withdraw',
  csrf,
  body: html`${hiddenInput('client_id', application.clientId)}${submitButton({ text: text.withdraw, kind: 'secondary', unseen: text.withdrawFrom(name) })}`,
})}
</li>
`;
}
