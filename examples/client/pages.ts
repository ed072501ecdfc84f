// Owns the words and markup of every page.
import { createHash } from 'node:crypto';
import type { SignInFailure } from './failures.ts';
import { type Html, html } from './html.ts';
import { type Notebook, noteLength } from './notebooks.ts';
import type { Profile, Tokens } from './service.ts';
import type { ClientSettings } from './settings.ts';

/** Sentences that a redirect may ask the next page to show, by the word in `?message=`. */
const messages = {
  'connexion-requise': () => 'Connectez-vous pour voir cette page.',
  renouvele: () => 'L’accès a été renouvelé.',
  deconnecte: () => 'Vous avez quitté Carnet. À bientôt !',
  'revocation-impossible': (service: string) =>
    `Vous avez quitté Carnet, mais ${service} n’a pas pu être prévenu : l’accès s’éteindra de lui-même.`,
  'acces-termine': (service: string) =>
    `${service} a mis fin à l’accès de Carnet. Connectez-vous de nouveau.`,
};

export type Message = keyof typeof messages;

/** What each scope shares (contract §2.4). */
const shared: Record<string, string[]> = {
  profile: ['votre nom', 'votre image'],
  email: ['votre adresse e-mail'],
  phone: ['votre numéro de téléphone'],
};

function message(word: string | undefined, settings: ClientSettings): Html | undefined {
  if (word === undefined || !Object.hasOwn(messages, word)) return undefined;
  return html`<p id="message" class="message" role="status">${messages[word as Message](settings.serviceName)}</p>`;
}

/** `stylesheet` is one beside our own. */
function layout(title: string, signedIn: boolean, content: Html, stylesheet?: string): string {
  return html`<!doctype html>
<html lang="fr">
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
    ? html`<nav aria-label="Principale"><a href="/">Notes</a> <a href="/profile">Profil</a></nav>
<form id="logout" method="post" action="/logout"><button class="quiet">Se déconnecter</button></form>`
    : undefined
}
</header>
<main>
${content}
</main>
<footer>Carnet est une application d’exemple ; ses notes disparaissent avec son processus.</footer>
</body>
</html>
`.source;
}

/** The button of contract §1, light variant. Its link leads to our own /login, where state, nonce and verifier are made. */
function signInButton(settings: ClientSettings): Html {
  return html`<a id="sign-in" class="service-signin-btn" href="${settings.baseUrl}/login"><img src="${settings.issuer}/images/logo.svg" alt="" width="22" height="22">Se connecter avec ${settings.serviceName}</a>`;
}

function date(value: Date): string {
  return value.toLocaleString('fr', { dateStyle: 'long', timeStyle: 'medium', timeZone: 'UTC' });
}

export function welcomePage(settings: ClientSettings, word: string | undefined): string {
  const asked = settings.scope.split(' ').flatMap((scope) => shared[scope] ?? []);
  const list = new Intl.ListFormat('fr').format(asked);
  return layout(
    'Bienvenue',
    false,
    html`${message(word, settings)}
<section class="welcome">
<h1>Une page blanche, rien que pour vous.</h1>
<p class="lead">Carnet garde vos petites notes au même endroit. Pas de mot de passe à inventer : votre compte ${settings.serviceName} suffit.</p>
<p>${signInButton(settings)}</p>
${list ? html`<p class="aside">Carnet demandera ${list}, rien de plus.</p>` : undefined}
</section>`,
    `${settings.issuer}/button.css`,
  );
}

export function notebookPage(settings: ClientSettings, word: string | undefined, notebook: Notebook): string {
  const notes = notebook.notes.map(
    (note) =>
      html`<li><p>${note.text}</p><time datetime="${note.writtenAt.toISOString()}">${date(note.writtenAt)} UTC</time></li>`,
  );
  return layout(
    'Notes',
    true,
    html`${message(word, settings)}
<h1>Bonjour${notebook.ownerName ? html` <span id="greeting">${notebook.ownerName}</span>` : undefined}</h1>
<form id="write" class="write" method="post" action="/notes">
<label for="note">Une nouvelle note</label>
<textarea id="note" name="text" rows="3" maxlength="${noteLength}" required></textarea>
<button class="primary">Noter</button>
</form>
${notes.length > 0 ? html`<ul id="notes" class="notes">${notes}</ul>` : html`<p class="aside">Votre carnet est encore vide.</p>`}`,
  );
}

/** Tells two tokens apart without showing either. */
function fingerprint(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 12);
}

function row(term: string, id: string, value: Html | string | undefined): Html | undefined {
  return value === undefined ? undefined : html`<div><dt>${term}</dt><dd id="${id}">${value}</dd></div>`;
}

/** A boolean only where it was sent. */
function yesOrNo(value: boolean | undefined): string | undefined {
  return value === undefined ? undefined : value ? 'oui' : 'non';
}

export function profilePage(
  settings: ClientSettings,
  word: string | undefined,
  profile: Profile,
  tokens: Tokens,
): string {
  const { avatar, updatedAt, emailVerified } = profile;
  return layout(
    'Profil',
    true,
    html`${message(word, settings)}
<h1>${avatar ? html`<img id="profile-avatar" class="avatar" src="${avatar}" alt="" width="64" height="64">` : undefined}Votre profil</h1>
<p>Voici ce que ${settings.serviceName} partage avec Carnet.</p>
<dl class="facts">
${row('Nom', 'profile-name', profile.name)}
${row('Adresse e-mail', 'profile-email', profile.email)}
${row('Adresse vérifiée', 'profile-email-verified', yesOrNo(emailVerified))}
${row('Téléphone', 'profile-phone', profile.phone)}
${row('Profil modifié', 'profile-updated-at', updatedAt === undefined ? undefined : moment(updatedAt))}
${row('Identifiant', 'profile-sub', html`<code>${profile.sub}</code>`)}
</dl>
<h2>L’accès de Carnet</h2>
<dl class="facts">
${row('Étendue', 'scope', html`<code>${tokens.scope}</code>`)}
${row('Expire', 'access-token-expires', moment(tokens.expiresAt.toISOString()))}
${row('Empreinte du jeton d’accès', 'access-token-fingerprint', html`<code>${fingerprint(tokens.accessToken)}</code>`)}
${row('Empreinte du jeton de renouvellement', 'refresh-token-fingerprint', tokens.refreshToken === undefined ? undefined : html`<code>${fingerprint(tokens.refreshToken)}</code>`)}
</dl>
<form id="renew" method="post" action="/renew"><button class="primary">Renouveler l’accès</button></form>`,
  );
}

/** An ISO 8601 time in words; left as it is when it is none. */
function moment(iso: string): Html | string {
  const value = new Date(iso);
  return Number.isNaN(value.getTime()) ? iso : html`<time datetime="${iso}">${date(value)} UTC</time>`;
}

/** What went wrong with the sign-in service, and the way on. `retry` is an own address. */
export function failurePage(failure: SignInFailure, signedIn: boolean, retry: string): string {
  return layout(
    failure.title,
    signedIn,
    html`<section id="failure" data-kind="${failure.kind}">
<h1>${failure.title}</h1>
<p class="lead">${failure.text}</p>
<p><a id="retry" class="primary" href="${retry}">Réessayer</a> <a href="/">Retour à l’accueil</a></p>
</section>`,
  );
}

/** Any other refusal or fault of this application itself. */
export function plainPage(title: string, text: string, signedIn: boolean): string {
  return layout(
    title,
    signedIn,
    html`<h1>${title}</h1>
<p class="lead">${text}</p>
<p><a href="/">Retour à l’accueil</a></p>`,
  );
}
