// Owns the look of an application's page of code to copy: what its code has to know, its button, a snippet per library.

import type { Messages } from '../../i18n/index.ts';
import { claimNames } from '../../oauth/claims.ts';
import { parseScope } from '../../oauth/scopes.ts';
import type { OwnApplication } from '../../store/applications.ts';
import { buttonStylesheet } from '../../web/button-stylesheet.ts';
import { buttonStylesheetPath } from '../../web/html/asset-paths.ts';
import { codeBlock, copiedFact, prose } from '../../web/html/code.ts';
import { notice } from '../../web/html/form.ts';
import { type Html, html, render } from '../../web/html/html.ts';
import { authorizeAddress, previews, signInButton } from '../../web/html/signin-button.ts';
import { applicationAddress, way } from './frame-view.ts';
import { type IntegratedClient, type Service, type Snippet, snippetsFor } from './snippets/catalogue.ts';
import { envFile, variablesOf } from './snippets/env.ts';
import { GROUPS } from './snippets/templates.ts';

export type IntegrateView = {
  messages: Messages;
  notice: string | undefined;
  chosen: { language: string | undefined; library: string | undefined };
  /** The last characters of its newest secret. */
  ending: string | undefined;
  application: IntegratedClient & Pick<OwnApplication, 'suspended' | 'claimsInIdToken'>;
  service: Service;
};

export function integrateView(view: IntegrateView): Html {
  const { messages, application } = view;
  const { page: text } = messages.integrate;
  return html`${way(messages, application, 'integrate')}
${notice(view.notice)}
<h1>${text.title(application.name)}</h1>
${application.suspended && html`<p class="warning">${messages.applications.suspended}</p>`}
${hints(view)}
${code(view)}
<h2>${text.facts}</h2>
${facts(view)}
<h2>${text.buttonTitle}</h2>
${button(view)}
<h2>${text.mode}</h2>
<p>${prose(application.standard ? text.modeStandard : text.modeContract)}</p>
<p>${prose(text.modeBoth)}${
    application.scopes.includes('openid') &&
    html` ${prose(application.claimsInIdToken ? text.idTokenClaims : text.idTokenPlain)} <a href="${applicationAddress(application.clientId, 'protocol')}">${text.idTokenSwitch}</a>`
  }</p>
<p>${prose(application.standard ? text.adviceStandard : text.adviceContract)} <a href="${applicationAddress(application.clientId, 'edit')}">${text.modeSwitch}</a></p>`;
}

/** The language first, then its library, then the code: nobody looks for theirs among all of them. */
function code(view: IntegrateView): Html | undefined {
  const { messages, application, chosen } = view;
  const { page: text } = messages.integrate;
  const { snippets } = snippetsFor(application, view.service);
  const snippet =
    snippets.find(({ id }) => id === chosen.library) ??
    snippets.find(({ group }) => group === chosen.language) ??
    snippets[0];
  if (snippet === undefined) return undefined;
  const groups = GROUPS.filter((group) => snippets.some((one) => one.group === group));
  const libraries = snippets.filter(({ group }) => group === snippet.group);
  const address = applicationAddress(application.clientId, 'integrate');
  return html`<nav class="tabs" aria-label="${text.languages}">
<ul>
${groups.map(
  (
    group,
  ) => html`<li><a href="${address}?language=${group}"${group === snippet.group && html` aria-current="true"`}>${text.groups[group]}</a></li>
`,
)}</ul>
</nav>
${
  libraries.length > 1 &&
  html`<nav class="tabs tabs--within" aria-label="${text.libraries}">
<ul>
${libraries.map(
  ({
    id,
    group,
  }) => html`<li><a href="${address}?language=${group}&amp;library=${id}"${id === snippet.id && html` aria-current="true"`}><span>${text.snippets[id].title}</span></a></li>
`,
)}</ul>
</nav>`
}
${snippetView(snippet, libraries.length === 1, view)}`;
}

/** What keeps userinfo or a library from working for this application, and where to change it. */
function hints({ messages, application, service }: IntegrateView): Html | undefined {
  const { page: text } = messages.integrate;
  const { left } = snippetsFor(application, service);
  const reads = readsProfile(application);
  if (reads && left.length === 0) return undefined;
  const lacking = Map.groupBy(left, ({ scopes }) => scopes.join(', '));
  return html`<div class="notice">
${!reads && html`<p>${prose(text.withoutProfile)}</p>`}
${[...lacking].map(
  ([scopes, libraries]) => html`<p>${prose(text.withoutScopes(libraries.length, scopes))}</p>
<ul class="libraries">
${libraries.map(
  ({ id }) => html`<li>${text.snippets[id].title}</li>
`,
)}</ul>
`,
)}<p><a href="${applicationAddress(application.clientId, 'edit')}">${text.edit}</a></p>
</div>`;
}

/** Whether userinfo answers the application at all (D18, D19). */
const readsProfile = ({ scopes, standard }: IntegratedClient): boolean =>
  scopes.includes('profile') || (standard && scopes.includes('openid'));

function facts({ messages, application, service: { issuer } }: IntegrateView): Html {
  const { page: text, ...words } = messages.integrate;
  const { clientId, redirectUris, scopes, type, standard } = application;
  const claims = readsProfile(application) ? claimNames(parseScope(scopes.join(' ')), standard) : [];
  const fact = (label: string, id: string, value: string) => copiedFact({ label, id, text: value, words });
  return html`<dl class="facts facts--framed">
${fact('Client ID', 'client-id', clientId)}
<div><dt>${text.secret}</dt><dd>${prose(type === 'confidential' ? text.secretConfidential : text.secretPublic)}</dd></div>
${fact(text.issuer, 'issuer', issuer)}
${fact(text.discovery, 'discovery', `${issuer}/.well-known/openid-configuration`)}
${redirectUris.map((uri, place) => fact(text.callbackUrl, `callback-${place + 1}`, uri))}
${fact(text.scopes, 'scopes', scopes.join(' '))}
<div><dt>${text.claims}</dt><dd>${claims.length === 0 ? prose(text.claimsNone) : html`<code>${claims.join(', ')}</code>`}</dd></div>
<div><dt>${text.signOut}</dt><dd>${prose(text.signOutText)} <a href="${applicationAddress(clientId, 'protocol')}">${text.signOutAddresses}</a></dd></div>
<div><dt>${text.secondFactor}</dt><dd>${prose(text.secondFactorText)} <a href="${applicationAddress(clientId, 'protocol')}">${text.secondFactorRequired}</a></dd></div>
</dl>`;
}

/** A confidential application's button is a link; a public one's starts a script, which PKCE needs (D5). */
function button({ messages, application, service }: IntegrateView): Html {
  const { page: text, button: words, ...copyWords } = messages.integrate;
  const { issuer, serviceName } = service;
  const { clientId, redirectUris, scopes, type } = application;
  const request = { clientId, redirectUri: redirectUris[0] ?? '', scopes, state: 'STATE' };
  const href = (baseUrl: string) =>
    type === 'confidential' ? authorizeAddress(baseUrl, request) : undefined;
  const markup = (variant: 'light' | 'dark') =>
    render(signInButton({ baseUrl: issuer, serviceName, variant, href: href(issuer) }));
  return html`${previews({ messages, serviceName, href: href('') })}
<p class="quiet">${prose(type === 'confidential' ? text.previewLink : text.previewScript)}</p>
${codeBlock({ id: 'button-html', name: words.html, text: markup('light'), language: 'html', words: copyWords })}
${codeBlock({ id: 'button-html-dark', name: words.htmlDark, text: markup('dark'), language: 'html', words: copyWords })}
${type === 'confidential' && html`<p>${prose(text.replaceState)}</p>`}
<details class="folded">
<summary>${words.css}</summary>
<p>${words.cssNote(`${issuer}${buttonStylesheetPath}`)}</p>
${codeBlock({ id: 'button-css', name: words.css, text: buttonStylesheet, language: 'css', words: copyWords })}
</details>
<p>${text.buttonNote} <a href="/button">${text.buttonRules}</a></p>`;
}

function snippetView(snippet: Snippet, named: boolean, view: IntegrateView): Html {
  const { page: text, ...words } = view.messages.integrate;
  const { id, install, files, run, isRegistered, callback } = snippet;
  const { title, about } = text.snippets[id];
  const env = envOf(snippet, view);
  return html`<section class="snippet" id="${id}" aria-labelledby="${id}-title">
<h2 class="${named ? 'snippet-title' : 'unseen'}" id="${id}-title">${title}</h2>
${
  !isRegistered &&
  html`<p class="notice">${text.callback.missing(callback)} <a href="${applicationAddress(view.application.clientId, 'edit')}">${text.edit}</a></p>`
}
<div class="code-pair">
${install && codeBlock({ id: 'install', name: text.terminal, language: 'sh', text: install, words })}
${env && codeBlock({ id: 'env', name: '.env', language: 'env', text: env, words })}
</div>
${files.map(
  (
    { name, language, text: code },
    index,
  ) => html`${codeBlock({ id: `${id}-${index + 1}`, name, language, text: code, words })}
`,
)}${env && run && codeBlock({ id: 'run', name: text.run, language: 'sh', text: run, words })}
<p>${prose(about)}</p>
${isRegistered && html`<p class="quiet">${text.callback.filled(callback)}</p>`}
${env && html`<p class="quiet">${prose(text.envNote)}</p>`}
<p class="quiet">${prose(text.codeNote)}</p>
</section>`;
}

/** The environment of code that reads its secret from there. */
function envOf({ files, callback }: Snippet, { messages, application, service, ending }: IntegrateView) {
  const { page: text } = messages.integrate;
  const code = files.map((file) => file.text).join('\n');
  if (application.type === 'public' || !code.includes('CLIENT_SECRET')) return undefined;
  return envFile(
    { ...application, issuer: service.issuer, redirectUri: callback },
    { secret: text.envSecret(ending), random: text.envRandom },
    variablesOf(code),
  );
}
