// Owns the markup of every page.
import { createHash } from 'node:crypto';
import type { FailureKind } from './failures.ts';
import { type Html, html } from './html.ts';
import { type Notebook, noteLength } from './notebooks.ts';
import type { Profile, Tokens } from './service.ts';
import type { ClientSettings } from './settings.ts';
import { type Language, languages, type Words, wordsIn } from './words.ts';

export type Message = keyof Words['messages'];

/** What every page needs beside what it is about. */
export interface View {
  settings: ClientSettings;
  language: Language;
  signedIn: boolean;
  /** The word in `?message=`, of which only ours are shown. */
  word?: string | undefined;
}

function message({ word, language, settings }: View): Html | undefined {
  const { messages } = wordsIn[language];
  if (word === undefined || !Object.hasOwn(messages, word)) return undefined;
  const said = messages[word as Message];
  return html`<p id="message" class="message" role="status">${typeof said === 'string' ? said : said(settings.serviceName)}</p>`;
}

/** `stylesheet` is one beside our own. */
function layout({ language, signedIn }: View, title: string, content: Html, stylesheet?: string): string {
  const { nav, footer } = wordsIn[language];
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Carnet</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/carnet.css">
${stylesheet && html`<link rel="stylesheet" href="${stylesheet}">`}
</head>
<body>
<header class="top">
<a class="brand" href="/">Carnet</a>
${
  signedIn
    ? html`<nav aria-label="${nav.label}"><a href="/">${nav.notes}</a> <a href="/profile">${nav.profile}</a></nav>
<form id="logout" method="post" action="/logout"><button class="quiet">${nav.signOut}</button></form>`
    : undefined
}
</header>
<main>
${content}
</main>
<footer>
<p>${footer}</p>
<p>${Object.entries(languages).map(([tag, name]) =>
    tag === language
      ? html`<strong lang="${tag}">${name}</strong> `
      : html`<a href="/?lang=${tag}" hreflang="${tag}" lang="${tag}">${name}</a> `,
  )}</p>
</footer>
</body>
</html>
`.source;
}

/** The button of contract §1, light variant; its words are French in every language. Its link leads to our own /login, where state, nonce and verifier are made. */
function signInButton(settings: ClientSettings): Html {
  return html`<a id="sign-in" class="service-signin-btn" href="${settings.baseUrl}/login"><img src="${settings.issuer}/images/logo.svg" alt="" width="22" height="22">Se connecter avec ${settings.serviceName}</a>`;
}

function date(value: Date, language: Language): string {
  return value.toLocaleString(language === 'fr' ? 'fr' : 'en-GB', {
    dateStyle: 'long',
    timeStyle: 'medium',
    timeZone: 'UTC',
  });
}

export function welcomePage(view: View): string {
  const { settings, language } = view;
  const { welcome } = wordsIn[language];
  const asked = settings.scope.split(' ').flatMap((scope) => welcome.shared[scope] ?? []);
  const list = new Intl.ListFormat(language).format(asked);
  return layout(
    view,
    welcome.title,
    html`${message(view)}
<section class="welcome">
<h1>${welcome.heading}</h1>
<p class="lead">${welcome.lead(settings.serviceName)}</p>
<p lang="fr">${signInButton(settings)}</p>
${list ? html`<p class="aside">${welcome.asks(list)}</p>` : undefined}
</section>`,
    `${settings.issuer}/button.css`,
  );
}

export function notebookPage(view: View, notebook: Notebook): string {
  const { nav, notebook: words } = wordsIn[view.language];
  const notes = notebook.notes.map(
    (note) =>
      html`<li><p>${note.text}</p><time datetime="${note.writtenAt.toISOString()}">${date(note.writtenAt, view.language)} UTC</time></li>`,
  );
  return layout(
    view,
    nav.notes,
    html`${message(view)}
<h1>${words.hello}${notebook.ownerName ? html` <span id="greeting">${notebook.ownerName}</span>` : undefined}</h1>
<form id="write" class="write" method="post" action="/notes">
<label for="note">${words.label}</label>
<textarea id="note" name="text" rows="3" maxlength="${noteLength}" required></textarea>
<button class="primary">${words.write}</button>
</form>
${notes.length > 0 ? html`<ul id="notes" class="notes">${notes}</ul>` : html`<p class="aside">${words.empty}</p>`}`,
  );
}

/** Tells two tokens apart without showing either. */
function fingerprint(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 12);
}

function row(term: string, id: string, value: Html | string | undefined): Html | undefined {
  return value === undefined ? undefined : html`<div><dt>${term}</dt><dd id="${id}">${value}</dd></div>`;
}

export function profilePage(view: View, profile: Profile, tokens: Tokens): string {
  const { profile: words } = wordsIn[view.language];
  const { avatar, updatedAt, emailVerified } = profile;
  // A boolean only where it was sent.
  const verified = emailVerified === undefined ? undefined : emailVerified ? words.yes : words.no;
  return layout(
    view,
    words.title,
    html`${message(view)}
<h1>${avatar ? html`<img id="profile-avatar" class="avatar" src="${avatar}" alt="" width="64" height="64">` : undefined}${words.heading}</h1>
<p>${words.lead(view.settings.serviceName)}</p>
<dl class="facts">
${row(words.name, 'profile-name', profile.name)}
${row(words.email, 'profile-email', profile.email)}
${row(words.emailVerified, 'profile-email-verified', verified)}
${row(words.phone, 'profile-phone', profile.phone)}
${row(words.updatedAt, 'profile-updated-at', updatedAt === undefined ? undefined : moment(updatedAt, view.language))}
${row(words.sub, 'profile-sub', html`<code>${profile.sub}</code>`)}
</dl>
<h2>${words.access}</h2>
<dl class="facts">
${row(words.scope, 'scope', html`<code>${tokens.scope}</code>`)}
${row(words.expires, 'access-token-expires', moment(tokens.expiresAt.toISOString(), view.language))}
${row(words.accessToken, 'access-token-fingerprint', html`<code>${fingerprint(tokens.accessToken)}</code>`)}
${row(words.refreshToken, 'refresh-token-fingerprint', tokens.refreshToken === undefined ? undefined : html`<code>${fingerprint(tokens.refreshToken)}</code>`)}
</dl>
<form id="renew" method="post" action="/renew"><button class="primary">${words.renew}</button></form>`,
  );
}

/** An ISO 8601 time in words; left as it is when it is none. */
function moment(iso: string, language: Language): Html | string {
  const value = new Date(iso);
  return Number.isNaN(value.getTime())
    ? iso
    : html`<time datetime="${iso}">${date(value, language)} UTC</time>`;
}

/** What went wrong with the sign-in service, and the way on: another try. */
export function failurePage(view: View, kind: FailureKind): string {
  const { failures, retry, home } = wordsIn[view.language];
  const { title, text } = failures[kind];
  return layout(
    view,
    title,
    html`<section id="failure" data-kind="${kind}">
<h1>${title}</h1>
<p class="lead">${text}</p>
<p><a id="retry" class="primary" href="${view.signedIn ? '/profile' : '/login'}">${retry}</a> <a href="/">${home}</a></p>
</section>`,
  );
}

/** Any other refusal or fault of this application itself. */
export function plainPage(
  view: View,
  what: 'badAddress' | 'fromElsewhere' | 'notFound' | 'notUnderstood' | 'fault',
): string {
  const words = wordsIn[view.language];
  const { title, text } = words[what];
  return layout(
    view,
    title,
    html`<h1>${title}</h1>
<p class="lead">${text}</p>
<p><a href="/">${words.home}</a></p>`,
  );
}
