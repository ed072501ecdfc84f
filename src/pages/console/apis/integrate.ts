// …/apis/:api_id/integrate: sample code and values for protecting an API.
import type { FastifyInstance } from 'fastify';
import { readQuery } from '../../../http/parameters.ts';
import type { Services } from '../../../http/services.ts';
import type { Messages } from '../../../i18n/index.ts';
import {
  buildBearerChallenge,
  buildMetadataUrl,
  buildResourceMetadata,
} from '../../../oauth/resource-metadata.ts';
import type { OwnedApi } from '../../../store/owned-apis.ts';
import { buttonLink } from '../../../web/html/buttons.ts';
import { codeBlock, codeSteps, copyableRow, markInlineCode } from '../../../web/html/code.ts';
import type { CodeLanguage } from '../../../web/html/highlight.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { tabList } from '../../../web/html/tabs.ts';
import { type IntegrateTab, integrateTabs, parseTab } from '../integrate-tabs.ts';
import { APIS_URL, apiUrl, consoleNavigation } from '../layout.ts';
import { requireOwnedApi } from '../sections.ts';
import { type ApiSnippet, buildApiSnippets, type ProtectedApi } from '../snippets/catalog.ts';

export function apiIntegratePage(area: FastifyInstance, services: Services): void {
  area.get(`${APIS_URL}/:api_id/integrate`, async (request, reply) => {
    const api = await requireOwnedApi(request, services);
    const query = readQuery(request);
    return reply.page({
      title: (messages) => messages.apiIntegrate.title(api.name),
      main: (messages) =>
        integrateView({
          messages,
          api,
          issuer: services.config.baseUrl,
          tab: parseTab(api, query.get('tab')),
          library: query.get('library'),
        }),
    });
  });
}

type IntegrateView = {
  messages: Messages;
  api: OwnedApi;
  issuer: string;
  tab: IntegrateTab;
  library: string | undefined;
};

function integrateView(view: IntegrateView): Html {
  const { messages, api, tab } = view;
  const { apiIntegrate: text } = messages;
  const protectedApi = { ...api, scopes: api.scopes.map(({ name }) => name) };
  return html`${consoleNavigation(messages, api, 'integrate')}
<h1>${text.title(api.name)}</h1>
${integrateTabs(api, tab, messages)}
${
  api.scopes.length === 0 &&
  html`<div class="notice">
<p>${text.noScopes} ${tab === 'code' && markInlineCode(text.noScopesInCode)}</p>
<p><a href="${apiUrl(api.apiId, 'scopes/new')}">${text.addScope}</a></p>
</div>`
}
${tab === 'code' ? html`<p class="lead">${text.lead}</p>${codeTab(view, protectedApi)}` : referenceTab(view, protectedApi)}`;
}

const referenceTab = ({ messages, api, issuer }: IntegrateView, protectedApi: ProtectedApi): Html => {
  const text = messages.apiIntegrate;
  return html`${apiReference(protectedApi, issuer, messages)}
<h2>${text.checksTitle}</h2>
<ul>
${text.checks(messages.apis.detail.lasting(api.tokenLifetime)).map(
  (check) => html`<li>${markInlineCode(check)}</li>
`,
)}</ul>
<h2>${text.documentTitle}</h2>
${metadataDocumentView(protectedApi, issuer, messages)}
<h2>${text.challengeTitle}</h2>
${challengesView(protectedApi, messages)}`;
};

function codeTab(
  { messages, api, issuer, library }: IntegrateView,
  protectedApi: ProtectedApi,
): Html | undefined {
  const text = messages.apiIntegrate;
  const snippets = buildApiSnippets(protectedApi, { issuer });
  const snippet = snippets.find(({ id }) => id === library) ?? snippets[0];
  if (snippet === undefined) return undefined;
  const url = apiUrl(api.apiId, 'integrate');
  return html`${tabList({
    label: text.libraries,
    isWithin: true,
    links: snippets.map(({ id }) => ({
      href: `${url}?library=${id}`,
      text: text.tabs[id],
      isCurrent: id === snippet.id,
    })),
  })}
${snippetView(snippet, api, messages)}`;
}

function snippetView({ id, install, files }: ApiSnippet, { apiId }: OwnedApi, messages: Messages): Html {
  const { apiIntegrate: text, apiTest, integrate: words } = messages;
  const { title, about } = text.snippets[id];
  const codeStep = (codeId: string, name: string, language: CodeLanguage, code: string) =>
    codeBlock({ id: codeId, name, language, text: code, labels: words, isStep: true });
  return html`<section class="snippet" id="${id}" aria-labelledby="${id}-title">
<h2 class="snippet-title" id="${id}-title">${title}</h2>
<p class="quiet">${markInlineCode(about)}</p>
${codeSteps([
  install && codeStep('install', words.page.install, 'sh', install),
  ...files.map(({ name, language, text: content }, index) =>
    codeStep(`${id}-${index + 1}`, name, language, content),
  ),
  id !== 'introspect' &&
    testStep(apiId, id.startsWith('api-mcp') ? apiTest.mcpStepHint : apiTest.stepHint, messages),
])}
${id === 'introspect' && html`<p><a href="${apiUrl(apiId, 'secrets')}">${text.secrets}</a></p>`}
</section>`;
}

const testStep = (apiId: string, hint: string, { apiTest: text, integrate }: Messages): Html =>
  html`<div class="step-action"><h3>${integrate.page.try}</h3><p class="quiet">${hint}</p>${buttonLink({ text: text.open, href: apiUrl(apiId, 'test'), kind: 'secondary' })}</div>`;

function metadataDocumentView(api: ProtectedApi, issuer: string, messages: Messages): Html {
  const { apiIntegrate: text, integrate: words } = messages;
  const document = buildResourceMetadata(api.identifier, issuer, api.scopes);
  return html`<p>${markInlineCode(text.documentText)}</p>
${codeBlock({ id: 'document', name: text.documentName, language: 'plain', text: formatDocument(document), labels: words })}`;
}

/** Puts each array on one line. */
const formatDocument = (document: object): string =>
  JSON.stringify(document, null, 2).replace(
    /\[\n\s*([^\]]*?)\n\s*\]/g,
    (_, items: string) => `[${items.replaceAll(/\n\s*/g, ' ')}]`,
  );

function challengesView(api: ProtectedApi, messages: Messages): Html {
  const { apiIntegrate: text, integrate: words } = messages;
  const challenge = buildBearerChallenge(api.identifier, api.scopes.slice(0, 1));
  const challengeBlock = (id: string, name: string, error = '') =>
    codeBlock({
      id,
      name,
      language: 'plain',
      text: `WWW-Authenticate: Bearer ${error}${challenge}`,
      labels: words,
    });
  return html`<p>${markInlineCode(api.scopes.length > 0 ? text.challengeScopeText : text.challengeText)}</p>
<div class="code-pair">
${challengeBlock('challenge', text.challengeMissing)}
${api.scopes.length > 0 && challengeBlock('challenge-scope', text.challengeScope, 'error="insufficient_scope", ')}
</div>`;
}

function apiReference({ apiId, identifier }: ProtectedApi, issuer: string, messages: Messages): Html {
  const { apiIntegrate: text, apis, integrate: words } = messages;
  const valueRow = (label: string, id: string, value: string) =>
    copyableRow({ label, id, text: value, labels: words });
  return html`<dl class="facts facts--framed">
${valueRow(text.identifier, 'identifier', identifier)}
${valueRow(text.documentAddress, 'document-address', buildMetadataUrl(identifier))}
${valueRow(text.issuer, 'issuer', issuer)}
${valueRow(text.keys, 'keys', `${issuer}/.well-known/jwks.json`)}
${valueRow(text.metadata, 'metadata', `${issuer}/.well-known/oauth-authorization-server`)}
${valueRow(text.introspection, 'introspection', `${issuer}/oauth/introspect`)}
${valueRow(apis.detail.apiId, 'api-id', apiId)}
</dl>`;
}
