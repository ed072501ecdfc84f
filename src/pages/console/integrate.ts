// …/applications/:client_id/integrate: sample code and the sign-in button for a client.
import type { FastifyInstance } from 'fastify';
import { isMachineClient } from '../../clients/kind.ts';
import { readQuery } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { listClaimNames } from '../../oauth/claims.ts';
import { parseScope } from '../../oauth/scopes.ts';
import { listSecrets } from '../../store/secrets.ts';
import { buttonStylesheet } from '../../web/button-stylesheet.ts';
import { doneMessage } from '../../web/form-errors.ts';
import { buttonStylesheetPath } from '../../web/html/asset-paths.ts';
import { breakable } from '../../web/html/breakable.ts';
import { codeBlock, codeSteps, copyableRow, markInlineCode } from '../../web/html/code.ts';
import type { CodeLanguage } from '../../web/html/highlight.ts';
import { type Html, html, type Renderable, render } from '../../web/html/html.ts';
import { notice } from '../../web/html/notices.ts';
import { authorizeUrl, buttonPreviews, signInButton } from '../../web/html/signin-button.ts';
import { tabList } from '../../web/html/tabs.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { integrateTabs, parseTab } from './integrate-tabs.ts';
import { APPLICATIONS_URL, applicationUrl, consoleNavigation, suspendedWarning } from './layout.ts';
import { requireOwnedClient } from './sections.ts';
import {
  buildClientSnippets,
  type IntegratedClient,
  type Service,
  type Snippet,
} from './snippets/catalog.ts';
import { findEnvVariables, formatEnvFile } from './snippets/env.ts';
import { SNIPPET_GROUPS } from './snippets/templates.ts';
import { testSignInForm } from './test-sign-in-view.ts';

export function integratePage(area: FastifyInstance, services: Services): void {
  const { baseUrl: issuer, serviceName } = services.config;

  area.get(`${APPLICATIONS_URL}/:client_id/integrate`, async (request, reply) => {
    const application = await requireOwnedClient(request, services);
    const { userId, csrf } = signedInUser(request);
    const [secret] = await listSecrets(services.database, userId, application.clientId, services.now());
    const query = readQuery(request);
    const tab = parseTab(application, query.get('tab'));
    const snippets = buildClientSnippets(application, { issuer, serviceName });
    const snippet =
      snippets.find(({ id }) => id === query.get('library')) ??
      snippets.find(({ group }) => group === query.get('language')) ??
      snippets.find(({ isRedirectUriRegistered }) => isRedirectUriRegistered) ??
      snippets[0];
    return reply.page({
      title: (messages) => messages.integrate.page.title(application.name),
      stylesheets: [buttonStylesheetPath],
      main: (messages) => {
        const { page: text } = messages.integrate;
        const view = { messages, csrf, application, service: { issuer, serviceName } };
        if (application.suspended)
          return html`${consoleNavigation(messages, application, 'integrate')}
<h1>${text.title(application.name)}</h1>
${suspendedWarning(messages.applications.suspended, messages, services.config)}`;
        return html`${consoleNavigation(messages, application, 'integrate')}
${notice(doneMessage(request, { registered: messages.applications.created.done(application.name) }))}
<h1>${text.title(application.name)}</h1>
${integrateTabs(application, tab, messages)}
${tab === 'reference' && settingsNotice(view, [missingProfileWarning(view)])}
${tab !== 'code' && clientIdRow(view)}
${tab === 'code' && snippet && snippetView(snippets, snippet, secret?.lastCharacters ?? undefined, view)}
${tab === 'button' && buttonTab(view)}
${tab === 'reference' && clientReference(view)}`;
      },
    });
  });
}

interface IntegrateView {
  messages: Messages;
  csrf: string;
  application: IntegratedClient;
  service: Service;
}

const clientIdRow = ({ messages, application }: IntegrateView): Html =>
  html`<dl class="facts">${copyableRow({ label: 'Client ID', id: 'client-id', text: application.clientId, labels: messages.integrate })}</dl>`;

function libraryLinks(
  snippets: readonly Snippet[],
  shown: Snippet,
  { messages, application }: IntegrateView,
): Html {
  const { page: text } = messages.integrate;
  const groups = SNIPPET_GROUPS.filter((group) => snippets.some((one) => one.group === group));
  const libraries = snippets.filter(({ group }) => group === shown.group);
  const url = applicationUrl(application.clientId, 'integrate');
  return html`${tabList({
    label: text.languages,
    isWithin: true,
    links: groups.map((group) => ({
      href: `${url}?language=${group}`,
      text: text.groups[group],
      isCurrent: group === shown.group,
    })),
  })}
${
  libraries.length > 1 &&
  tabList({
    label: text.libraries,
    isWithin: true,
    links: libraries.map(({ id, group }) => ({
      href: `${url}?language=${group}&library=${id}`,
      text: text.snippets[id].title,
      isCurrent: id === shown.id,
    })),
  })
}`;
}

function settingsNotice(
  { messages, application }: IntegrateView,
  problems: Renderable[],
  isWarning = false,
): Html | undefined {
  const found = problems.filter(Boolean);
  if (found.length === 0) return undefined;
  const href = applicationUrl(application.clientId, 'edit');
  return html`<p class="${isWarning ? 'warning' : 'notice'}">${found.map((problem) => html`${problem} `)}<a href="${href}">${messages.integrate.page.edit}</a></p>`;
}

const missingProfileWarning = ({ messages, application }: IntegrateView): Renderable =>
  !canCallUserinfo(application) && markInlineCode(messages.integrate.page.withoutProfile);

const canCallUserinfo = ({ scopes, standard }: IntegratedClient): boolean =>
  scopes.includes('profile') || (standard && scopes.includes('openid'));

function clientReference({ messages, application, service: { issuer } }: IntegrateView): Html {
  const { page: text, ...words } = messages.integrate;
  const { endpoints } = messages.diagnostics;
  const { redirectUris, scopes, type, standard } = application;
  const claims = canCallUserinfo(application) ? listClaimNames(parseScope(scopes.join(' ')), standard) : [];
  const valueRow = (label: string, id: string, value: string) =>
    copyableRow({ label, id, text: value, labels: words });
  return html`<dl class="facts facts--framed">
<div><dt>${text.secret}</dt><dd>${markInlineCode(type === 'confidential' ? text.secretConfidential : text.secretPublic)}</dd></div>
${valueRow(text.issuer, 'issuer', issuer)}
${valueRow(text.discovery, 'discovery', `${issuer}/.well-known/openid-configuration`)}
${valueRow(endpoints.authorize, 'authorize', `${issuer}/oauth/authorize`)}
${valueRow(endpoints.token, 'token', `${issuer}/oauth/token`)}
${valueRow(endpoints.userinfo, 'userinfo', `${issuer}/oauth/userinfo`)}
${valueRow('JWKS', 'jwks', `${issuer}/.well-known/jwks.json`)}
${valueRow(endpoints.revoke, 'revoke', `${issuer}/oauth/token/revoke`)}
${redirectUris.map((uri, index) => valueRow(text.callbackUrl, `callback-${index + 1}`, uri))}
${valueRow(text.scopes, 'scopes', scopes.join(' '))}
<div><dt>${text.claims}</dt><dd>${claims.length === 0 ? markInlineCode(text.claimsNone) : html`<code>${claims.join(', ')}</code>`}</dd></div>
</dl>`;
}

/** Shows no link for public clients because their library starts the sign-in. */
function buttonTab({ messages, application, service }: IntegrateView): Html {
  const { page: text, button: words, ...copyWords } = messages.integrate;
  const { issuer, serviceName } = service;
  const { clientId, redirectUris, scopes, type } = application;
  const request = { clientId, redirectUri: redirectUris[0] ?? '', scopes, state: 'STATE' };
  const signInHref = (baseUrl: string) =>
    type === 'confidential' ? authorizeUrl(baseUrl, request) : undefined;
  const buttonMarkup = (variant: 'light' | 'dark') =>
    render(signInButton({ baseUrl: issuer, serviceName, variant, href: signInHref(issuer) }));
  return html`${buttonPreviews({ messages, serviceName, href: signInHref('') })}
${codeBlock({ id: 'button-html', name: words.html, text: buttonMarkup('light'), language: 'html', labels: copyWords })}
${codeBlock({ id: 'button-html-dark', name: words.htmlDark, text: buttonMarkup('dark'), language: 'html', labels: copyWords })}
<p>${markInlineCode(type === 'confidential' ? text.replaceState : text.startInScript)}</p>
<details class="folded">
<summary>${words.css}</summary>
<p>${words.cssNote(`${issuer}${buttonStylesheetPath}`)}</p>
${codeBlock({ id: 'button-css', name: words.css, text: buttonStylesheet, language: 'css', labels: copyWords })}
</details>
<p><a href="/button">${text.buttonRules}</a></p>`;
}

function snippetView(
  snippets: readonly Snippet[],
  snippet: Snippet,
  ending: string | undefined,
  view: IntegrateView,
): Html {
  const { page: text, ...words } = view.messages.integrate;
  const {
    id,
    install,
    environmentFile,
    files,
    runCommand,
    missingScopes,
    isRedirectUriRegistered,
    redirectUri,
  } = snippet;
  const { title, about } = text.snippets[id];
  const env = formatSnippetEnv(snippet, ending, view);
  const visibleLines = files.length > 2 ? 5 : files.length === 2 ? 9 : 12;
  const codeStep = (codeId: string, name: string, language: CodeLanguage, code: string | undefined) =>
    code && codeBlock({ id: codeId, name, language, text: code, labels: words, visibleLines, isStep: true });
  const isTitleInTab = snippets.filter(({ group }) => group === snippet.group).length > 1;
  return html`${libraryLinks(snippets, snippet, view)}
<section class="snippet" id="${id}" aria-labelledby="${id}-title">
<h2 class="${isTitleInTab ? 'visually-hidden' : 'snippet-title'}" id="${id}-title">${title}</h2>
<p class="quiet">${markInlineCode(about)}</p>
${settingsNotice(
  view,
  [
    missingScopes.length > 0 && markInlineCode(text.withoutScopes(missingScopes.join(', '))),
    missingProfileWarning(view),
    id === 'omniauth' && !view.application.standard && html`${text.pictureNeedsStandard}`,
    !isRedirectUriRegistered && breakable(text.redirectUriMissing(redirectUri)),
  ],
  missingScopes.length > 0,
)}
${!env?.includes(view.application.clientId) && clientIdRow(view)}
${codeSteps([
  codeStep('install', text.install, 'sh', install),
  codeStep(
    'env',
    environmentFile ?? text.env(view.application.type === 'confidential'),
    environmentFile === undefined ? 'env' : 'sh',
    env,
  ),
  ...files.map(({ name, language, text: code }, index) =>
    codeStep(`${id}-${index + 1}`, name, language, code),
  ),
  codeStep('run', text.run, 'sh', runCommand),
  !isMachineClient(view.application) && testSignInStep(view),
])}</section>`;
}

const testSignInStep = (view: IntegrateView): Html => {
  const { page: text } = view.messages.integrate;
  return html`<div class="step-action"><h3>${text.try}</h3><p class="quiet">${text.tryHint}</p>${testSignInForm(view, 'secondary')}</div>`;
};

/** Undefined if the sample code reads no environment file. */
function formatSnippetEnv(
  { files, environmentFile, redirectUri }: Snippet,
  ending: string | undefined,
  view: IntegrateView,
): string | undefined {
  const { messages, application, service } = view;
  const { page: text } = messages.integrate;
  const variables = findEnvVariables(files.map((file) => file.text).join('\n'));
  if (variables.length === 0) return undefined;
  const env = formatEnvFile(
    { ...application, issuer: service.issuer, redirectUri },
    { secret: text.envSecret(ending), random: text.envRandom },
    variables,
  );
  return environmentFile === undefined ? env : env.replaceAll(/^(?=\w)/gm, 'export ');
}
