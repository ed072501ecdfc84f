// Renders every page as HTML.
import { createHash } from 'node:crypto';
import type { FailureKind } from './failures.ts';
import { type Html, html } from './html.ts';
import { maxNoteLength, type Notebook } from './notebooks.ts';
import type { Profile, Tokens } from './service.ts';
import type { ClientSettings } from './settings.ts';
import { type Language, languageNames, type Texts, textsByLanguage } from './texts.ts';

export type Message = keyof Texts['messages'];

export interface View {
  settings: ClientSettings;
  language: Language;
  signedIn: boolean;
  messageKey?: string | undefined;
}

function renderMessage({ messageKey, language, settings }: View): Html | undefined {
  const { messages } = textsByLanguage[language];
  if (messageKey === undefined || !Object.hasOwn(messages, messageKey)) return undefined;
  const text = messages[messageKey as Message];
  return html`<p id="message" class="message" role="status">${typeof text === 'string' ? text : text(settings.serviceName)}</p>`;
}

function layout({ language, signedIn }: View, title: string, content: Html, stylesheet?: string): string {
  const { nav, footer } = textsByLanguage[language];
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
<p>${Object.entries(languageNames).map(([tag, name]) =>
    tag === language
      ? html`<strong lang="${tag}">${name}</strong> `
      : html`<a href="/?lang=${tag}" hreflang="${tag}" lang="${tag}">${name}</a> `,
  )}</p>
</footer>
</body>
</html>
`.source;
}

/** The button's text is always French. */
function signInButton(settings: ClientSettings): Html {
  return html`<a id="sign-in" class="service-signin-btn" href="${settings.baseUrl}/login"><img src="${settings.issuer}/images/logo.svg" alt="" width="22" height="22">Se connecter avec ${settings.serviceName}</a>`;
}

function formatDate(value: Date, language: Language): string {
  return value.toLocaleString(language === 'fr' ? 'fr' : 'en-GB', {
    dateStyle: 'long',
    timeStyle: 'medium',
    timeZone: 'UTC',
  });
}

export function welcomePage(view: View): string {
  const { settings, language } = view;
  const { welcome } = textsByLanguage[language];
  const requested = settings.scope.split(' ').flatMap((scope) => welcome.shared[scope] ?? []);
  const list = new Intl.ListFormat(language).format(requested);
  return layout(
    view,
    welcome.title,
    html`${renderMessage(view)}
<section class="welcome">
<h1>${welcome.heading}</h1>
<p class="lead">${welcome.lead(settings.serviceName)}</p>
<p lang="fr">${signInButton(settings)}</p>
${list ? html`<p class="aside">${welcome.requestedData(list)}</p>` : undefined}
</section>`,
    `${settings.issuer}/button.css`,
  );
}

export function notebookPage(view: View, notebook: Notebook): string {
  const { nav, notebook: texts } = textsByLanguage[view.language];
  const notes = notebook.notes.map(
    (note) =>
      html`<li><p>${note.text}</p><time datetime="${note.writtenAt.toISOString()}">${formatDate(note.writtenAt, view.language)} UTC</time></li>`,
  );
  return layout(
    view,
    nav.notes,
    html`${renderMessage(view)}
<h1>${texts.hello}${notebook.ownerName ? html` <span id="greeting">${notebook.ownerName}</span>` : undefined}</h1>
<form id="write" class="write" method="post" action="/notes">
<label for="note">${texts.label}</label>
<textarea id="note" name="text" rows="3" maxlength="${maxNoteLength}" required></textarea>
<button class="primary">${texts.write}</button>
</form>
${notes.length > 0 ? html`<ul id="notes" class="notes">${notes}</ul>` : html`<p class="aside">${texts.empty}</p>`}`,
  );
}

function computeFingerprint(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 12);
}

function renderRow(term: string, id: string, value: Html | string | undefined): Html | undefined {
  return value === undefined ? undefined : html`<div><dt>${term}</dt><dd id="${id}">${value}</dd></div>`;
}

export function profilePage(view: View, profile: Profile, tokens: Tokens): string {
  const { profile: texts } = textsByLanguage[view.language];
  const { avatar, updatedAt, emailVerified } = profile;
  const verified = emailVerified === undefined ? undefined : emailVerified ? texts.yes : texts.no;
  return layout(
    view,
    texts.title,
    html`${renderMessage(view)}
<h1>${avatar ? html`<img id="profile-avatar" class="avatar" src="${avatar}" alt="" width="64" height="64">` : undefined}${texts.heading}</h1>
<p>${texts.lead(view.settings.serviceName)}</p>
<dl class="facts">
${renderRow(texts.name, 'profile-name', profile.name)}
${renderRow(texts.email, 'profile-email', profile.email)}
${renderRow(texts.emailVerified, 'profile-email-verified', verified)}
${renderRow(texts.phone, 'profile-phone', profile.phone)}
${renderRow(texts.updatedAt, 'profile-updated-at', updatedAt === undefined ? undefined : formatTime(updatedAt, view.language))}
${renderRow(texts.sub, 'profile-sub', html`<code>${profile.sub}</code>`)}
</dl>
<h2>${texts.access}</h2>
<dl class="facts">
${renderRow(texts.scope, 'scope', html`<code>${tokens.scope}</code>`)}
${renderRow(texts.expires, 'access-token-expires', formatTime(tokens.expiresAt.toISOString(), view.language))}
${renderRow(texts.accessToken, 'access-token-fingerprint', html`<code>${computeFingerprint(tokens.accessToken)}</code>`)}
${renderRow(texts.refreshToken, 'refresh-token-fingerprint', tokens.refreshToken === undefined ? undefined : html`<code>${computeFingerprint(tokens.refreshToken)}</code>`)}
</dl>
<form id="renew" method="post" action="/renew"><button class="primary">${texts.renew}</button></form>`,
  );
}

/** Returns an invalid time unchanged. */
function formatTime(iso: string, language: Language): Html | string {
  const value = new Date(iso);
  return Number.isNaN(value.getTime())
    ? iso
    : html`<time datetime="${iso}">${formatDate(value, language)} UTC</time>`;
}

export function failurePage(view: View, kind: FailureKind): string {
  const { failures, retry, home } = textsByLanguage[view.language];
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

export function errorPage(
  view: View,
  kind: 'badUrl' | 'crossSite' | 'notFound' | 'badRequest' | 'internalError',
): string {
  const texts = textsByLanguage[view.language];
  const { title, text } = texts[kind];
  return layout(
    view,
    title,
    html`<h1>${title}</h1>
<p class="lead">${text}</p>
<p><a href="/">${texts.home}</a></p>`,
  );
}
