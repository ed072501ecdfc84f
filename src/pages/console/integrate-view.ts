// Owns the look of an application's page of code to copy: what its code has to know, its button, a snippet per library.

import type { Messages } from '../../i18n/index.ts';
import { claimNames } from '../../oauth/claims.ts';
import { parseScope } from '../../oauth/scopes.ts';
import type { OwnApplication } from '../../store/applications.ts';
import { buttonStylesheet } from '../../web/button-stylesheet.ts';
import { buttonStylesheetPath } from '../../web/html/asset-paths.ts';
import { previews } from '../../web/html/button-previews.ts';
import { codeBlock, prose } from '../../web/html/code.ts';
import { notice } from '../../web/html/form.ts';
import { type Html, html, render } from '../../web/html/html.ts';
import { authorizeAddress, signInButton } from '../../web/html/signin-button.ts';
import { applicationAddress, way } from './parts-view.ts';
import { type IntegratedClient, type Service, type Snippet, snippetsFor } from './snippets/catalogue.ts';
import { GROUPS } from './snippets/templates.ts';

export type IntegrateView = {
  messages: Messages;
  /** What was just done. */
  notice: string | undefined;
  application: IntegratedClient & Pick<OwnApplication, 'suspended' | 'claimsInIdToken'>;
  service: Service;
};

export function integrateView(view: IntegrateView): Html {
  const { messages, application } = view;
  const { page: text } = messages.integrate;
  return html`${way(messages, application, 'integrate')}
${notice(view.notice)}
<h1>${text.title(application.name)}</h1>
<p class="lead">${text.lead}</p>
${application.suspended && html`<p class="warning">${messages.applications.suspended}</p>`}
${hints(view)}
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
<p>${prose(application.standard ? text.adviceStandard : text.adviceContract)} <a href="${applicationAddress(application.clientId, 'edit')}">${text.modeSwitch}</a></p>
<h2>${text.code}</h2>
<p>${prose(text.codeNote)}</p>
${code(view)}`;
}

/** The snippets by language, with links to each: nobody looks for theirs among all of them. */
function code(view: IntegrateView): Html {
  const { page: text } = view.messages.integrate;
  const { snippets } = snippetsFor(view.application, view.service);
  const groups = GROUPS.filter((group) => snippets.some((snippet) => snippet.group === group));
  return html`<nav aria-label="${text.code}">
<ul class="jump-list">
${groups.map(
  (group) => html`<li class="jump-item"><a href="#code-${group}">${text.groups[group]}</a></li>
`,
)}</ul>
</nav>
${groups.map(
  (group) => html`<h3 class="group-title" id="code-${group}">${text.groups[group]}</h3>
${group === 'api' && html`<p>${prose(text.apiNote)}</p>`}
${snippets
  .filter((snippet) => snippet.group === group)
  .map((snippet) => snippetView(snippet, snippet === snippets[0], view))}`,
)}`;
}

/** What keeps userinfo or a library from working for this application, and where to change it. */
function hints({ messages, application, service }: IntegrateView): Html | undefined {
  const { page: text } = messages.integrate;
  const { left } = snippetsFor(application, service);
  const texts = [
    ...(readsProfile(application) ? [] : [prose(text.withoutProfile)]),
    ...left.map(({ id, scopes }) => text.withoutScopes(text.snippets[id].title, scopes.join(', '))),
  ];
  if (texts.length === 0) return undefined;
  return html`<div class="notice">
${texts.map(
  (words) => html`<p>${words}</p>
`,
)}<p><a href="${applicationAddress(application.clientId, 'edit')}">${text.edit}</a></p>
</div>`;
}

/** Whether userinfo answers the application at all (D18, D19). */
const readsProfile = ({ scopes, standard }: IntegratedClient): boolean =>
  scopes.includes('profile') || (standard && scopes.includes('openid'));

function facts({ messages, application, service: { issuer } }: IntegrateView): Html {
  const { page: text } = messages.integrate;
  const { clientId, redirectUris, scopes, type, standard } = application;
  const claims = readsProfile(application) ? claimNames(parseScope(scopes.join(' ')), standard) : [];
  return html`<dl class="facts facts--framed">
<div><dt>Client ID</dt><dd><code class="whole" id="client-id">${clientId}</code></dd></div>
<div><dt>${text.secret}</dt><dd>${prose(type === 'confidential' ? text.secretConfidential : text.secretPublic)}</dd></div>
<div><dt>${text.issuer}</dt><dd><code class="whole">${issuer}</code></dd></div>
<div><dt>${text.discovery}</dt><dd><code class="whole">${issuer}/.well-known/openid-configuration</code></dd></div>
<div><dt>${text.callbackUrl}</dt><dd>${redirectUris.map((uri) => html`<code class="whole whole--line">${uri}</code>`)}</dd></div>
<div><dt>${text.scopes}</dt><dd><code class="whole">${scopes.join(' ')}</code></dd></div>
<div><dt>${text.claims}</dt><dd>${claims.length === 0 ? prose(text.claimsNone) : html`<code>${claims.join(', ')}</code>`}</dd></div>
<div><dt>${text.signOut}</dt><dd>${prose(text.signOutText)} <a href="${applicationAddress(clientId, 'protocol')}">${text.signOutAddresses}</a></dd></div>
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
${codeBlock({ id: 'button-html', name: words.html, text: markup('light'), words: copyWords })}
${codeBlock({ id: 'button-html-dark', name: words.htmlDark, text: markup('dark'), words: copyWords })}
${type === 'confidential' && html`<p>${prose(text.replaceState)}</p>`}
<details class="snippet">
<summary>${words.css}</summary>
<p>${words.cssNote(`${issuer}${buttonStylesheetPath}`)}</p>
${codeBlock({ id: 'button-css', name: words.css, text: buttonStylesheet, words: copyWords })}
</details>
<p>${text.buttonNote} <a href="/button">${text.buttonRules}</a></p>`;
}

function snippetView(snippet: Snippet, open: boolean, { messages }: IntegrateView): Html {
  const { page: text, ...words } = messages.integrate;
  const { title, about } = text.snippets[snippet.id];
  return html`<details class="snippet" id="${snippet.id}"${open && html` open`}>
<summary><h4 class="snippet-title">${title}</h4></summary>
<p>${prose(about)}</p>
<p class="${snippet.isRegistered ? 'quiet' : 'notice'}">${text[snippet.filledWith][snippet.isRegistered ? 'filled' : 'missing'](snippet.value)}</p>
${snippet.files.map(
  (
    { name, text: code },
    index,
  ) => html`${codeBlock({ id: `${snippet.id}-${index + 1}`, name, text: code, words })}
`,
)}</details>
`;
}
