// …/applications/:client_id/integrate: sample code and the sign-in button for a client.
import type { FastifyInstance } from 'fastify';
import { queryOf } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { listClaimNames } from '../../oauth/claims.ts';
import { parseScope } from '../../oauth/scopes.ts';
import type { OwnClient } from '../../store/own-clients.ts';
import { listSecrets } from '../../store/secrets.ts';
import { buttonStylesheet } from '../../web/button-stylesheet.ts';
import { doneMessage } from '../../web/form-errors.ts';
import { buttonStylesheetPath } from '../../web/html/asset-paths.ts';
import { codeBlock, copyableFact, markInlineCode } from '../../web/html/code.ts';
import { notice } from '../../web/html/form.ts';
import { type Html, html, render } from '../../web/html/html.ts';
import { authorizeUrl, buttonPreviews, signInButton } from '../../web/html/signin-button.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { APPLICATIONS_URL, applicationUrl, consoleNavigation } from './layout.ts';
import { requireOwnClient } from './sections.ts';
import {
  buildClientSnippets,
  type IntegratedClient,
  type Service,
  type Snippet,
} from './snippets/catalog.ts';
import { findVariables, formatEnvFile } from './snippets/env.ts';
import { GROUPS } from './snippets/templates.ts';

export function integratePage(area: FastifyInstance, services: Services): void {
  const { baseUrl: issuer, serviceName } = services.config;

  area.get(`${APPLICATIONS_URL}/:client_id/integrate`, async (request, reply) => {
    const application = await requireOwnClient(request, services);
    const { userId } = signedInUser(request);
    const [secret] = await listSecrets(services.database, userId, application.clientId, services.now());
    const query = queryOf(request);
    const snippets = buildClientSnippets(application, { issuer, serviceName });
    const snippet =
      snippets.find(({ id }) => id === query.get('library')) ??
      snippets.find(({ group }) => group === query.get('language')) ??
      snippets[0];
    return reply.page({
      title: (messages) => messages.integrate.page.title(application.name),
      showsSupportContact: application.suspended,
      stylesheets: [buttonStylesheetPath],
      main: (messages) => {
        const { page: text } = messages.integrate;
        const view = { messages, application, service: { issuer, serviceName } };
        return html`${consoleNavigation(messages, application, 'integrate')}
${notice(doneMessage(request, { registered: messages.applications.created.done(application.name) }))}
<h1>${text.title(application.name)}</h1>
${application.suspended && html`<p class="warning">${messages.applications.suspended}</p>`}
${!canCallUserinfo(application) && html`<p class="notice">${markInlineCode(text.withoutProfile)} ${editLink(view)}</p>`}
${snippet && tabs(snippets, snippet, view)}
${snippet && snippetView(snippet, secret?.lastCharacters ?? undefined, view)}
<h2>${text.facts}</h2>
${facts(view)}
<h2>${text.buttonTitle}</h2>
${button(view)}`;
      },
    });
  });
}

interface View {
  messages: Messages;
  application: IntegratedClient & Pick<OwnClient, 'suspended'>;
  service: Service;
}

/** Tabs for the languages, and for the libraries in the selected language. */
function tabs(snippets: readonly Snippet[], shown: Snippet, { messages, application }: View): Html {
  const { page: text } = messages.integrate;
  const groups = GROUPS.filter((group) => snippets.some((one) => one.group === group));
  const libraries = snippets.filter(({ group }) => group === shown.group);
  const url = applicationUrl(application.clientId, 'integrate');
  return html`<nav class="tabs" aria-label="${text.languages}">
<ul>
${groups.map(
  (
    group,
  ) => html`<li><a href="${url}?language=${group}"${group === shown.group && html` aria-current="true"`}>${text.groups[group]}</a></li>
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
  }) => html`<li><a href="${url}?language=${group}&amp;library=${id}"${id === shown.id && html` aria-current="true"`}><span>${text.snippets[id].title}</span></a></li>
`,
)}</ul>
</nav>`
}`;
}

const editLink = ({ messages, application }: View): Html =>
  html`<a href="${applicationUrl(application.clientId, 'edit')}">${messages.integrate.page.edit}</a>`;

const canCallUserinfo = ({ scopes, standard }: IntegratedClient): boolean =>
  scopes.includes('profile') || (standard && scopes.includes('openid'));

function facts({ messages, application, service: { issuer } }: View): Html {
  const { page: text, ...words } = messages.integrate;
  const { clientId, redirectUris, scopes, type, standard } = application;
  const claims = canCallUserinfo(application) ? listClaimNames(parseScope(scopes.join(' ')), standard) : [];
  const fact = (label: string, id: string, value: string) =>
    copyableFact({ label, id, text: value, labels: words });
  return html`<dl class="facts facts--framed">
${fact('Client ID', 'client-id', clientId)}
<div><dt>${text.secret}</dt><dd>${markInlineCode(type === 'confidential' ? text.secretConfidential : text.secretPublic)}</dd></div>
${fact(text.issuer, 'issuer', issuer)}
${fact(text.discovery, 'discovery', `${issuer}/.well-known/openid-configuration`)}
${redirectUris.map((uri, index) => fact(text.callbackUrl, `callback-${index + 1}`, uri))}
${fact(text.scopes, 'scopes', scopes.join(' '))}
<div><dt>${text.claims}</dt><dd>${claims.length === 0 ? markInlineCode(text.claimsNone) : html`<code>${claims.join(', ')}</code>`}</dd></div>
</dl>`;
}

/** The sign-in button's code: a link for a confidential client, or a script for a public client, which needs PKCE. */
function button({ messages, application, service }: View): Html {
  const { page: text, button: words, ...copyWords } = messages.integrate;
  const { issuer, serviceName } = service;
  const { clientId, redirectUris, scopes, type } = application;
  const request = { clientId, redirectUri: redirectUris[0] ?? '', scopes, state: 'STATE' };
  const href = (baseUrl: string) => (type === 'confidential' ? authorizeUrl(baseUrl, request) : undefined);
  const markup = (variant: 'light' | 'dark') =>
    render(signInButton({ baseUrl: issuer, serviceName, variant, href: href(issuer) }));
  return html`${buttonPreviews({ messages, serviceName, href: href('') })}
${codeBlock({ id: 'button-html', name: words.html, text: markup('light'), language: 'html', labels: copyWords })}
${codeBlock({ id: 'button-html-dark', name: words.htmlDark, text: markup('dark'), language: 'html', labels: copyWords })}
${type === 'confidential' && html`<p>${markInlineCode(text.replaceState)}</p>`}
<details class="folded">
<summary>${words.css}</summary>
<p>${words.cssNote(`${issuer}${buttonStylesheetPath}`)}</p>
${codeBlock({ id: 'button-css', name: words.css, text: buttonStylesheet, language: 'css', labels: copyWords })}
</details>
<p><a href="/button">${text.buttonRules}</a></p>`;
}

function snippetView(snippet: Snippet, ending: string | undefined, view: View): Html {
  const { page: text, ...words } = view.messages.integrate;
  const { id, install, files, runCommand, missingScopes, isRedirectUriRegistered, redirectUri } = snippet;
  const { title, about } = text.snippets[id];
  const env = formatSnippetEnv(snippet, ending, view);
  return html`<section class="snippet" id="${id}" aria-labelledby="${id}-title">
<h2 class="snippet-title" id="${id}-title">${title}</h2>
${missingScopes.length > 0 && html`<p class="notice">${markInlineCode(text.withoutScopes(missingScopes.join(', ')))} ${editLink(view)}</p>`}
${!isRedirectUriRegistered && html`<p class="notice">${text.redirectUriMissing(redirectUri)} ${editLink(view)}</p>`}
<div class="code-pair">
${install && codeBlock({ id: 'install', name: text.terminal, language: 'sh', text: install, labels: words })}
${env && codeBlock({ id: 'env', name: '.env', language: 'env', text: env, labels: words })}
</div>
${files.map(
  (
    { name, language, text: code },
    index,
  ) => html`${codeBlock({ id: `${id}-${index + 1}`, name, language, text: code, labels: words })}
`,
)}${env && runCommand && codeBlock({ id: 'run', name: text.run, language: 'sh', text: runCommand, labels: words })}
<p>${markInlineCode(about)}</p>
${env && html`<p class="quiet">${markInlineCode(text.envNote)}</p>`}
</section>`;
}

/** Formats the `.env` file if the sample code reads its secret from the environment. */
function formatSnippetEnv(
  { files, redirectUri }: Snippet,
  ending: string | undefined,
  view: View,
): string | undefined {
  const { messages, application, service } = view;
  const { page: text } = messages.integrate;
  const code = files.map((file) => file.text).join('\n');
  if (application.type === 'public' || !code.includes('CLIENT_SECRET')) return undefined;
  return formatEnvFile(
    { ...application, issuer: service.issuer, redirectUri },
    { secret: text.envSecret(ending), random: text.envRandom },
    findVariables(code),
  );
}
