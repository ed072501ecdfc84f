// GET /console/applications/:client_id/integrate: the code to copy, filled for one application, and its button.
import type { FastifyInstance } from 'fastify';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { claimNames } from '../../oauth/claims.ts';
import { parseScope } from '../../oauth/scopes.ts';
import type { OwnApplication } from '../../store/applications.ts';
import { listSecrets } from '../../store/secrets.ts';
import { buttonStylesheet } from '../../web/button-stylesheet.ts';
import { doneOf } from '../../web/faults.ts';
import { buttonStylesheetPath } from '../../web/html/asset-paths.ts';
import { codeBlock, copiedFact, prose } from '../../web/html/code.ts';
import { notice } from '../../web/html/form.ts';
import { type Html, html, render } from '../../web/html/html.ts';
import { authorizeAddress, previews, signInButton } from '../../web/html/signin-button.ts';
import { memberOf } from '../../web/member.ts';
import { APPLICATIONS, applicationAddress, way } from './frame-view.ts';
import { ownApplication } from './sections.ts';
import { type IntegratedClient, type Service, type Snippet, snippetsFor } from './snippets/catalogue.ts';
import { envFile, variablesOf } from './snippets/env.ts';
import { GROUPS } from './snippets/templates.ts';

export function integratePage(area: FastifyInstance, parts: Parts): void {
  const { baseUrl: issuer, serviceName } = parts.config;

  area.get(`${APPLICATIONS}/:client_id/integrate`, async (request, reply) => {
    const application = await ownApplication(request, parts);
    const { userId } = memberOf(request);
    const [secret] = await listSecrets(parts.database, userId, application.clientId, parts.now());
    const query = queryOf(request);
    const snippets = snippetsFor(application, { issuer, serviceName });
    const snippet =
      snippets.find(({ id }) => id === query.get('library')) ??
      snippets.find(({ group }) => group === query.get('language')) ??
      snippets[0];
    return reply.page({
      title: (messages) => messages.integrate.page.title(application.name),
      reach: application.suspended,
      stylesheets: [buttonStylesheetPath],
      main: (messages) => {
        const { page: text } = messages.integrate;
        const view = { messages, application, service: { issuer, serviceName } };
        return html`${way(messages, application, 'integrate')}
${notice(doneOf(request, { registered: messages.applications.created.done(application.name) }))}
<h1>${text.title(application.name)}</h1>
${application.suspended && html`<p class="warning">${messages.applications.suspended}</p>`}
${!readsProfile(application) && html`<p class="notice">${prose(text.withoutProfile)} ${editLink(view)}</p>`}
${snippet && tabs(snippets, snippet, view)}
${snippet && snippetView(snippet, secret?.ending ?? undefined, view)}
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
  application: IntegratedClient & Pick<OwnApplication, 'suspended'>;
  service: Service;
}

/** The languages, and the libraries of the one that is shown. */
function tabs(snippets: readonly Snippet[], shown: Snippet, { messages, application }: View): Html {
  const { page: text } = messages.integrate;
  const groups = GROUPS.filter((group) => snippets.some((one) => one.group === group));
  const libraries = snippets.filter(({ group }) => group === shown.group);
  const address = applicationAddress(application.clientId, 'integrate');
  return html`<nav class="tabs" aria-label="${text.languages}">
<ul>
${groups.map(
  (
    group,
  ) => html`<li><a href="${address}?language=${group}"${group === shown.group && html` aria-current="true"`}>${text.groups[group]}</a></li>
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
  }) => html`<li><a href="${address}?language=${group}&amp;library=${id}"${id === shown.id && html` aria-current="true"`}><span>${text.snippets[id].title}</span></a></li>
`,
)}</ul>
</nav>`
}`;
}

const editLink = ({ messages, application }: View): Html =>
  html`<a href="${applicationAddress(application.clientId, 'edit')}">${messages.integrate.page.edit}</a>`;

/** Whether userinfo answers the application at all. */
const readsProfile = ({ scopes, standard }: IntegratedClient): boolean =>
  scopes.includes('profile') || (standard && scopes.includes('openid'));

function facts({ messages, application, service: { issuer } }: View): Html {
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
</dl>`;
}

/** A confidential application's button is a link; a public one's starts a script, because PKCE needs one. */
function button({ messages, application, service }: View): Html {
  const { page: text, button: words, ...copyWords } = messages.integrate;
  const { issuer, serviceName } = service;
  const { clientId, redirectUris, scopes, type } = application;
  const request = { clientId, redirectUri: redirectUris[0] ?? '', scopes, state: 'STATE' };
  const href = (baseUrl: string) =>
    type === 'confidential' ? authorizeAddress(baseUrl, request) : undefined;
  const markup = (variant: 'light' | 'dark') =>
    render(signInButton({ baseUrl: issuer, serviceName, variant, href: href(issuer) }));
  return html`${previews({ messages, serviceName, href: href('') })}
${codeBlock({ id: 'button-html', name: words.html, text: markup('light'), language: 'html', words: copyWords })}
${codeBlock({ id: 'button-html-dark', name: words.htmlDark, text: markup('dark'), language: 'html', words: copyWords })}
${type === 'confidential' && html`<p>${prose(text.replaceState)}</p>`}
<details class="folded">
<summary>${words.css}</summary>
<p>${words.cssNote(`${issuer}${buttonStylesheetPath}`)}</p>
${codeBlock({ id: 'button-css', name: words.css, text: buttonStylesheet, language: 'css', words: copyWords })}
</details>
<p><a href="/button">${text.buttonRules}</a></p>`;
}

function snippetView(snippet: Snippet, ending: string | undefined, view: View): Html {
  const { page: text, ...words } = view.messages.integrate;
  const { id, install, files, run, lacking, isRegistered, callback } = snippet;
  const { title, about } = text.snippets[id];
  const env = envOf(snippet, ending, view);
  return html`<section class="snippet" id="${id}" aria-labelledby="${id}-title">
<h2 class="snippet-title" id="${id}-title">${title}</h2>
${lacking.length > 0 && html`<p class="notice">${prose(text.withoutScopes(lacking.join(', ')))} ${editLink(view)}</p>`}
${!isRegistered && html`<p class="notice">${text.callbackMissing(callback)} ${editLink(view)}</p>`}
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
${env && html`<p class="quiet">${prose(text.envNote)}</p>`}
</section>`;
}

/** The environment of code that reads its secret from there. */
function envOf({ files, callback }: Snippet, ending: string | undefined, view: View): string | undefined {
  const { messages, application, service } = view;
  const { page: text } = messages.integrate;
  const code = files.map((file) => file.text).join('\n');
  if (application.type === 'public' || !code.includes('CLIENT_SECRET')) return undefined;
  return envFile(
    { ...application, issuer: service.issuer, redirectUri: callback },
    { secret: text.envSecret(ending), random: text.envRandom },
    variablesOf(code),
  );
}
