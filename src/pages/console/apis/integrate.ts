// …/apis/:api_id/integrate: sample code and values for protecting an API.
import type { FastifyInstance } from 'fastify';
import { queryOf } from '../../../http/parameters.ts';
import type { Services } from '../../../http/services.ts';
import type { Messages } from '../../../i18n/index.ts';
import {
  buildBearerChallenge,
  buildMetadataUrl,
  buildResourceMetadata,
} from '../../../oauth/resource-metadata.ts';
import type { OwnApi } from '../../../store/own-apis.ts';
import { codeBlock, copyableFact, markInlineCode } from '../../../web/html/code.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { tabList } from '../../../web/html/tabs.ts';
import { APIS_URL, apiUrl, consoleNavigation, consoleTabs } from '../layout.ts';
import { requireOwnApi } from '../sections.ts';
import { type ApiSnippet, buildApiSnippets, type ProtectedApi, scopesToFillIn } from '../snippets/catalog.ts';

export function apiIntegratePage(area: FastifyInstance, services: Services): void {
  area.get(`${APIS_URL}/:api_id/integrate`, async (request, reply) => {
    const api = await requireOwnApi(request, services);
    return reply.page({
      title: (messages) => messages.apiIntegrate.title(api.name),
      main: (messages) =>
        integrateView({
          messages,
          api,
          issuer: services.config.baseUrl,
          selected: queryOf(request).get('library'),
        }),
    });
  });
}

type IntegrateView = {
  messages: Messages;
  api: OwnApi;
  issuer: string;
  selected: string | undefined;
};

function integrateView(view: IntegrateView): Html {
  const { messages, api, issuer } = view;
  const text = messages.apiIntegrate;
  const protectedApi = { ...api, scopes: api.scopes.map(({ name }) => name) };
  return html`${consoleNavigation(messages, api, 'integrate')}
<h1>${text.title(api.name)}</h1>
${consoleTabs(messages, api, 'integrate')}
<p class="lead">${text.lead}</p>
${
  api.scopes.length === 0 &&
  html`<div class="notice">
<p>${markInlineCode(text.noScopes)}</p>
<p><a href="${apiUrl(api.apiId, 'scopes/new')}">${text.addScope}</a></p>
</div>`
}
${code(view, protectedApi)}
<h2>${text.documentTitle}</h2>
${documentOf(protectedApi, issuer, messages)}
<h2>${text.challengeTitle}</h2>
${challenges(protectedApi, messages)}
<h2>${text.checksTitle}</h2>
<ul>
${text.checks(messages.apis.detail.lasting(api.tokenLifetime)).map(
  (check) => html`<li>${markInlineCode(check)}</li>
`,
)}</ul>
<h2>${text.facts}</h2>
${facts(protectedApi, issuer, messages)}`;
}

function code(
  { messages, api, issuer, selected }: IntegrateView,
  protectedApi: ProtectedApi,
): Html | undefined {
  const text = messages.apiIntegrate;
  const snippets = buildApiSnippets(protectedApi, { issuer });
  const snippet = snippets.find(({ id }) => id === selected) ?? snippets[0];
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

function snippetView({ id, install, files }: ApiSnippet, { apiId }: OwnApi, messages: Messages): Html {
  const { apiIntegrate: text, integrate: words } = messages;
  const { title, about } = text.snippets[id];
  return html`<section class="snippet" id="${id}" aria-labelledby="${id}-title">
<h2 class="snippet-title" id="${id}-title">${title}</h2>
<p class="quiet">${markInlineCode(about)}</p>
${install && codeBlock({ id: 'install', name: words.page.install, language: 'sh', text: install, labels: words })}
${files.map(
  (
    { name, language, text: content },
    index,
  ) => html`${codeBlock({ id: `${id}-${index + 1}`, name, language, text: content, labels: words })}
`,
)}${id === 'introspect' && html`<p><a href="${apiUrl(apiId, 'secrets')}">${text.secrets}</a></p>`}
</section>`;
}

function documentOf(api: ProtectedApi, issuer: string, messages: Messages): Html {
  const { apiIntegrate: text, integrate: words } = messages;
  const document = buildResourceMetadata(api.identifier, issuer, scopesToFillIn(api));
  return html`<p>${markInlineCode(text.documentText)}</p>
<dl class="facts facts--framed">
${copyableFact({ label: text.documentAddress, id: 'document-address', text: buildMetadataUrl(api.identifier), labels: words })}
</dl>
${codeBlock({ id: 'document', name: text.documentName, language: 'plain', text: JSON.stringify(document, null, 2), labels: words })}`;
}

function challenges(api: ProtectedApi, messages: Messages): Html {
  const { apiIntegrate: text, integrate: words } = messages;
  const challenge = buildBearerChallenge(api.identifier, scopesToFillIn(api).slice(0, 1));
  const header = (id: string, name: string, error = '') =>
    codeBlock({
      id,
      name,
      language: 'plain',
      text: `WWW-Authenticate: Bearer ${error}${challenge}`,
      labels: words,
    });
  return html`<p>${markInlineCode(text.challengeText)}</p>
${header('challenge', text.challengeMissing)}
${header('challenge-scope', text.challengeScope, 'error="insufficient_scope", ')}`;
}

function facts({ apiId, identifier }: ProtectedApi, issuer: string, messages: Messages): Html {
  const { apiIntegrate: text, apis, integrate: words } = messages;
  const fact = (label: string, id: string, value: string) =>
    copyableFact({ label, id, text: value, labels: words });
  return html`<dl class="facts facts--framed">
${fact(text.identifier, 'identifier', identifier)}
${fact(text.issuer, 'issuer', issuer)}
${fact(text.keys, 'keys', `${issuer}/.well-known/jwks.json`)}
${fact(text.metadata, 'metadata', `${issuer}/.well-known/oauth-authorization-server`)}
${fact(text.introspection, 'introspection', `${issuer}/oauth/introspect`)}
${fact(apis.detail.apiId, 'api-id', apiId)}
</dl>`;
}
